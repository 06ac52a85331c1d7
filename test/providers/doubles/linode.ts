import { z } from 'zod';
import { absolute, relative } from '../../../src/providers/toolkit/names.ts';
import { quoteTxt, unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import type { SeedRecord } from '../lab.ts';
import { dumpOf, type ServedRecord, type StartDouble, ownServers } from './double.ts';
import { json, pageOf, Refused, router } from './router.ts';
import { serveDouble } from './serve.ts';
import { breaksCname, isBadAddress, priorityAndRest } from './zone-rules.ts';

/**
 * Linode's domains API: numbered pages and X-Filter, TTLs that are raised to steps, a TTL that is ignored when a record
 * is created, CAA without flags, and no NS records of the zone itself. The name of an SRV record is derived from its
 * service and protocol, and the sent name is ignored; the part below the zone follows the protocol.
 */
const TOKEN = 'linode-token-0123456789abcdef0123456789abcdef0123456789abcdef';
const STEPS = [30, 120, 300, 3600, 7200, 14400, 28800, 57600, 86400, 172800, 345600, 604800, 1209600, 2419200];

const Fields = z.object({
  type: z.string(),
  name: z.string().default(''),
  target: z.string(),
  ttl_sec: z.number().default(0),
  priority: z.number().nullish(),
  weight: z.number().nullish(),
  port: z.number().nullish(),
  service: z.string().nullish(),
  protocol: z.string().nullish(),
  tag: z.string().nullish(),
});
type Stored = Required<z.infer<typeof Fields>> & { id: number };

const stepOf = (ttl: number): number => (ttl === 0 ? 0 : (STEPS.find((step) => step >= ttl) ?? 2419200));

export const start: StartDouble = async ({ port } = {}) => {
  const zones = new Map<string, { id: number; records: Stored[] }>();
  let ids = 1_000_000;
  const refuse = (status: number, reason: string, field?: string) =>
    new Refused(json(status, { errors: [{ reason, ...(field === undefined ? {} : { field }) }] }));
  const zoneOf = (id = ''): { name: string; records: Stored[] } => {
    for (const [name, zone] of zones) if (String(zone.id) === id) return { name, records: zone.records };
    throw refuse(404, 'Not found');
  };
  const listing = (data: readonly unknown[], query: URLSearchParams) => {
    const page = Number(query.get('page') ?? 1);
    const size = Number(query.get('page_size') ?? 100);
    if (size < 25 || size > 500) throw refuse(400, 'Must be 25-500', 'page_size');
    const cut = pageOf(data, page, size);
    return json(200, { data: cut.items, page, pages: cut.pages, results: data.length });
  };
  const stored = (given: z.infer<typeof Fields>, zone: string): Stored => ({
    id: ids++,
    ...given,
    // Clients may send the absolute name; the zone's part is removed.
    name: given.type === 'SRV' ? srvName(given) : relative(absolute(given.name, zone), zone, ''),
    ttl_sec: stepOf(given.ttl_sec),
    priority: given.priority ?? 0,
    weight: given.weight ?? 0,
    port: given.port ?? 0,
    service: given.service ?? null,
    protocol: given.protocol ?? null,
    tag: given.tag ?? null,
  });
  const check = (record: Stored, others: readonly Stored[]): void => {
    const { type, target, name } = record;
    if (!/^(A|AAAA|CAA|CNAME|MX|NS|PTR|SRV|TXT)$/.test(type)) throw refuse(400, 'Invalid type', 'type');
    if (isBadAddress(type, target)) throw refuse(400, 'Invalid IP address', 'target');
    if (type === 'TXT' && target === '') throw refuse(400, 'TXT value required', 'target');
    if (type === 'SRV' && !record.service) throw refuse(400, 'Service is required', 'service');
    if (type === 'SRV' && !/^(tcp|udp|xmpp|tls|smtp)(\.|$)/.test(record.protocol ?? ''))
      throw refuse(400, "Please select a valid protocol ('udp', 'tcp', 'xmpp', 'tls', 'smtp')", 'protocol');
    const here = others.filter((other) => other.name === name).map((other) => other.type);
    if (breaksCname(type, here) || (type === 'CNAME' && name === ''))
      throw refuse(400, 'Record conflict - CNAMES must be unique', 'name');
  };

  const answer = router(
    {
      'GET /v4/domains': ({ query, request }) => {
        const filter = z
          .object({ domain: z.string().optional() })
          .parse(JSON.parse(request.header('x-filter') ?? '{}'));
        const all = [...zones].filter(([name]) => filter.domain === undefined || filter.domain === name);
        return listing(all.map(shownDomain), query);
      },
      'GET /v4/domains/:id': ({ params }) => {
        const { name } = zoneOf(params['id']);
        return json(200, shownDomain([name, { id: Number(params['id']) }]));
      },
      'GET /v4/domains/:id/records/:rid': ({ params }) => {
        const record = zoneOf(params['id']).records.find(({ id }) => String(id) === params['rid']);
        if (!record) throw refuse(404, 'Not found');
        return json(200, record);
      },
      'GET /v4/domains/:id/records': ({ params, query }) => listing(zoneOf(params['id']).records, query),
      'POST /v4/domains/:id/records': ({ params, json: body }) => {
        const zone = zoneOf(params['id']);
        const given = Fields.safeParse(body);
        if (!given.success) throw refuse(400, 'Invalid request', 'target');
        const record = stored(given.data, zone.name);
        check(record, zone.records);
        // The TTL is ignored at first, as clients of the real API have found.
        zone.records.push({ ...record, ttl_sec: 0 });
        return json(200, { ...record, ttl_sec: 0 });
      },
      'PUT /v4/domains/:id/records/:rid': ({ params, json: body }) => {
        const zone = zoneOf(params['id']);
        const at = zone.records.findIndex(({ id }) => String(id) === params['rid']);
        const before = zone.records[at];
        if (!before) throw refuse(404, 'Not found');
        const given = Fields.partial().parse(body);
        const next: Stored = {
          ...before,
          ...(given as Partial<Stored>),
          ttl_sec: stepOf((body as { ttl_sec?: number }).ttl_sec ?? before.ttl_sec),
        };
        zone.records[at] = { ...next, name: (body as { name?: string }).name ?? before.name };
        return json(200, zone.records[at]);
      },
      'DELETE /v4/domains/:id/records/:rid': ({ params }) => {
        const zone = zoneOf(params['id']);
        const at = zone.records.findIndex(({ id }) => String(id) === params['rid']);
        if (at < 0) throw refuse(404, 'Not found');
        zone.records.splice(at, 1);
        return json(200, {});
      },
    },
    {
      before: (request) => {
        if (request.header('authorization') !== `Bearer ${TOKEN}`) throw refuse(401, 'Invalid Token');
      },
      notFound: () => json(404, { errors: [{ reason: 'Not found' }] }),
    },
  );

  const server = await serveDouble(answer, port);
  return {
    ...server,
    url: `${server.url}/v4`,
    credential: { api_token: TOKEN },
    stranger: { api_token: 'linode-token-of-somebody-else-0123456789abcdef0123456789abcdef' },
    addZone: (name, records = []) => {
      zones.set(name, { id: ids++, records: records.map((seed) => stored(fromSeed(seed), name)) });
    },
    served: (zone) => [
      ...ownServers(zone, ['ns1.linode.com', 'ns2.linode.com']),
      ...(zones.get(zone)?.records ?? []).map((record) => asServed(record, zone)),
    ],
    dump: (zone) => dumpOf((zones.get(zone)?.records ?? []).map(({ id: _, ...record }) => record)),
  };
};

const shownDomain = ([domain, { id }]: readonly [string, { id: number }]) => ({
  id,
  domain,
  type: 'master',
  status: 'active',
  soa_email: 'hostmaster@example.com',
  description: '',
  group: '',
  tags: [],
  ttl_sec: 0,
  refresh_sec: 0,
  retry_sec: 0,
  expire_sec: 0,
  master_ips: [],
  axfr_ips: [],
});

const srvName = ({ service, protocol }: Pick<z.infer<typeof Fields>, 'service' | 'protocol'>): string =>
  `_${service ?? ''}._${protocol ?? ''}`;

function fromSeed({ name, type, ttl, rdata }: SeedRecord): z.infer<typeof Fields> {
  const record = { type, name, ttl_sec: ttl };
  if (type === 'TXT') return { ...record, target: unquoteTxt(rdata) };
  if (type !== 'MX') return { ...record, target: rdata.replace(/\.$/, '') };
  const { priority, rest } = priorityAndRest(rdata);
  return { ...record, target: rest, priority };
}

function asServed(record: Stored, zone: string): ServedRecord {
  const { type, target, ttl_sec, priority, weight, port, tag } = record;
  const rdata: Record<string, string> = {
    TXT: quoteTxt(target),
    MX: `${priority ?? 0} ${target}.`,
    SRV: `${priority ?? 0} ${weight ?? 0} ${port ?? 0} ${target}.`,
    CAA: `0 ${tag ?? ''} "${target}"`,
    CNAME: `${target}.`,
    NS: `${target}.`,
  };
  return { name: absolute(record.name, zone), type, ttl: ttl_sec || 86_400, rdata: rdata[type] ?? target };
}
