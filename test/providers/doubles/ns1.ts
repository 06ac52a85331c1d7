import { createHash } from 'node:crypto';
import { z } from 'zod';
import { quoteTxt, unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import type { SeedRecord } from '../lab.ts';
import { dumpOf, hostOfSeed, type ProviderDouble, type ServedRecord } from './double.ts';
import { json, Refused, router } from './router.ts';
import { serveDouble } from './serve.ts';
import { breaksCname, isBadAddress } from './zone-rules.ts';

/**
 * NS1's zones API. PUT creates a set and refuses an existing one; POST changes a set. The listing of a zone abbreviates
 * values. Listings continue at a Link. Missing things are reported in the message.
 */
const KEY = 'qACMD09OJXBxT7XOwv9v';
const PAGE = 100;

const Answer = z.looseObject({ answer: z.array(z.union([z.string(), z.number()])).min(1) });
const Sent = z.looseObject({
  answers: z.array(Answer).optional(),
  ttl: z.number().int().optional(),
  filters: z.array(z.unknown()).optional(),
});
export interface Ns1Stored {
  id: string;
  zone: string;
  domain: string;
  type: string;
  ttl: number;
  answers: z.infer<typeof Answer>[];
  [setting: string]: unknown;
}
interface StoredZone {
  id: string;
  zone: string;
  link: string | null;
  secondary: { enabled: boolean };
  records: Ns1Stored[];
}

export interface Ns1Double extends ProviderDouble {
  zoneOf(name: string): StoredZone;
}

export const start = async ({ port }: { port?: number } = {}): Promise<Ns1Double> => {
  const zones = new Map<string, StoredZone>();
  let ids = 0;
  const newId = (): string => createHash('sha1').update(String(ids++)).digest('hex').slice(0, 24);

  const refuse = (status: number, message: string) => new Refused(json(status, { message }, LIMITS));
  const zoneOf = (name = ''): StoredZone => {
    const zone = zones.get(name);
    if (!zone) throw refuse(404, 'zone not found');
    return zone;
  };
  const find = (zone: StoredZone, { domain, type }: Record<string, string>): Ns1Stored | undefined =>
    zone.records.find((record) => record.domain === domain && record.type === type);
  const recordOf = (zone: StoredZone, params: Record<string, string>): Ns1Stored => {
    const record = find(zone, params);
    if (!record) throw refuse(404, 'record not found');
    return record;
  };
  const sentIn = (body: unknown): z.infer<typeof Sent> => {
    const given = Sent.safeParse(body);
    if (given.success) return given.data;
    const [issue] = given.error.issues;
    throw refuse(400, `Input validation failed (Value for field '<obj>.${issue?.path.join('.') ?? ''}' is not valid)`);
  };
  const checked = (record: Ns1Stored, others: readonly Ns1Stored[]): Ns1Stored => {
    const invalid = (why: string) => refuse(400, `Input validation failed (${why})`);
    if (!TYPES.test(record.type)) throw invalid(`invalid record type: ${record.type}`);
    if (record.answers.length === 0) throw invalid('a record needs at least one answer');
    if (record.answers.some(({ answer }) => isBadAddress(record.type, String(answer[0]))))
      throw invalid('invalid address');
    if (record.type === 'TXT' && record.answers.some(({ answer }) => answer.join('') === ''))
      throw invalid('a TXT answer needs a value');
    const here = others.filter(({ domain }) => domain === record.domain).map(({ type }) => type);
    if (breaksCname(record.type, here) || (record.type === 'CNAME' && record.domain === record.zone))
      throw invalid('CNAME records cannot coexist with other records of the same name');
    return record;
  };
  const withIds = (answers: readonly z.infer<typeof Answer>[]) =>
    answers.map((answer) => ({ ...answer, id: typeof answer['id'] === 'string' ? answer['id'] : newId() }));
  const stored = (zone: string, domain: string, type: string, sent: z.infer<typeof Sent>): Ns1Stored => ({
    use_client_subnet: true,
    regions: {},
    meta: {},
    link: null,
    filters: [],
    tier: 1,
    networks: [0],
    ...sent,
    id: newId(),
    zone,
    domain,
    type,
    ttl: sent.ttl ?? 3600,
    answers: withIds(sent.answers ?? []),
  });
  const heads = ({ records: _, ...zone }: StoredZone) => ({ ...ZONE, ...zone });

  const answer = router(
    {
      'GET /v1/zones': ({ query, request: { url } }) => {
        const { items, headers } = cut([...zones.values()], query, url);
        return json(200, items.map(heads), headers);
      },
      'GET /v1/zones/:zone': ({ params, query, request: { url } }) => {
        const zone = zoneOf(params['zone']);
        const { items, headers } = cut(zone.records, query, url);
        return json(200, { ...heads(zone), records: items.map(shortOf) }, headers);
      },
      'PUT /v1/zones/:zone': ({ params }) => {
        const name = params['zone'] ?? '';
        if (zones.has(name)) throw refuse(400, 'zone already exists');
        addZone(name);
        return json(200, { ...heads(zoneOf(name)), records: zoneOf(name).records.map(shortOf) }, LIMITS);
      },
      'GET /v1/zones/:zone/:domain/:type': ({ params }) => json(200, recordOf(zoneOf(params['zone']), params), LIMITS),
      'PUT /v1/zones/:zone/:domain/:type': ({ params, json: body }) => {
        const zone = zoneOf(params['zone']);
        const { domain = '', type = '' } = params;
        if (find(zone, params)) throw refuse(400, 'record already exists');
        if (domain !== zone.zone && !domain.endsWith(`.${zone.zone}`))
          throw refuse(400, 'Input validation failed (domain)');
        const record = checked(stored(zone.zone, domain, type, sentIn(body)), zone.records);
        zone.records.push(record);
        return json(200, record, LIMITS);
      },
      'POST /v1/zones/:zone/:domain/:type': ({ params, json: body }) => {
        const zone = zoneOf(params['zone']);
        const before = recordOf(zone, params);
        const { id, zone: name, domain, type } = before;
        const sent = sentIn(body);
        const next = {
          ...before,
          ...sent,
          id,
          zone: name,
          domain,
          type,
          answers: withIds(sent.answers ?? before.answers),
        };
        zone.records[zone.records.indexOf(before)] = checked(next as Ns1Stored, zone.records.filter((one) => one !== before)); // prettier-ignore
        return json(200, next, LIMITS);
      },
      'DELETE /v1/zones/:zone/:domain/:type': ({ params }) => {
        const zone = zoneOf(params['zone']);
        const record = recordOf(zone, params);
        zone.records = zone.records.filter((one) => one !== record);
        return json(200, {}, LIMITS);
      },
      'GET /v1/search': ({ query }) => {
        const words = query.get('q') ?? '';
        const all = [...zones.values()]
          .flatMap(({ records }) => records)
          .filter(({ domain }) => domain.includes(words));
        return json(200, all.map(({ zone, domain, type, ttl }) => ({ zone, domain, type, ttl })), LIMITS); // prettier-ignore
      },
    },
    {
      before: (request) => {
        if (request.header('x-nsone-key') !== KEY) throw refuse(401, 'Unauthorized');
      },
      notFound: () => json(404, { message: 'not found' }),
    },
  );

  function addZone(name: string, seeds: readonly SeedRecord[] = []): void {
    const zone: StoredZone = { id: newId(), zone: name, link: null, secondary: { enabled: false }, records: [] };
    zones.set(name, zone);
    const own = ZONE.dns_servers.map((rdata) => ({ name: '', type: 'NS', ttl: 3600, rdata }));
    for (const seed of [...own, ...seeds]) {
      const [domain, value] = [hostOfSeed(seed, name), { answer: answerOf(seed), id: newId() }];
      const set = find(zone, { domain, type: seed.type });
      if (set) set.answers.push(value);
      else zone.records.push(stored(name, domain, seed.type, { ttl: seed.ttl, answers: [value] }));
    }
  }

  const server = await serveDouble(answer, port);
  return {
    ...server,
    url: `${server.url}/v1`,
    credential: { api_key: KEY },
    stranger: { api_key: 'xYzOfSomebodyElse012' },
    addZone,
    zoneOf,
    served: (zone) => (zones.get(zone)?.records ?? []).flatMap(asServed),
    // One line for each answer, with all settings of its set.
    dump: (zone) =>
      dumpOf(
        (zones.get(zone)?.records ?? []).flatMap(({ id: _, answers, ...set }) =>
          answers.map(({ id: __, ...value }) => ({ ...set, value })),
        ),
      ),
  };
};

const TYPES = /^(A|AAAA|AFSDB|ALIAS|CAA|CNAME|DNAME|DS|HINFO|HTTPS|MX|NAPTR|NS|PTR|RP|SPF|SRV|SVCB|TLSA|TXT|URLFWD)$/;
const LIMITS = {
  'x-ratelimit-by': 'customer',
  'x-ratelimit-limit': '900',
  'x-ratelimit-period': '300',
  'x-ratelimit-remaining': '899',
};
const ZONE = {
  nx_ttl: 3600,
  retry: 7200,
  dnssec: false,
  network_pools: ['p08'],
  primary: { enabled: false, secondaries: [] },
  refresh: 43200,
  expiry: 1209600,
  dns_servers: ['dns1.p08.nsone.net', 'dns2.p08.nsone.net', 'dns3.p08.nsone.net', 'dns4.p08.nsone.net'],
  meta: {},
  serial: 1521989346,
  ttl: 3600,
  hostmaster: 'hostmaster@nsone.net',
  networks: [0],
  pool: 'p08',
};

function cut<T>(
  items: readonly T[],
  query: URLSearchParams,
  url: URL,
): { items: T[]; headers: Record<string, string> } {
  const [from, size] = [Number(query.get('after') ?? 0), Math.min(Number(query.get('limit') ?? PAGE), PAGE)];
  const end = from + size;
  const next = new URL(url);
  next.searchParams.set('after', String(end));
  return {
    items: items.slice(from, end),
    headers: { ...LIMITS, ...(end < items.length && { link: `<${next.href}>; rel="next"` }) },
  };
}

const shortOf = ({ id, domain, type, ttl, tier, link, answers }: Ns1Stored) => ({
  id,
  domain,
  type,
  ttl,
  tier,
  link,
  short_answers: answers.map(({ answer }) => answer.join(' ')),
});

function answerOf({ type, rdata }: SeedRecord): (string | number)[] {
  if (type === 'TXT') return [unquoteTxt(rdata)];
  const words = rdata.split(/\s+/).map((word) => (/^\d+$/.test(word) ? Number(word) : word.replace(/\.$/, '')));
  return type === 'MX' || type === 'SRV' ? words : [rdata.replace(/\.$/, '')];
}

function asServed({ domain, type, ttl, answers }: Ns1Stored): ServedRecord[] {
  return answers.map(({ answer }) => {
    const words = answer.map(String);
    const [flags = '', tag = '', value = ''] = words;
    const isTarget = /^(CNAME|NS|MX|SRV|ALIAS)$/.test(type);
    const rdata = type === 'TXT' ? quoteTxt(words.join('')) : type === 'CAA' ? `${flags} ${tag} "${value}"` : words.join(' '); // prettier-ignore
    return { name: domain, type, ttl, rdata: isTarget ? `${rdata}.` : rdata };
  });
}
