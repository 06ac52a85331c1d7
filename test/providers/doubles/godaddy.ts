import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { absolute } from '../../../src/providers/toolkit/names.ts';
import { quoteTxt, unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import type { SeedRecord } from '../lab.ts';
import { dumpOf, type ServedRecord, type StartDouble } from './double.ts';
import { empty, json, pageOf, Refused, type Routed, router } from './router.ts';
import { serveDouble } from './serve.ts';
import { breaksCname, isBadAddress, priorityAndRest } from './zone-rules.ts';

/**
 * GoDaddy's Domains API, version 3. Ids are derived from the content of a record and contain characters that must be
 * encoded. A duplicate value is refused. NS records cannot be written. The undocumented PUT answers 200 and leaves only
 * the zone's own records and the sent one.
 */
const TOKEN = 'gd_pat_0123456789abcdef0123456789abcdef';
const SERVERS = ['ns01.domaincontrol.com', 'ns02.domaincontrol.com'];
const PAGE_SIZE_MAX = 100;

const Given = z.object({
  name: z.string().min(1),
  type: z.string(),
  data: z.string().min(1).max(512),
  ttl: z.number().min(600).max(86_400),
  priority: z.number().min(0).max(65_535).nullish(),
  weight: z.number().nullish(),
  port: z.number().nullish(),
  service: z.string().nullish(),
  protocol: z.string().nullish(),
  flag: z.number().min(0).max(255).nullish(),
  tag: z.string().nullish(),
});
type Stored = z.infer<typeof Given>;

export const start = async ({ port }: { port?: number } = {}) => {
  const zones = new Map<string, Stored[]>();
  const isProtected = new Set<string>();
  const refuse = (status: number, name: string, message: string, field?: string) =>
    new Refused(
      json(status, {
        name,
        message,
        correlationId: randomUUID(),
        details: field === undefined ? [] : [{ issue: name, description: message, field, location: 'body' }],
        links: [],
      }),
    );
  const zoneOf = ({ params }: Routed): { name: string; records: Stored[] } => {
    const name = (params['zone'] ?? '').toLowerCase();
    const records = zones.get(name);
    if (!records) throw refuse(404, 'NOT_FOUND', `The zone ${name} was not found.`);
    return { name, records };
  };
  const recordOf = (routed: Routed) => {
    const zone = zoneOf(routed);
    const record = zone.records.find((one) => idOf(one) === routed.params['id']);
    if (!record) throw refuse(404, 'NOT_FOUND', 'The DNS record was not found.');
    if (isSystem(record)) throw refuse(409, 'dns_record_not_mutable', 'This record is managed by GoDaddy.');
    return { zone, record };
  };
  const sizeOf = (query: URLSearchParams): number => {
    const size = Number(query.get('pageSize') ?? 25);
    if (!(size >= 1 && size <= PAGE_SIZE_MAX)) throw refuse(400, 'INVALID_VALUE', 'pageSize must be 1 to 100.');
    return size;
  };
  /** Returns a function that leaves only the requested fields of a record. */
  const fieldsIn = (query: URLSearchParams) => {
    const names = query.get('fields')?.split(',');
    const unknown = names?.find((name) => name !== 'recordId' && !Object.hasOwn(Given.shape, name));
    if (unknown !== undefined) throw refuse(400, 'INVALID_VALUE', `fields: ${unknown} is not a field of a record.`);
    return (record: object) =>
      Object.fromEntries(Object.entries(record).filter(([name]) => names === undefined || names.includes(name)));
  };
  const checked = (body: unknown, zone: string, others: readonly Stored[]): Stored => {
    const given = Given.safeParse(body);
    if (!given.success) {
      const [issue] = given.error.issues;
      throw refuse(422, 'INVALID_BODY', issue?.message ?? 'The body is invalid.', issue?.path.join('.'));
    }
    const record = given.data;
    const { type, data, priority, service, protocol, tag } = record;
    const invalid = (message: string, field: string) => refuse(422, 'INVALID_VALUE', message, field);
    if (!/^(A|AAAA|ALIAS|CAA|CNAME|MX|SRV|TXT)$/.test(type)) throw invalid(`${type} cannot be created.`, 'type');
    if (isBadAddress(type, data)) throw invalid('The address is invalid.', 'data');
    if (/^(MX|SRV)$/.test(type) && priority == null) throw invalid('priority is required.', 'priority');
    if (type === 'SRV' && !(service?.startsWith('_') && protocol?.startsWith('_')))
      throw invalid('service and protocol are required and begin with an underscore.', 'service');
    if (type === 'CAA' && tag == null) throw invalid('tag is required.', 'tag');
    const here = others.filter((other) => hostOf(other, zone) === hostOf(record, zone));
    if (here.some((other) => idOf(other) === idOf(record)))
      throw refuse(409, 'DUPLICATE_RECORD', 'Another record with the same attributes already exists');
    if (
      breaksCname(
        type,
        here.map((other) => other.type),
      ) ||
      (type === 'CNAME' && record.name === '@')
    )
      // prettier-ignore
      throw refuse(409, 'RECORD_CONFLICT', 'A CNAME record cannot share its name with other records.', 'name');
    return record;
  };
  const shown = (record: Stored) => ({ recordId: idOf(record), ...record });
  const domainOf = (domain: string) => ({
    domain,
    status: 'ACTIVE',
    nameServers: SERVERS,
    autoRenew: true,
    privacy: false,
    transferLock: true,
    createdAt: '2026-01-01T00:00:00Z',
    expiresAt: '2027-01-01T00:00:00Z',
    links: [],
  });

  const path = '/v3/domains/zones/:zone/dns-records';
  const answer = router(
    {
      'GET /v3/domains/check-availability': ({ query }) =>
        json(200, { domain: query.get('domain'), available: !zones.has(query.get('domain') ?? ''), definitive: false }),
      'GET /v3/domains/domain-names': ({ query, request }) => {
        const size = sizeOf(query);
        const from = Number(Buffer.from(query.get('pageToken') ?? '', 'base64url').toString() || 0);
        const names = [...zones.keys()];
        const token = Buffer.from(String(from + size)).toString('base64url');
        const next = `${request.url.origin}/v3/domains/domain-names?pageSize=${size}&pageToken=${token}`;
        const links = from + size < names.length ? [{ rel: 'next', href: next }] : [];
        return json(200, { items: names.slice(from, from + size).map(domainOf), links });
      },
      'GET /v3/domains/domain-names/:zone': (routed) => json(200, domainOf(zoneOf(routed).name)),
      [`GET ${path}`]: (routed) => {
        const { query } = routed;
        const zone = zoneOf(routed);
        const [name, type] = [query.get('name'), query.get('type')];
        const found = zone.records.filter(
          (record) =>
            (name === null || hostOf(record, zone.name) === absolute(name, zone.name)) &&
            (type === null || record.type === type),
        );
        const page = Number(query.get('page') ?? 1);
        const cut = pageOf(found, page, sizeOf(query));
        const next = new URL(routed.request.url);
        next.searchParams.set('page', String(page + 1));
        const shape = fieldsIn(query);
        const counted = query.get('totalRequired') === 'true' && found.length > 0;
        return json(200, {
          items: found.length === 0 ? null : cut.items.map((record) => shape(shown(record))),
          links: [
            { rel: 'self', href: routed.request.url.href },
            ...(page < cut.pages ? [{ rel: 'next', href: next.href }] : []),
          ],
          ...(counted ? { totalItems: found.length, totalPages: cut.pages } : {}),
        });
      },
      [`POST ${path}`]: (routed) => {
        const zone = zoneOf(routed);
        const record = checked(routed.json, zone.name, zone.records);
        zone.records.push(isProtected.has(zone.name) ? { ...record, data: '' } : record);
        return json(201, shown(record));
      },
      [`GET ${path}/:id`]: (routed) => json(200, shown(recordOf(routed).record)),
      [`PUT ${path}/:id`]: (routed) => {
        const zone = zoneOf(routed);
        const record = checked(routed.json, zone.name, []);
        zone.records.splice(0, zone.records.length, ...zone.records.filter(isSystem), record);
        return json(200, shown(record));
      },
      [`DELETE ${path}/:id`]: (routed) => {
        const { zone, record } = recordOf(routed);
        zone.records.splice(zone.records.indexOf(record), 1);
        return empty(204);
      },
    },
    {
      before: (request) => {
        if (request.header('authorization') !== `Bearer ${TOKEN}`)
          throw refuse(401, 'UNABLE_TO_AUTHENTICATE', 'Unauthorized : Could not authenticate API key/secret');
      },
      notFound: () => refuse(404, 'NOT_FOUND', 'There is no such resource.').answer,
    },
  );

  return {
    ...(await serveDouble(answer, port)),
    credential: { personal_access_token: TOKEN },
    stranger: { personal_access_token: 'gd_pat_of_somebody_else_0123456789abcdef' },
    /** Turns on Domain Protection: a sent record is accepted, and a record without data is stored in its place. */
    protect: (zone: string) => void isProtected.add(zone),
    addZone: (name: string, records: readonly SeedRecord[] = []) => {
      const own = SERVERS.map((data) => ({ name: '@', type: 'NS', data, ttl: 3_600 }));
      const connect = {
        name: '_domainconnect',
        type: 'CNAME',
        data: '_domainconnect.gd.domaincontrol.com',
        ttl: 3_600,
      };
      zones.set(name, [...own, connect, ...records.map(fromSeed)]);
    },
    served: (zone: string) => (zones.get(zone) ?? []).map((record) => asServed(record, zone)),
    dump: (zone: string) => dumpOf(zones.get(zone) ?? []),
  };
};
start satisfies StartDouble;

const isSystem = ({ type }: Stored): boolean => type === 'NS';

/** Real ids contain brackets at the apex. */
const idOf = ({ ttl: _, ...record }: Stored): string => {
  const digest = createHash('sha256')
    .update(dumpOf([record]).join())
    .digest('base64');
  return `${record.type}[${record.name}]${digest}`;
};

const hostOf = ({ name, service, protocol }: Stored, zone: string): string =>
  absolute([service, protocol, name].filter((part) => part != null && part !== '@').join('.'), zone);

function fromSeed({ name, type, ttl, rdata }: SeedRecord): Stored {
  const record = { name: name === '' ? '@' : name, type, ttl };
  if (type === 'TXT') return { ...record, data: unquoteTxt(rdata) };
  if (type !== 'MX') return { ...record, data: rdata.replace(/\.$/, '') };
  const { priority, rest } = priorityAndRest(rdata);
  return { ...record, data: rest, priority };
}

function asServed(record: Stored, zone: string): ServedRecord {
  const { type, ttl, data, priority, weight, port, flag, tag } = record;
  const target = data === '@' ? `${zone}.` : `${data.replace(/\.$/, '')}.`;
  const rdata: Record<string, string> = {
    TXT: quoteTxt(data),
    MX: `${priority ?? 0} ${target}`,
    SRV: `${priority ?? 0} ${weight ?? 0} ${port ?? 0} ${target}`,
    CAA: `${flag ?? 0} ${tag ?? ''} "${data}"`,
    CNAME: target,
    ALIAS: target,
    NS: target,
  };
  return { name: hostOf(record, zone), type, ttl, rdata: rdata[type] ?? data };
}
