import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { quoteTxt, unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import type { SeedRecord } from '../laboratory.ts';
import { dumpOf, hostOfSeed, type StartDouble } from './double.ts';
import { type Answer, type DoubleRequest, type DoubleServer, serveDouble } from './serve.ts';

/**
 * Cloudflare's DNS API as documented: it keeps zones and records, checks tokens and input, pages, refuses with its own
 * numbers, and carries a batch out entirely or not at all.
 */
export interface CloudflareDouble extends DoubleServer {
  tokens: Map<string, 'edit' | 'read'>;
  addZone(zone: { name: string; status?: string; type?: string }): string;
  addRecord(zoneId: string, record: Omit<CfStored, 'id' | 'zoneId'>): void;
  recordsOf(zoneId: string): CfStored[];
}

export interface CfStored {
  id: string;
  zoneId: string;
  name: string;
  type: string;
  content: string;
  ttl: number;
  priority?: number;
  data?: Record<string, unknown>;
  proxied?: boolean;
  comment?: string;
  tags?: string[];
  settings?: Record<string, unknown>;
  meta?: { read_only?: boolean };
}

interface CfZoneStored {
  id: string;
  name: string;
  status: string;
  type: string;
}

export async function startCloudflareDouble(port?: number): Promise<CloudflareDouble> {
  const state = { tokens: new Map<string, 'edit' | 'read'>(), zones: [] as CfZoneStored[], records: [] as CfStored[] };
  const server = await serveDouble((request) => answer(state, request), port);
  return {
    ...server,
    tokens: state.tokens,
    addZone: ({ name, status = 'active', type = 'full' }) => {
      const id = randomUUID().replaceAll('-', '');
      state.zones.push({ id, name, status, type });
      return id;
    },
    addRecord: (zoneId, record) => state.records.push({ ...record, id: newId(), zoneId }),
    recordsOf: (zoneId) => state.records.filter((record) => record.zoneId === zoneId),
  };
}

interface State {
  tokens: ReadonlyMap<string, 'edit' | 'read'>;
  zones: CfZoneStored[];
  records: CfStored[];
}

const newId = (): string => randomUUID().replaceAll('-', '');

class Refused extends Error {
  readonly answer: Answer;
  constructor(status: number, code: number, message: string) {
    super(message);
    this.answer = json(status, { success: false, errors: [{ code, message }], messages: [], result: null });
  }
}

const json = (status: number, body: unknown): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

function answer(state: State, request: DoubleRequest): Answer {
  try {
    return route(state, request);
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    throw error;
  }
}

function route(state: State, request: DoubleRequest): Answer {
  const right = rightOf(state, request.header('authorization'));
  const { method } = request;
  const url = new URL(request.url);
  url.pathname = url.pathname.replace(/^\/client\/v4/, '');
  if (method === 'GET' && url.pathname === '/user/tokens/verify')
    return json(200, { success: true, errors: [], messages: [], result: { id: newId(), status: 'active', expires_on: '2099-01-01T00:00:00Z' } }); // prettier-ignore
  if (method === 'GET' && url.pathname === '/zones') return listZones(state, url.searchParams);
  const [, zoneId, batch] = /^\/zones\/([^/]+)\/dns_records(\/batch)?$/.exec(url.pathname) ?? [];
  const zone = state.zones.find(({ id }) => id === zoneId);
  if (!zone) throw new Refused(404, 7003, 'Could not route to /zones, perhaps your object identifier is invalid?');
  if (method === 'GET' && batch === undefined) return listRecords(state, zone, url.searchParams);
  if (method !== 'POST' || batch === undefined) throw new Refused(405, 10405, 'Method not allowed for this endpoint');
  if (right !== 'edit') throw new Refused(403, 10000, 'Authentication error');
  return runBatch(state, zone, JSON.parse(request.body) as Batch);
}

function rightOf(state: State, header: string | undefined): 'edit' | 'read' {
  const [, token] = /^Bearer ([\w-]+)$/.exec(header ?? '') ?? [];
  if (token === undefined) throw new Refused(400, 6003, 'Invalid request headers');
  const right = state.tokens.get(token);
  if (!right) throw new Refused(403, 9109, 'Invalid access token');
  return right;
}

function page(items: readonly unknown[], query: URLSearchParams, most: number): Answer {
  const perPage = Number(query.get('per_page') ?? 20);
  const number = Number(query.get('page') ?? 1);
  if (perPage < 1 || perPage > most || number < 1) throw new Refused(400, 9000, 'Invalid pagination');
  const result = items.slice((number - 1) * perPage, number * perPage);
  const counts = { count: result.length, total_count: items.length, total_pages: Math.ceil(items.length / perPage) };
  return json(200, {
    success: true,
    errors: [],
    messages: [],
    result,
    result_info: { page: number, per_page: perPage, ...counts },
  });
}

function listZones(state: State, query: URLSearchParams): Answer {
  const name = query.get('name');
  const zones = state.zones.filter((zone) => name === null || zone.name === name);
  const full = zones.map((zone) => ({ ...zone, name_servers: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'] }));
  return page(full, query, 50);
}

function listRecords(state: State, zone: CfZoneStored, query: URLSearchParams): Answer {
  const name = query.get('name.exact');
  const found = state.records.filter((record) => record.zoneId === zone.id && (name === null || record.name === name));
  return page(
    found.map(({ zoneId: _, ...record }) => record),
    query,
    5000,
  );
}

interface Batch {
  deletes?: { id: string }[];
  posts?: Omit<CfStored, 'id' | 'zoneId'>[];
}

/** Works on a copy, which takes the place of the state only when every part went well. */
function runBatch(state: State, zone: CfZoneStored, { deletes = [], posts = [] }: Batch): Answer {
  let records = state.records;
  for (const { id } of deletes) {
    if (!records.some((record) => record.id === id && record.zoneId === zone.id)) {
      throw new Refused(404, 81044, 'Record does not exist.');
    }
    records = records.filter((record) => record.id !== id);
  }
  const made = posts.map((post) => {
    const record = validate({ ...post, id: newId(), zoneId: zone.id }, zone);
    refuseRivals(record, records, zone);
    records = [...records, record];
    return record;
  });
  state.records = records;
  return json(200, { success: true, errors: [], messages: [], result: { deletes, posts: made } });
}

function validate(record: CfStored, zone: CfZoneStored): CfStored {
  const { type, content, ttl, name, data } = record;
  if (name !== zone.name && !name.endsWith(`.${zone.name}`)) throw new Refused(400, 9003, 'Invalid record name.');
  if (ttl !== 1 && (ttl < 60 || ttl > 86_400))
    throw new Refused(400, 9021, 'Invalid TTL. Must be between 60 and 86400.');
  if (type === 'A' && isIP(content) !== 4)
    throw new Refused(400, 9005, 'Content for A record must be a valid IPv4 address.');
  if (type === 'AAAA' && isIP(content) !== 6) throw new Refused(400, 9006, 'Content for AAAA record is invalid.');
  if (type === 'SRV' || type === 'CAA') {
    if (!data) throw new Refused(400, 9101, 'data is a required data field.');
    return { ...record, content: Object.values(data).join(' ') };
  }
  if (type === 'MX' && record.priority === undefined)
    throw new Refused(400, 9100, 'priority is a required data field.');
  if (type === 'TXT' && (content === '' || content.length > 4096)) throw new Refused(400, 9207, 'Content is invalid.');
  return record;
}

/** At the apex a CNAME is flattened, so only what it answers for excludes it there. */
function refuseRivals(record: CfStored, records: readonly CfStored[], zone: CfZoneStored): void {
  const here = records.filter((other) => other.zoneId === zone.id && other.name === record.name);
  if (here.some((other) => other.type === record.type && other.content === record.content)) {
    throw new Refused(400, 81058, 'An identical record already exists.');
  }
  const isAddress = ({ type }: CfStored) => type === 'A' || type === 'AAAA' || type === 'CNAME';
  const rivals = record.name === zone.name ? here.filter((other) => isAddress(other) && isAddress(record)) : here;
  if (rivals.length > 0 && record.type === 'CNAME') {
    throw new Refused(400, 81053, 'An A, AAAA, or CNAME record with that host already exists.');
  }
  if (rivals.some((other) => other.type === 'CNAME')) {
    throw new Refused(400, 81054, 'A CNAME record with that host already exists.');
  }
}

const TOKEN = 'cf-token-0123456789abcdef';

export const start: StartDouble = async ({ port } = {}) => {
  const double = await startCloudflareDouble(port);
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
      const own = { name, type: 'NS', content: 'ada.ns.cloudflare.com', ttl: 86_400, meta: { read_only: true } };
      for (const record of [own, ...seeds.map((seed) => fromSeed(seed, name))]) double.addRecord(id, record);
    },
    served: (zone) =>
      records(zone).map(({ name, type, ttl, content, priority }) => ({
        name,
        type,
        ttl: ttl === 1 ? 300 : ttl,
        rdata:
          type === 'MX' ? `${priority ?? 0} ${content}.` : type === 'TXT' ? quoteTxt(unquoteTxt(content)) : content,
      })),
    // The id is the record's handle, not its content: a record that was put back has a new one.
    dump: (zone) => dumpOf(records(zone).map(({ id: _, zoneId: __, ...record }) => ({ proxied: false, ...record }))),
  };
};

export const fromSeed = (seed: SeedRecord, zone: string): Omit<CfStored, 'id' | 'zoneId'> => ({
  name: hostOfSeed(seed, zone),
  type: seed.type,
  ttl: seed.ttl,
  content: seed.type === 'TXT' ? seed.rdata : seed.rdata.replace(/\.$/, ''),
});
