import { createHash } from 'node:crypto';
import { z } from 'zod';
import { absolute } from '../../../src/providers/toolkit/names.ts';
import { quoteTxt, unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import type { SeedRecord } from '../lab.ts';
import { dumpOf, type ProviderDouble, type ServedRecord } from './double.ts';
import { json, Refused, type Routed, router } from './router.ts';
import { type DoubleRequest, serveDouble } from './serve.ts';
import { breaksCname, isBadAddress, priorityAndRest } from './zone-rules.ts';

/**
 * Vercel's domains API: listings newest first, with a time as the next marker even on the last page, system records
 * that can be overridden and not removed, SRV by its parts only, and no NS records at the apex. Its domains belong to a
 * team, so every request must name the team.
 */
const TOKEN = 'vercel_token_0123456789ABCDEF';
const USER = 'rx5Jv1UNgWHvquEx7wuQYFBp';
const SERVERS = ['ns1.vercel-dns.com', 'ns2.vercel-dns.com'];
export const TEAM = 'team_0123456789abcdef';
const TEAM_SLUG = 'the-team';

const Srv = z.object({ priority: z.number(), weight: z.number(), port: z.number(), target: z.string() });
const Https = z.object({ priority: z.number(), target: z.string(), params: z.string().nullish() });
const Sent = z.object({
  name: z.string().nullish(),
  type: z.string(),
  value: z.string().nullish(),
  ttl: z.number().int().nullish(),
  mxPriority: z.number().nullish(),
  srv: Srv.nullish(),
  https: Https.nullish(),
  comment: z.string().nullish(),
});
export interface VercelStored {
  id: string;
  name: string;
  type: string;
  value: string;
  ttl: number;
  mxPriority?: number | undefined;
  priority?: number | undefined;
  creator: string;
  created: number;
  comment?: string | undefined;
}
interface StoredDomain {
  id: string;
  createdAt: number;
  records: VercelStored[];
}

export interface VercelDouble extends ProviderDouble {
  recordsOf(zone: string): VercelStored[];
}

export const start = async ({ port }: { port?: number } = {}): Promise<VercelDouble> => {
  const domains = new Map<string, StoredDomain>();
  let count = 0;
  const newId = (): string => createHash('sha1').update(String(count)).digest('hex').slice(0, 24);
  const newTime = (): number => 1_628_537_900_675 + ++count;

  const refuse = (status: number, code: string, message: string, more: object = {}) =>
    new Refused(json(status, { error: { code, message, ...more } }));
  /** Returns the domains that a request sees: those of its team or, without a team, of the user, who has none. */
  const domainsOf = (request: DoubleRequest): ReadonlyMap<string, StoredDomain> =>
    teamIn(request) === TEAM ? domains : new Map();
  const domainOf = ({ params, request }: Routed): StoredDomain => {
    const name = params['zone'] ?? '';
    const domain = domainsOf(request).get(name);
    if (!domain) throw refuse(404, 'not_found', `Domain name \`${name}\` not found`, { name });
    return domain;
  };
  const owner = ({ params, request }: Routed): { zone: string; record: VercelStored; domain: StoredDomain } => {
    for (const [zone, domain] of domainsOf(request)) {
      const record = domain.records.find((one) => one.id === params['id']);
      if (record) return { zone, record, domain };
    }
    throw refuse(404, 'not_found', 'The DNS record was not found');
  };
  const stored = (sent: z.infer<typeof Sent>, creator = USER): VercelStored => {
    const parts = partsOf(sent);
    return {
      created: newTime(),
      id: `rec_${newId()}`,
      name: (sent.name ?? '').replace(/^@$/, ''),
      type: sent.type,
      value: parts?.value ?? sent.value ?? '',
      ttl: sent.ttl ?? 60,
      creator,
      ...(sent.mxPriority != null && { mxPriority: sent.mxPriority }),
      ...(parts && { priority: parts.priority }),
      ...(sent.comment != null && { comment: sent.comment }),
    };
  };
  const check = (sent: z.infer<typeof Sent>, record: VercelStored, others: readonly VercelStored[]): void => {
    const { type, name, value, ttl } = record;
    const bad = (message: string) => refuse(400, 'bad_request', `Invalid request: ${message}`);
    if (!TYPES.test(type)) throw bad('`type` should be equal to one of the allowed values');
    const isByParts = type === 'SRV' || type === 'HTTPS';
    if (isByParts && sent.value != null) throw bad('should NOT have additional property `value`.');
    if (isByParts ? record.priority === undefined : value === '')
      throw bad(`missing required property \`${isByParts ? type.toLowerCase() : 'value'}\`.`);
    if (type === 'MX' && record.mxPriority === undefined) throw bad('missing required property `mxPriority`.');
    if (ttl < 60) throw bad('`ttl` should be >= 60.');
    if (isBadAddress(type, value)) throw refuse(400, 'invalid_value', `The value ${value} is not a valid address.`);
    if (type === 'NS' && name === '')
      throw refuse(
        400,
        'invalid_name',
        'Cannot set NS records at the root level. Only subdomain NS records are supported',
      );
    if (type === 'CAA' && /;/.test(value))
      throw refuse(400, 'invalid_value', 'Unexpected "cansignhttpexchanges" value.');
    const here = others.filter((other) => other.name === name && other.creator !== 'system');
    if (here.some((other) => other.type === type && other.value === value))
      throw refuse(409, 'dup_record', 'A record with the same name, type and value already exists');
    if (
      breaksCname(
        type,
        here.map((other) => other.type),
      ) ||
      (type === 'CNAME' && name === '')
    )
      // prettier-ignore
      throw refuse(409, 'record_conflict', 'A CNAME record cannot coexist with another record of the same name');
  };
  const newestFirst = <T extends { created: number }>(items: readonly T[], query: URLSearchParams) => {
    const until = Number(query.get('until') ?? Number.MAX_SAFE_INTEGER);
    const limit = Number(query.get('limit') ?? 20);
    if (limit > 100) throw refuse(400, 'bad_request', 'Invalid request: `limit` should be <= 100.');
    const page = items
      .filter(({ created }) => created < until)
      .sort((a, b) => b.created - a.created)
      .slice(0, limit);
    const pagination = { count: page.length, next: page.at(-1)?.created ?? null, prev: page[0]?.created ?? null };
    return { page, pagination };
  };
  const domainJson = (name: string, { id, createdAt }: StoredDomain) => ({
    boughtAt: null,
    configVerifiedAt: null,
    createdAt,
    expiresAt: null,
    id,
    name,
    nsVerifiedAt: null,
    serviceType: 'zeit.world',
    transferredAt: null,
    txtVerifiedAt: null,
    verificationRecord: '3bhJ7Zwugm',
    cdnEnabled: true,
    verified: true,
    echMode: 'auto',
    teamId: null,
    userId: USER,
    nameservers: SERVERS,
    intendedNameservers: SERVERS,
    creator: { id: USER, customerId: 'cus_0', email: 'tester@example.com', username: 'tester', name: 'tester' },
    zone: true,
    suffix: false,
  });
  const recordJson = (record: VercelStored, zone: string) => ({
    ...record,
    slug: record.creator === 'system' ? '' : `${absolute(record.name, zone)}.-${record.type}-${record.value}`,
    updated: record.created,
    createdAt: record.created,
    updatedAt: record.created,
  });

  const list = (routed: Routed) => {
    const zone = routed.params['zone'] ?? '';
    const { page, pagination } = newestFirst(domainOf(routed).records, routed.query);
    return json(200, { records: page.map((record) => recordJson(record, zone)), pagination });
  };
  const create = (routed: Routed) => {
    const { records } = domainOf(routed);
    const sent = Sent.safeParse(routed.json);
    if (!sent.success) throw refuse(400, 'bad_request', 'Invalid request: missing required property `type`.');
    const record = stored(sent.data);
    check(sent.data, record, records);
    records.push(record);
    return json(200, { uid: record.id, updated: record.created });
  };
  const update = (routed: Routed) => {
    const { zone, record: before, domain } = owner(routed);
    const sent = Sent.omit({ type: true }).safeParse(routed.json).data ?? {};
    const { value, ttl, mxPriority, comment } = sent;
    const parts = partsOf(sent);
    const next: VercelStored = {
      ...before,
      name: sent.name ?? before.name,
      value: parts?.value ?? value ?? before.value,
      ttl: ttl ?? before.ttl,
      ...(parts && { priority: parts.priority }),
      ...(mxPriority != null && { mxPriority }),
      ...(comment != null && { comment }),
    };
    check({ ...sent, type: before.type }, next, domain.records.filter((one) => one !== before)); // prettier-ignore
    domain.records[domain.records.indexOf(before)] = next;
    return json(200, { ...recordJson(next, zone), domain: zone, recordType: next.type, type: 'record' });
  };
  const answer = router(
    {
      'GET /v5/domains': ({ query, request }) => {
        const all = [...domainsOf(request)].map(([name, domain]) => ({ name, domain, created: domain.createdAt }));
        const { page, pagination } = newestFirst(all, query);
        return json(200, { domains: page.map(({ name, domain }) => domainJson(name, domain)), pagination });
      },
      'GET /v5/domains/:zone': (routed) =>
        json(200, { domain: domainJson(routed.params['zone'] ?? '', domainOf(routed)) }),
      'GET /v4/domains/:zone/records': list,
      'GET /v5/domains/:zone/records': list,
      'POST /v2/domains/:zone/records': create,
      'POST /v4/domains/:zone/records': create,
      'PATCH /v1/domains/records/:id': update,
      'PATCH /v4/domains/records/:id': update,
      'DELETE /v2/domains/:zone/records/:id': (routed) => {
        const domain = domainOf(routed);
        const { record } = owner(routed);
        if (record.creator === 'system') throw refuse(403, 'forbidden', 'System records cannot be removed');
        domain.records = domain.records.filter((one) => one !== record);
        return json(200, {});
      },
    },
    {
      before: (request) => {
        if (request.header('authorization') !== `Bearer ${TOKEN}`)
          throw refuse(403, 'forbidden', 'Not authorized', { invalidToken: true });
        const team = teamIn(request);
        if (team !== undefined && team !== TEAM) throw refuse(403, 'forbidden', 'Not authorized: Trying to access resource under another scope'); // prettier-ignore
      },
      notFound: () => json(404, { error: { code: 'not_found', message: 'The requested API endpoint was not found.' } }),
    },
  );

  const recordsOf = (name: string): VercelStored[] => domains.get(name)?.records ?? [];
  return {
    ...(await serveDouble(answer, port)),
    credential: { api_token: TOKEN, team_id: TEAM },
    stranger: { api_token: 'vercel_token_of_somebody_else', team_id: TEAM },
    addZone: (name, seeds = []) => {
      const own = SYSTEM.map((record) => stored(record, 'system'));
      const records = [...own, ...seeds.map((seed) => stored(fromSeed(seed)))];
      domains.set(name, { id: newId(), createdAt: newTime(), records });
    },
    recordsOf,
    served: (zone) => [
      ...SERVERS.map((server) => ({ name: zone, type: 'NS', ttl: 3600, rdata: `${server}.` })),
      ...recordsOf(zone)
        .filter((record, _, all) => record.creator !== 'system' || !isOverridden(record, all))
        .map((record) => asServed(record, zone)),
    ],
    // The creation time is not part of a record's content, like the id: a record that was put back has a new one.
    dump: (zone) => dumpOf(recordsOf(zone).map(({ id: _, created: __, ...record }) => record)),
  };
};

/** Returns the id of the team that a request names by id or by slug; another slug is its own id. */
function teamIn({ url }: DoubleRequest): string | undefined {
  const slug = url.searchParams.get('slug') ?? undefined;
  return url.searchParams.get('teamId') ?? (slug === TEAM_SLUG ? TEAM : slug);
}

/** SRV and HTTPS are sent in parts and returned as one text and a priority. */
function partsOf({ srv, https }: Pick<z.infer<typeof Sent>, 'srv' | 'https'>) {
  if (srv) return { priority: srv.priority, value: `${srv.weight} ${srv.port} ${srv.target}` };
  return https ? { priority: https.priority, value: `${https.target} ${https.params ?? ''}`.trim() } : undefined;
}

const TYPES = /^(A|AAAA|ALIAS|CAA|CNAME|HTTPS|MX|NS|SRV|TXT)$/;
const SYSTEM: readonly z.infer<typeof Sent>[] = [
  { name: '', type: 'CAA', value: '0 issue "letsencrypt.org"' },
  { name: '', type: 'ALIAS', value: 'cname.vercel-dns-017.com.' },
  { name: '*', type: 'ALIAS', value: 'cname.vercel-dns-017.com.' },
];

const isPointer = ({ type }: VercelStored): boolean => /^(A|AAAA|ALIAS|CNAME)$/.test(type);
const isOverridden = (record: VercelStored, all: readonly VercelStored[]): boolean =>
  all.some(
    (other) =>
      other.creator !== 'system' &&
      other.name === record.name &&
      (other.type === record.type || (isPointer(other) && isPointer(record))),
  );

function fromSeed({ name, type, ttl, rdata }: SeedRecord): z.infer<typeof Sent> {
  const record = { name, type, ttl };
  if (type === 'TXT') return { ...record, value: unquoteTxt(rdata) };
  if (type !== 'MX') return { ...record, value: rdata.replace(/\.$/, '') };
  const { priority, rest } = priorityAndRest(rdata);
  return { ...record, value: rest, mxPriority: priority };
}

function asServed({ name, type, ttl, value, mxPriority, priority }: VercelStored, zone: string): ServedRecord {
  const target = `${value.replace(/\.$/, '')}.`;
  const rdata: Record<string, string> = {
    TXT: quoteTxt(value),
    MX: `${mxPriority ?? 0} ${target}`,
    SRV: `${priority ?? 0} ${target}`,
    CNAME: target,
    ALIAS: target,
    NS: target,
  };
  return { name: absolute(name, zone), type, ttl, rdata: rdata[type] ?? value };
}
