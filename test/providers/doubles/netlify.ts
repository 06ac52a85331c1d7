import { createHash } from 'node:crypto';
import { z } from 'zod';
import { quoteTxt, unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import type { SeedRecord } from '../lab.ts';
import { dumpOf, hostOfSeed, type ProviderDouble, type ServedRecord } from './double.ts';
import { empty, json, pageOf, Refused, router } from './router.ts';
import { serveDouble } from './serve.ts';
import { breaksCname, isBadAddress, priorityAndRest } from './zone-rules.ts';

/**
 * Netlify's DNS API: absolute names, no call that changes a record, zones by their id or by their name with
 * underscores, values that can exist twice, listings with a Link, and records that Netlify manages itself.
 */
const TOKEN = 'nfp_0123456789abcdefghijklmnopqrstuvwxyz01';
const SERVERS = ['dns1.p05.nsone.net', 'dns2.p05.nsone.net', 'dns3.p05.nsone.net', 'dns4.p05.nsone.net'];
const TYPES = ['A', 'AAAA', 'ALIAS', 'CAA', 'CNAME', 'MX', 'NS', 'SPF', 'SRV', 'TXT'];

const Sent = z.object({
  type: z.string(),
  hostname: z.string(),
  value: z.string(),
  ttl: z.number().int().nullish(),
  priority: z.number().nullish(),
  weight: z.number().nullish(),
  port: z.number().nullish(),
  flag: z.number().nullish(),
  tag: z.string().nullish(),
});
export interface NetlifyStored {
  id: string;
  hostname: string;
  type: string;
  value: string;
  ttl: number;
  priority: number | null;
  weight: number | null;
  port: number | null;
  flag: number | null;
  tag: string | null;
  dns_zone_id: string;
  site_id: string | null;
  managed: boolean;
  errors: string[];
}
interface StoredZone {
  id: string;
  name: string;
  records: NetlifyStored[];
}

export interface NetlifyDouble extends ProviderDouble {
  recordsOf(zone: string): NetlifyStored[];
}

export const start = async ({ port }: { port?: number } = {}): Promise<NetlifyDouble> => {
  const zones: StoredZone[] = [];
  let ids = 0;
  const newId = (): string => createHash('sha1').update(String(ids++)).digest('hex').slice(0, 24);

  const refuse = (status: number, message: string) => new Refused(json(status, { code: status, message }));
  const zoneOf = (id = ''): StoredZone => {
    const zone = zones.find((one) => one.id === id || one.name.replaceAll('.', '_') === id);
    if (!zone) throw refuse(404, 'Not Found');
    return zone;
  };
  const recordOf = (zone: StoredZone, id = ''): NetlifyStored => {
    const record = zone.records.find((one) => one.id === id);
    if (!record) throw refuse(404, 'Not Found');
    return record;
  };
  const zoneJson = ({ id, name, records }: StoredZone) => ({
    id,
    name,
    domain: name,
    account_id: '0000000000000000000000aa',
    account_slug: 'tester',
    account_name: 'Tester',
    user_id: '0000000000000000000000bb',
    site_id: null,
    errors: [],
    supported_record_types: TYPES,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    dns_servers: SERVERS,
    dedicated: false,
    ipv6_enabled: false,
    records,
  });
  const stored = (zone: StoredZone, sent: z.infer<typeof Sent>): NetlifyStored => ({
    id: newId(),
    hostname: sent.hostname.replace(/\.$/, '').toLowerCase(),
    type: sent.type,
    value: sent.value,
    ttl: sent.ttl ?? 3600,
    priority: sent.priority ?? null,
    weight: sent.weight ?? null,
    port: sent.port ?? null,
    flag: sent.flag ?? null,
    tag: sent.tag ?? null,
    dns_zone_id: zone.id,
    site_id: null,
    managed: false,
    errors: [],
  });
  const checked = (record: NetlifyStored, zone: StoredZone): NetlifyStored => {
    const { type, hostname, value } = record;
    const invalid = (field: string, why: string) =>
      new Refused(json(422, { code: 422, message: `${field} ${why}`, errors: { [field]: [why] } }));
    if (!TYPES.includes(type)) throw invalid('type', 'is not supported');
    if (value === '' || isBadAddress(type, value)) throw invalid('value', 'is invalid');
    if (type === 'MX' && (record.priority === null || value === '.')) throw invalid('priority', 'is invalid');
    if (hostname !== zone.name && !hostname.endsWith(`.${zone.name}`)) throw invalid('hostname', 'is not in this zone');
    const here = zone.records.filter((other) => other.hostname === hostname).map((other) => other.type);
    if (breaksCname(type, here) || (type === 'CNAME' && hostname === zone.name))
      throw invalid('hostname', 'conflicts with another record of the same name');
    return record;
  };
  const listing = (items: readonly unknown[], query: URLSearchParams, url: URL) => {
    const [page, size] = [Number(query.get('page') ?? 1), Math.min(Number(query.get('per_page') ?? 100), 100)];
    const { items: part, pages } = pageOf(items, page, size);
    const next = new URL(url);
    next.searchParams.set('page', String(page + 1));
    return json(200, part, page < pages ? { link: `<${next.href}>; rel="next"` } : {});
  };

  const root = '/api/v1';
  const answer = router(
    {
      [`GET ${root}/user`]: () => json(200, { id: '0000000000000000000000bb', email: 'tester@example.com' }),
      [`GET ${root}/dns_zones`]: ({ query, request: { url } }) => listing(zones.map(zoneJson), query, url),
      [`GET ${root}/dns_zones/:zone`]: ({ params }) => json(200, zoneJson(zoneOf(params['zone']))),
      [`GET ${root}/dns_zones/:zone/dns_records`]: ({ params, query, request: { url } }) =>
        listing(zoneOf(params['zone']).records, query, url),
      [`POST ${root}/dns_zones/:zone/dns_records`]: ({ params, json: body }) => {
        const zone = zoneOf(params['zone']);
        const sent = Sent.safeParse(body);
        if (!sent.success) throw refuse(422, 'type, hostname and value are required');
        const record = checked(stored(zone, sent.data), zone);
        zone.records.push(record);
        return json(201, record);
      },
      [`GET ${root}/dns_zones/:zone/dns_records/:id`]: ({ params }) =>
        json(200, recordOf(zoneOf(params['zone']), params['id'])),
      [`DELETE ${root}/dns_zones/:zone/dns_records/:id`]: ({ params }) => {
        const zone = zoneOf(params['zone']);
        const record = recordOf(zone, params['id']);
        if (record.managed) throw refuse(422, 'This record is managed by Netlify');
        zone.records = zone.records.filter((one) => one !== record);
        return empty(204);
      },
    },
    {
      before: (request) => {
        if (request.header('authorization') !== `Bearer ${TOKEN}`) throw refuse(401, 'Access Denied: Origin Server');
      },
      notFound: () => refuse(404, 'Not Found').answer,
    },
  );

  const server = await serveDouble(answer, port);
  const recordsOf = (name: string): NetlifyStored[] => zones.find((zone) => zone.name === name)?.records ?? [];
  return {
    ...server,
    url: `${server.url}${root}`,
    credential: { access_token: TOKEN },
    stranger: { access_token: 'nfp_of_somebody_else_abcdefghijklmnopqrstu' },
    addZone: (name, seeds = []) => {
      const zone: StoredZone = { id: newId(), name, records: [] };
      zone.records = seeds.map((seed) => stored(zone, fromSeed(seed, name)));
      zones.push(zone);
    },
    recordsOf,
    // Netlify does not list the name servers of the zone, but serves them.
    served: (zone) => [
      ...SERVERS.map((server) => ({ name: zone, type: 'NS', ttl: 3600, rdata: `${server}.` })),
      ...recordsOf(zone).map(asServed),
    ],
    dump: (zone) => dumpOf(recordsOf(zone).map(({ id: _, ...record }) => record)),
  };
};

function fromSeed(seed: SeedRecord, zone: string): z.infer<typeof Sent> {
  const { type, ttl, rdata } = seed;
  const record = { type, ttl, hostname: hostOfSeed(seed, zone) };
  if (type === 'TXT') return { ...record, value: unquoteTxt(rdata) };
  if (type !== 'MX') return { ...record, value: rdata.replace(/\.$/, '') };
  const { priority, rest } = priorityAndRest(rdata);
  return { ...record, value: rest, priority };
}

function asServed({ hostname, type, ttl, value, priority, weight, port, flag, tag }: NetlifyStored): ServedRecord {
  const target = `${value.replace(/\.$/, '')}.`;
  const rdata: Record<string, string> = {
    TXT: quoteTxt(value),
    MX: `${priority ?? 0} ${target}`,
    SRV: `${priority ?? 0} ${weight ?? 0} ${port ?? 0} ${target}`,
    CAA: `${flag ?? 0} ${tag ?? ''} "${value}"`,
    CNAME: target,
    NS: target,
  };
  return { name: hostname, type, ttl, rdata: rdata[type] ?? value };
}
