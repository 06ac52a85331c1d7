import { isIP } from 'node:net';
import { z } from 'zod';
import { fromRelative } from '../../../src/providers/toolkit/names.ts';
import { quoteTxt, unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import type { SeedRecord } from '../lab.ts';
import { counted, type RequestLimit } from './counted.ts';
import { dumpOf, type ServedRecord, type StartDouble } from './double.ts';
import { empty, json, pageOf, Refused, type Routed, router } from './router.ts';
import { serveDouble } from './serve.ts';

/**
 * DigitalOcean's domains API. Names are relative, with `@` for the zone. Targets lose their trailing dot, and the
 * zone's own name becomes `@`. The same value can be created twice. Every invalid record is a 422 with a sentence.
 */
const TOKEN = 'dop_v1_0123456789abcdef0123456789abcdef';
const LIMIT: RequestLimit = {
  count: 5_000,
  seconds: 3_600,
  refuse: ({ resetAt }) =>
    json(
      429,
      { id: 'too_many_requests', message: 'API Rate limit exceeded.' },
      { 'ratelimit-limit': '5000', 'ratelimit-remaining': '0', 'ratelimit-reset': resetAt },
    ),
};

interface DoStored {
  id: number;
  type: string;
  name: string;
  data: string;
  priority: number | null;
  port: number | null;
  ttl: number;
  weight: number | null;
  flags: number | null;
  tag: string | null;
}

const NewRecord = z.object({
  type: z.string(),
  name: z.string().default('@'),
  data: z.string(),
  ttl: z.number().default(1800),
  priority: z.number().nullish(),
  port: z.number().nullish(),
  weight: z.number().nullish(),
  flags: z.number().nullish(),
  tag: z.string().nullish(),
});

export const start: StartDouble = async ({ port, counts } = {}) => {
  const zones = new Map<string, DoStored[]>();
  let ids = 90_000_000;

  const refuse = (status: number, id: string, message: string) => new Refused(json(status, { id, message }));
  const missing = () => refuse(404, 'not_found', 'The resource you were accessing could not be found.');
  const zoneOf = (name: string): DoStored[] => {
    const zone = zones.get(name);
    if (!zone) throw missing();
    return zone;
  };
  const stored = (zone: string, given: z.infer<typeof NewRecord>): DoStored => {
    const undotted = isHost(given.type) ? given.data.replace(/\.$/, '') : given.data;
    const data = isHost(given.type) && given.type !== 'CAA' ? undotted.toLowerCase() : undotted;
    const name = fromRelative(given.name, zone);
    return {
      id: ids++,
      type: given.type,
      name: name === zone ? '@' : name.slice(0, -(zone.length + 1)),
      data: isHost(given.type) && given.type !== 'CAA' && data === zone ? '@' : data,
      priority: given.priority ?? null,
      port: given.port ?? null,
      ttl: given.ttl,
      weight: given.weight ?? null,
      flags: given.flags ?? null,
      tag: given.tag ?? null,
    };
  };
  const listing = (key: string, items: readonly unknown[], query: URLSearchParams, path: string) => {
    const page = Number(query.get('page') ?? 1);
    const size = Math.min(Number(query.get('per_page') ?? 20), 200);
    const cut = pageOf(items, page, size);
    const link = (to: number) => `https://api.digitalocean.com/v2${path}?page=${to}&per_page=${size}`;
    const pages = cut.pages === 1 ? {} : page < cut.pages ? { next: link(page + 1), last: link(cut.pages) } : { first: link(1), prev: link(page - 1) }; // prettier-ignore
    return json(200, { [key]: cut.items, links: { pages }, meta: { total: items.length } });
  };

  const update = ({ params: { zone = '', id }, json: body }: Routed) => {
    const records = zoneOf(zone);
    const at = records.findIndex((record) => String(record.id) === id);
    const before = records[at];
    if (!before) throw missing();
    // Fields that are not sent stay unchanged.
    const data = isHost(before.type) ? `${before.data}.` : before.data;
    const given = NewRecord.safeParse({ ...before, data, ...(body as object) });
    if (!given.success) throw refuse(422, 'unprocessable_entity', 'Record type and data are required.');
    const next = { ...stored(zone, given.data), id: before.id };
    check(next, given.data.data, zone, records.filter((record) => record !== before)); // prettier-ignore
    records[at] = next;
    return json(200, { domain_record: next });
  };

  const answer = router(
    {
      'GET /domains': ({ query }) =>
        listing('domains', [...zones.keys()].map((name) => ({ name, ttl: 1800, zone_file: '' })), query, '/domains'), // prettier-ignore
      'GET /domains/:zone': ({ params: { zone = '' } }) => {
        zoneOf(zone);
        return json(200, { domain: { name: zone, ttl: 1800, zone_file: '' } });
      },
      'GET /domains/:zone/records': ({ params: { zone = '' }, query }) => {
        const [name, type] = [query.get('name'), query.get('type')];
        const records = zoneOf(zone).filter(
          (record) =>
            (name === null || fromRelative(record.name, zone) === name) && (type === null || record.type === type),
        );
        return listing('domain_records', records, query, `/domains/${zone}/records`);
      },
      'POST /domains/:zone/records': ({ params: { zone = '' }, json: body }) => {
        const records = zoneOf(zone);
        const given = NewRecord.safeParse(body);
        if (!given.success) throw refuse(422, 'unprocessable_entity', 'Record type and data are required.');
        const record = stored(zone, given.data);
        check(record, given.data.data, zone, records);
        records.push(record);
        return json(201, { domain_record: record });
      },
      'GET /domains/:zone/records/:id': ({ params: { zone = '', id } }) => {
        const record = zoneOf(zone).find((one) => String(one.id) === id);
        if (!record) throw missing();
        return json(200, { domain_record: record });
      },
      'PUT /domains/:zone/records/:id': (routed) => update(routed),
      'PATCH /domains/:zone/records/:id': (routed) => update(routed),
      'DELETE /domains/:zone/records/:id': ({ params: { zone = '', id } }) => {
        const records = zoneOf(zone);
        const at = records.findIndex((record) => String(record.id) === id);
        if (at < 0) throw missing();
        records.splice(at, 1);
        return empty(204);
      },
    },
    {
      before: (request) => {
        if (request.header('authorization') !== `Bearer ${TOKEN}`)
          throw refuse(401, 'unauthorized', 'Unable to authenticate you');
      },
      notFound: () => missing().answer,
    },
  );

  function check(record: DoStored, sent: string, zone: string, others: readonly DoStored[]): void {
    const invalid = (message: string) => refuse(422, 'unprocessable_entity', message);
    if (!/^(A|AAAA|CAA|CNAME|MX|NS|SRV|TXT)$/.test(record.type)) throw invalid('Type is not included in the list');
    if (record.ttl < 30) throw invalid('TTL must be greater than or equal to 30');
    if (record.type === 'A' && isIP(record.data) !== 4) throw invalid('IP address did not match IPv4 format.');
    if (record.type === 'AAAA' && isIP(record.data) !== 6) throw invalid('IP address did not match IPv6 format.');
    if (
      record.type === 'TXT' &&
      (record.data === '' || quoteTxt(record.data).length > 512 || record.data.includes('\\'))
    )
      throw invalid('Data is invalid for a TXT record.');
    if (record.type === 'CAA' && /\s/.test(record.data)) throw invalid('Data is invalid for a CAA record.');
    // Public clients send a CAA issuer with and without a dot.
    if (['CNAME', 'MX', 'NS', 'SRV'].includes(record.type) && !sent.endsWith('.'))
      throw invalid('Data needs to end with a dot (.)');
    if (record.type === 'MX' && record.priority === null) throw invalid("Priority can't be blank.");
    if (record.type === 'CNAME' && record.name === '@')
      throw invalid('CNAME records cannot share a name with other records');
    const here = others.filter(({ name }) => name === record.name);
    if (here.length > 0 && (record.type === 'CNAME' || here.some(({ type }) => type === 'CNAME')))
      throw invalid('CNAME records cannot share a name with other records');
    if (!fromRelative(record.name, zone).endsWith(zone)) throw invalid('Name is invalid');
  }

  const prefixed = (request: Parameters<typeof answer>[0]) => {
    const url = new URL(request.url);
    url.pathname = url.pathname.replace(/^\/v2(?=\/)/, '');
    return answer({ ...request, url });
  };
  const server = await serveDouble(counts ? counted(prefixed, LIMIT) : prefixed, port);
  return {
    ...server,
    url: `${server.url}/v2`,
    credential: { api_token: TOKEN },
    stranger: { api_token: 'dop_v1_of_somebody_else_entirely' },
    addZone: (name, records = []) => {
      const own = ['ns1', 'ns2', 'ns3'].map((server) => ({
        type: 'NS',
        name: '@',
        data: `${server}.digitalocean.com`,
        ttl: 1800,
      }));
      zones.set(
        name,
        [...own, ...records.map(fromSeed)].map((record) => stored(name, record)),
      );
    },
    served: (zone) => (zones.get(zone) ?? []).map((record) => asServed(record, zone)),
    dump: (zone) => dumpOf((zones.get(zone) ?? []).map(({ id: _, ...record }) => record)),
  };
};

const isHost = (type: string): boolean => ['CNAME', 'MX', 'NS', 'SRV', 'CAA'].includes(type);

/** Seeds are zone-file lines; the API has separate fields for their parts. */
function fromSeed({ name, type, ttl, rdata }: SeedRecord): z.infer<typeof NewRecord> {
  const words = rdata.split(/\s+/);
  const record = { type, name: name === '' ? '@' : name, ttl };
  if (type === 'TXT') return { ...record, data: unquoteTxt(rdata) };
  if (type === 'MX') return { ...record, priority: Number(words[0]), data: words[1] ?? '' };
  return { ...record, data: rdata.replace(/\.$/, '') };
}

function asServed({ name, type, ttl, data, priority, weight, port, flags, tag }: DoStored, zone: string): ServedRecord {
  const target = data === '@' ? `${zone}.` : `${data}.`;
  const rdata: Record<string, string> = {
    TXT: quoteTxt(data),
    MX: `${priority ?? 0} ${target}`,
    SRV: `${priority ?? 0} ${weight ?? 0} ${port ?? 0} ${target}`,
    CAA: `${flags ?? 0} ${tag ?? ''} "${data}"`,
    CNAME: target,
    NS: target,
  };
  return { name: fromRelative(name, zone), type, ttl, rdata: rdata[type] ?? data };
}
