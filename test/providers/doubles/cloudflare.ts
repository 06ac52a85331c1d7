import { randomUUID } from 'node:crypto';
import { quoteTxt, unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import type { SeedRecord } from '../lab.ts';
import { recordFilter } from './cloudflare-filter.ts';
import { counted, type RequestLimit } from './counted.ts';
import { dumpOf, hostOfSeed, type DoubleOptions, type StartDouble } from './double.ts';
import { json, pageOf, Refused, type Routed, router } from './router.ts';
import { type Answer, type DoubleRequest, type DoubleServer, serveDouble } from './serve.ts';
import { isBadAddress, priorityAndRest } from './zone-rules.ts';

/**
 * Cloudflare's DNS API as documented. It stores zones and records, checks tokens and input, pages, refuses with
 * Cloudflare's error numbers, and makes a batch completely or not at all.
 */
export interface CloudflareDouble extends DoubleServer {
  tokens: Map<string, 'edit' | 'read'>;
  addZone(zone: { name: string; status?: string; type?: string }): string;
  addRecord(zoneId: string, record: CfGiven): void;
  recordsOf(zoneId: string): CfStored[];
}

export interface CfGiven {
  name: string;
  type: string;
  content: string;
  ttl: number;
  priority?: number | null;
  data?: Record<string, unknown> | null;
  proxied?: boolean;
  comment?: string | null;
  tags?: string[];
  settings?: Record<string, unknown>;
  meta?: { read_only?: boolean };
}

export type CfStored = CfGiven & { id: string; zoneId: string; created_on: string; modified_on: string };

interface CfZoneStored {
  id: string;
  name: string;
  status: string;
  type: string;
}

interface State {
  tokens: Map<string, 'edit' | 'read'>;
  zones: CfZoneStored[];
  records: CfStored[];
}

const PREFIX = '/client/v4';
const ACCOUNT_ID = 'a'.repeat(32);
const SERVERS = ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'];

const LIMIT: RequestLimit = {
  count: 1_200,
  seconds: 300,
  refuse: ({ retryAfter }) => ({
    ...refuse(429, 971, 'Please wait and consider throttling your request speed').answer,
    headers: {
      'content-type': 'application/json',
      'retry-after': retryAfter,
      ratelimit: `"default";r=0;t=${retryAfter}`,
    },
  }),
};

export async function startCloudflareDouble({ port, counts }: DoubleOptions = {}): Promise<CloudflareDouble> {
  const state: State = { tokens: new Map(), zones: [], records: [] };
  const answer = answerFrom(state);
  const server = await serveDouble(counts ? counted(answer, LIMIT) : answer, port);
  return {
    ...server,
    url: `${server.url}${PREFIX}`,
    tokens: state.tokens,
    addZone: ({ name, status = 'active', type = 'full' }) => {
      const id = newId();
      state.zones.push({ id, name, status, type });
      return id;
    },
    addRecord: (zoneId, record) => state.records.push(stored(record, zoneId)),
    recordsOf: (zoneId) => state.records.filter((record) => record.zoneId === zoneId),
  };
}

const newId = (): string => randomUUID().replaceAll('-', '');
const refuse = (status: number, code: number, message: string): Refused =>
  new Refused(json(status, { result: null, success: false, errors: [{ code, message }], messages: [] }));
const ok = (result: unknown, more: object = {}): Answer =>
  json(200, { result, success: true, errors: [], messages: [], ...more });

function answerFrom(state: State): (request: DoubleRequest) => Answer {
  const zoneOf = ({ params }: Routed): CfZoneStored => {
    const zone = state.zones.find(({ id }) => id === params['zone']);
    if (!zone) throw refuse(404, 7003, 'Could not route to /zones, perhaps your object identifier is invalid?');
    return zone;
  };
  const writableZone = (routed: Routed): CfZoneStored => {
    if (rightOf(state, routed.request) !== 'edit') throw refuse(403, 10000, 'Authentication error');
    return zoneOf(routed);
  };
  /** Works on a copy, which replaces the state only if every part succeeded. */
  const write = (routed: Routed, batch: Batch): ReturnType<typeof runBatch>['result'] => {
    const { records, result } = runBatch(state.records, writableZone(routed), batch);
    state.records = records;
    return result;
  };
  const one = (routed: Routed): CfStored => {
    const zone = zoneOf(routed);
    const record = state.records.find(({ id, zoneId }) => id === routed.params['id'] && zoneId === zone.id);
    if (!record) throw refuse(404, 81044, 'Record does not exist.');
    return record;
  };
  const records = `${PREFIX}/zones/:zone/dns_records`;
  return router(
    {
      [`GET ${PREFIX}/user/tokens/verify`]: ({ request }) => {
        if (isAccountOwned(request)) throw refuse(401, 1000, 'Invalid API Token');
        return ok({ id: newId(), status: 'active', expires_on: '2099-01-01T00:00:00Z' });
      },
      [`GET ${PREFIX}/accounts/:account/tokens/verify`]: ({ params, request }) => {
        if (params['account'] !== ACCOUNT_ID) throw refuse(403, 9109, 'Unauthorized to access requested resource');
        if (!isAccountOwned(request)) throw refuse(401, 1000, 'Invalid API Token');
        return ok({ id: newId(), status: 'active', expires_on: '2099-02-02T00:00:00Z' });
      },
      [`GET ${PREFIX}/zones`]: ({ query }) => {
        const name = query.get('name');
        return page(state.zones.filter((zone) => name === null || zone.name === name).map(shownZone), query);
      },
      [`GET ${PREFIX}/zones/:zone`]: (routed) => ok(shownZone(zoneOf(routed))),
      // Clients of whole zones also read the page rules, because some rules act like records.
      [`GET ${PREFIX}/zones/:zone/pagerules`]: (routed) => {
        zoneOf(routed);
        return ok([]);
      },
      [`GET ${records}`]: (routed) => {
        const zone = zoneOf(routed);
        const isWanted = recordFilter(routed.query);
        const found = state.records.filter((record) => record.zoneId === zone.id && isWanted(record));
        return page(found.map(shown), routed.query);
      },
      [`POST ${records}`]: (routed) => ok(write(routed, { posts: [routed.json as CfGiven] }).posts[0]),
      [`POST ${records}/batch`]: (routed) => ok(write(routed, routed.json as Batch)),
      [`GET ${records}/:id`]: (routed) => ok(shown(one(routed))),
      [`PUT ${records}/:id`]: (routed) =>
        ok(write(routed, { puts: [{ ...(routed.json as CfGiven), id: one(routed).id }] }).puts[0]),
      [`PATCH ${records}/:id`]: (routed) =>
        ok(write(routed, { patches: [{ ...(routed.json as CfGiven), id: one(routed).id }] }).patches[0]),
      [`DELETE ${records}/:id`]: (routed) => {
        const { id } = one(routed);
        write(routed, { deletes: [{ id }] });
        return ok({ id });
      },
    },
    {
      before: (request) => void rightOf(state, request),
      notFound: () => refuse(404, 7003, 'Could not route to this address, perhaps your object identifier is invalid?').answer, // prettier-ignore
    },
  );
}

/** Whether the token belongs to the account and not to a user. Older tokens of accounts have no prefix. */
const isAccountOwned = (request: DoubleRequest): boolean =>
  /^Bearer (cfat_|cf-old-account-)/.test(request.header('authorization') ?? '');

function rightOf(state: State, request: DoubleRequest): 'edit' | 'read' {
  const [, token] = /^Bearer ([\w-]+)$/.exec(request.header('authorization') ?? '') ?? [];
  if (token === undefined) throw refuse(400, 6003, 'Invalid request headers');
  const right = state.tokens.get(token);
  if (!right) throw refuse(403, 9109, 'Invalid access token');
  return right;
}

/** A page without entries is still a page. */
function page(items: readonly unknown[], query: URLSearchParams): Answer {
  const perPage = Number(query.get('per_page') ?? 100);
  const number = Number(query.get('page') ?? 1);
  if (!(perPage >= 1 && perPage <= 5_000 && number >= 1)) throw refuse(400, 9000, 'Invalid pagination');
  const cut = pageOf(items, number, perPage);
  const counts = { count: cut.items.length, total_count: items.length, total_pages: cut.pages };
  return ok(cut.items, { result_info: { page: number, per_page: perPage, ...counts } });
}

const shownZone = (zone: CfZoneStored) => ({
  ...zone,
  paused: false,
  development_mode: 0,
  name_servers: SERVERS,
  original_name_servers: null,
  original_registrar: null,
  original_dnshost: null,
  modified_on: MOMENT,
  created_on: MOMENT,
  activated_on: MOMENT,
  vanity_name_servers: [],
  vanity_name_servers_ips: null,
  meta: { step: 4, custom_certificate_quota: 0, page_rule_quota: 3, phishing_detected: false },
  owner: { id: null, type: 'user', email: null },
  account: { id: ACCOUNT_ID, name: 'The account' },
  tenant: { id: null, name: null },
  tenant_unit: { id: null },
  permissions: ['#dns_records:edit', '#dns_records:read', '#zone:read'],
  plan: { id: '0feeeeeeeeeeeeeeeeeeeeeeeeeeeeee', name: 'Free Website', price: 0, currency: 'USD', legacy_id: 'free' },
});
const MOMENT = '2026-01-01T00:00:00.000000Z';

const isProxiable = ({ type }: CfGiven): boolean => type === 'A' || type === 'AAAA' || type === 'CNAME';

const shown = ({ zoneId: _, priority, data, ...record }: CfStored) => ({
  ...record,
  proxiable: isProxiable(record),
  ...(priority == null ? {} : { priority }),
  ...(data == null ? {} : { data }),
});

/** A record with all fields of a real one. Cloudflare chooses the TTL of a proxied record. */
function stored(given: CfGiven, zoneId: string, id = newId()): CfStored {
  return {
    ...given,
    ttl: given.proxied === true ? 1 : given.ttl,
    id,
    zoneId,
    proxied: given.proxied ?? false,
    settings: { ...(given.type === 'CNAME' ? { flatten_cname: false } : {}), ...given.settings },
    meta: given.meta ?? {},
    comment: given.comment ?? null,
    tags: given.tags ?? [],
    created_on: MOMENT,
    modified_on: MOMENT,
  };
}

interface Batch {
  deletes?: { id: string }[] | null;
  patches?: (Partial<CfGiven> & { id: string })[] | null;
  puts?: (CfGiven & { id: string })[] | null;
  posts?: CfGiven[] | null;
}

/** Deletions first, then changes, then new records. */
function runBatch(before: readonly CfStored[], zone: CfZoneStored, { deletes, patches, puts, posts }: Batch) {
  let records = [...before];
  const take = (id: string): CfStored => {
    const record = records.find((other) => other.id === id && other.zoneId === zone.id);
    if (!record) throw refuse(404, 81044, 'Record does not exist.');
    records = records.filter((other) => other !== record);
    return record;
  };
  const put = (given: CfGiven, id?: string) => {
    const record = validated(stored(spelled(given, zone), zone.id, id), zone);
    refuseRivals(record, records, zone);
    records = [...records, record];
    return shown(record);
  };
  const result = {
    deletes: (deletes ?? []).map(({ id }) => shown(take(id))),
    patches: (patches ?? []).map(({ id, ...given }) => put({ ...take(id), ...given }, id)),
    puts: (puts ?? []).map(({ id, ...given }) => {
      take(id);
      return put(given, id);
    }),
    posts: (posts ?? []).map((given) => put(given)),
  };
  return { records, result };
}

/** Names may be sent relative to the zone, and targets lose their trailing dot. */
function spelled(given: CfGiven, zone: CfZoneStored): CfGiven {
  const name = absolute(given.name, zone);
  const target = given.data?.['target'];
  if (typeof target === 'string') return { ...given, name, data: { ...given.data, target: target.replace(/\.$/, '') } };
  return /^(CNAME|MX|NS|PTR)$/.test(given.type)
    ? { ...given, name, content: given.content.replace(/\.$/, '') }
    : { ...given, name };
}

function absolute(name: string, zone: CfZoneStored): string {
  const lower = name.toLowerCase().replace(/\.$/, '');
  if (lower === '@' || lower === zone.name) return zone.name;
  return lower.endsWith(`.${zone.name}`) ? lower : `${lower}.${zone.name}`;
}

function validated(record: CfStored, zone: CfZoneStored): CfStored {
  const { type, content, ttl, name, data } = record;
  if (name !== zone.name && !name.endsWith(`.${zone.name}`)) throw refuse(400, 9003, 'Invalid record name.');
  if (ttl !== 1 && (ttl < 60 || ttl > 86_400)) throw refuse(400, 9021, 'Invalid TTL. Must be between 60 and 86400.');
  if (isBadAddress(type, content))
    throw refuse(400, type === 'A' ? 9005 : 9006, `Content for ${type} record must be a valid address.`);
  if (type === 'SRV' || type === 'CAA') {
    if (!data) throw refuse(400, 9101, 'data is a required data field.');
    return withContent(record, data);
  }
  if (type === 'MX' && record.priority == null) throw refuse(400, 9100, 'priority is a required data field.');
  if (type === 'TXT' && (/^$|\s$/.test(unquoteTxt(content)) || content.length > 4096))
    throw refuse(400, 9207, 'Content is invalid.');
  return record;
}

function withContent(record: CfStored, data: Record<string, unknown>): CfStored {
  const [one, two, three] = (record.type === 'SRV' ? ['weight', 'port', 'target'] : ['flags', 'tag', 'value']).map(
    (key) => String(data[key]),
  );
  return record.type === 'SRV'
    ? { ...record, content: `${one}\t${two}\t${three}`, priority: Number(data['priority']) }
    : { ...record, content: `${one} ${two} "${three}"` };
}

/** A CNAME at the apex is flattened, so only address types exclude it there. */
function refuseRivals(record: CfStored, records: readonly CfStored[], zone: CfZoneStored): void {
  const here = records.filter((other) => other.zoneId === zone.id && other.name === record.name);
  const isSame = (other: CfStored) =>
    other.type === record.type && other.content === record.content && other.priority === record.priority;
  if (here.some(isSame)) throw refuse(400, 81058, 'An identical record already exists.');
  const rivals = record.name === zone.name ? here.filter((other) => isProxiable(other) && isProxiable(record)) : here;
  if (rivals.length > 0 && record.type === 'CNAME')
    throw refuse(400, 81053, 'An A, AAAA, or CNAME record with that host already exists.');
  if (rivals.some((other) => other.type === 'CNAME'))
    throw refuse(400, 81054, 'A CNAME record with that host already exists.');
}

const TOKEN = 'cf-token-0123456789abcdef';

export const start: StartDouble = async (options) => {
  const double = await startCloudflareDouble(options);
  double.tokens.set(TOKEN, 'edit');
  const ids = new Map<string, string>();
  const records = (zone: string) => double.recordsOf(ids.get(zone) ?? '');
  return {
    url: double.url,
    stop: double.stop,
    credential: { api_token: TOKEN },
    stranger: { api_token: 'cf-token-of-somebody-else' },
    addZone: (name, seeds = []) => {
      const id = double.addZone({ name });
      ids.set(name, id);
      for (const seed of seeds) double.addRecord(id, fromSeed(seed, name));
    },
    // The zone's own name servers are not part of its records.
    served: (zone) => [
      ...SERVERS.map((server) => ({ name: zone, type: 'NS', ttl: 86_400, rdata: `${server}.` })),
      ...records(zone).map(({ name, type, ttl, content, priority }) => ({
        name,
        type,
        ttl: ttl === 1 ? 300 : ttl,
        rdata: rdataOf(type, content, priority ?? 0),
      })),
    ],
    // The id is not part of a record's content: a record that was put back has a new one.
    dump: (zone) => dumpOf(records(zone).map(({ id: _, zoneId: __, ...record }) => record)),
  };
};

function fromSeed(seed: SeedRecord, zone: string): CfGiven {
  const { type, ttl, rdata } = seed;
  const record = { name: hostOfSeed(seed, zone), type, ttl };
  if (type === 'TXT') return { ...record, content: rdata };
  if (type !== 'MX') return { ...record, content: rdata.replace(/\.$/, '') };
  const { priority, rest } = priorityAndRest(rdata);
  return { ...record, content: rest, priority };
}

function rdataOf(type: string, content: string, priority: number): string {
  if (type === 'TXT') return quoteTxt(unquoteTxt(content));
  if (type === 'MX' || type === 'SRV') return `${priority} ${content.replaceAll('\t', ' ')}.`;
  return type === 'CNAME' || type === 'NS' ? `${content}.` : content;
}
