import { z } from 'zod';
import { fromRelative } from '../../../src/providers/toolkit/names.ts';
import { withAbsoluteTarget } from '../../../src/providers/toolkit/rdata.ts';
import type { SeedRecord } from '../lab.ts';
import { counted, type RequestLimit } from './counted.ts';
import { dumpOf, type DoubleOptions, type ServedRecord, type StartDouble } from './double.ts';
import { json, pageOf, Refused, type Routed, router } from './router.ts';
import { serveDouble } from './serve.ts';
import { breaksCname, isBadAddress } from './zone-rules.ts';

/**
 * The DNS part of Hetzner's Cloud API. Sets have labels, and a TTL or the zone's TTL. Values have comments. Every write
 * returns an action that is running at first. A set without values is deleted. A host name without a trailing dot is
 * relative to the zone.
 */
const TOKEN = 'laboratory0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQR';
const SERVERS = ['hydrogen.ns.hetzner.com.', 'oxygen.ns.hetzner.com.', 'helium.ns.hetzner.de.'];
const ZONE_TTL = 3_600;

const Value = z.object({ value: z.string(), comment: z.string().default('') });
type Value = z.infer<typeof Value>;
const Records = z.object({ records: z.array(Value).min(1) });
const NewSet = Records.extend({
  name: z.string(),
  type: z.string(),
  ttl: z.number().nullish(),
  labels: z.record(z.string(), z.string()).default({}),
});
interface HetznerSet {
  name: string;
  type: string;
  ttl: number | null;
  labels: Record<string, string>;
  protection: { change: boolean };
  records: Value[];
}
interface HetznerZone {
  id: number;
  name: string;
  mode: 'primary' | 'secondary';
  ttl: number;
  sets: HetznerSet[];
}
interface Action {
  id: number;
  command: string;
  zone: number;
  started: string;
  asked: number;
}

const refuse = (status: number, code: string, message: string, details: unknown = null) =>
  new Refused(json(status, { error: { code, message, details } }, LIMITS));
const LIMITS = { 'ratelimit-limit': '3600', 'ratelimit-remaining': '3599', 'ratelimit-reset': '1768313803' };
const LIMIT: RequestLimit = {
  count: 3_600,
  seconds: 3_600,
  refuse: ({ resetAt }) =>
    json(
      429,
      { error: { code: 'rate_limit_exceeded', message: 'limit of 3600 requests per hour reached', details: null } },
      { ...LIMITS, 'ratelimit-remaining': '0', 'ratelimit-reset': resetAt },
    ),
};

export const start: StartDouble = (options) => startHetznerDouble(options);

/** `pendingFor` is the number of polls before an action has ended. */
export async function startHetznerDouble({
  port,
  counts,
  pendingFor = 0,
}: DoubleOptions & { pendingFor?: number } = {}) {
  const zones: HetznerZone[] = [];
  const actions: Action[] = [];

  const create = (name: string, { mode = 'primary', ttl = ZONE_TTL }: Partial<HetznerZone> = {}): HetznerZone => {
    const own = (type: string, values: string[]) => ({ name: '@', type, ttl: null, labels: {}, protection: { change: false }, records: values.map((value) => ({ value, comment: '' })) }); // prettier-ignore
    const soa = 'hydrogen.ns.hetzner.com. dns.hetzner.com. 2026111500 86400 10800 3600000 3600';
    const zone = { id: 53_091 + zones.length, name, mode, ttl, sets: [own('NS', SERVERS), own('SOA', [soa])] };
    zones.push(zone);
    return zone;
  };
  const zoneOf = ({ params }: Routed): HetznerZone => {
    const zone = zones.find(({ id, name }) => String(id) === params['zone'] || name === params['zone']);
    if (zone) return zone;
    throw refuse(404, 'not_found', 'Zone not found');
  };
  const setOf = (zone: HetznerZone, { params: { name, type } }: Routed): HetznerSet | undefined =>
    zone.sets.find((set) => set.name === name && set.type === type);
  const existingSet = (zone: HetznerZone, routed: Routed): HetznerSet => {
    const set = setOf(zone, routed);
    if (!set) throw refuse(404, 'not_found', 'RRSet not found');
    return set;
  };
  const writable = (zone: HetznerZone, set?: { name: string; type: string; protection?: { change: boolean } }) => {
    if (zone.mode !== 'primary') throw refuse(422, 'incorrect_zone_mode', "This operation is not supported for this Zone's mode."); // prettier-ignore
    if (set?.protection?.change === true) throw refuse(423, 'protected', 'RRSet is protected from changes');
    if (set?.type === 'SOA') throw refuse(422, 'invalid_input', 'SOA records cannot be edited'); // prettier-ignore
  };
  const read = <T>(schema: z.ZodType<T>, body: unknown): T => {
    const given = schema.safeParse(body);
    if (given.success) return given.data;
    const fields = given.error.issues.map(({ path, message }) => ({ name: path.join('.'), messages: [message] }));
    throw refuse(422, 'invalid_input', 'invalid input in fields', { fields });
  };
  const paged = (key: string, items: readonly unknown[], { query, request }: Routed) => {
    const page = Number(query.get('page') ?? 1);
    const per_page = Math.min(Number(query.get('per_page') ?? 25), 100);
    const cut = pageOf(items, page, per_page);
    const pagination = {
      last_page: cut.pages,
      next_page: page < cut.pages ? page + 1 : null,
      page,
      per_page,
      previous_page: page > 1 ? page - 1 : null,
      total_entries: items.length,
    };
    const link = `<${request.url.origin}${request.url.pathname}?page=${cut.pages}&per_page=${per_page}>; rel="last"`;
    return json(200, { meta: { pagination }, [key]: cut.items }, { ...LIMITS, link });
  };
  const acted = (zone: HetznerZone, command: string, more: object = {}) => {
    const action = { id: 604_989_101_982_297 + actions.length, command, zone: zone.id, started: now(), asked: -1 };
    actions.push(action);
    return json(201, { action: actionJson(action), ...more }, LIMITS);
  };
  const actionJson = (action: Action) => {
    const isRunning = action.asked++ < pendingFor;
    return {
      id: action.id,
      status: isRunning ? 'running' : 'success',
      command: action.command,
      progress: isRunning ? 0 : 100,
      started: action.started,
      finished: isRunning ? null : now(),
      error: null,
      resources: [{ id: action.zone, type: 'zone' }],
    };
  };
  const actionOf = ({ params }: Routed) => {
    const action = actions.find(({ id }) => String(id) === params['id']);
    if (!action) throw refuse(404, 'not_found', 'action not found');
    return json(200, { action: actionJson(action) }, LIMITS);
  };
  const act = (command: string, change: (zone: HetznerZone, routed: Routed) => void) => (routed: Routed) => {
    const zone = zoneOf(routed);
    writable(zone, setOf(zone, routed));
    change(zone, routed);
    zone.sets = zone.sets.filter(({ records }) => records.length > 0);
    return acted(zone, command);
  };
  const add = (zone: HetznerZone, set: HetznerSet) => {
    check(set, zone);
    zone.sets.push(set);
  };

  const SET = '/v1/zones/:zone/rrsets/:name/:type';
  const answer = router(
    {
      'GET /v1/zones': (routed) => {
        const name = routed.query.get('name');
        return paged('zones', zones.filter((zone) => name === null || zone.name === name).map(zoneJson), routed); // prettier-ignore
      },
      'POST /v1/zones': ({ json: body }) => {
        const { name, mode, ttl } = read(z.object({ name: z.string(), mode: z.enum(['primary', 'secondary']), ttl: z.number().optional() }), body); // prettier-ignore
        if (zones.some((zone) => zone.name === name)) throw refuse(409, 'uniqueness_error', 'Zone already exists');
        const zone = create(name, { mode, ...(ttl !== undefined && { ttl }) });
        return acted(zone, 'create_zone', { zone: zoneJson(zone) });
      },
      'GET /v1/zones/:zone': (routed) => json(200, { zone: zoneJson(zoneOf(routed)) }, LIMITS),
      'GET /v1/zones/actions/:id': actionOf,
      'GET /v1/actions/:id': actionOf,
      'GET /v1/actions': (routed) => {
        const ids = routed.query.getAll('id');
        return paged('actions', actions.filter(({ id }) => ids.includes(String(id))).map(actionJson), routed); // prettier-ignore
      },
      'GET /v1/zones/:zone/rrsets': (routed) => {
        const zone = zoneOf(routed);
        const [name, types] = [routed.query.get('name'), routed.query.getAll('type')];
        const found = zone.sets.filter((set) => (name ?? set.name) === set.name && (types.length === 0 || types.includes(set.type))); // prettier-ignore
        return paged('rrsets', found.map((set) => setJson(set, zone)), routed); // prettier-ignore
      },
      'POST /v1/zones/:zone/rrsets': (routed) => {
        const zone = zoneOf(routed);
        writable(zone);
        const { ttl = null, ...given } = read(NewSet, routed.json);
        const set = { ...given, ttl, protection: { change: false } };
        if (zone.sets.some(({ name, type }) => name === set.name && type === set.type))
          throw refuse(409, 'uniqueness_error', `RRSet ${set.name}/${set.type} already exists`);
        add(zone, set);
        return acted(zone, 'create_rrset', { rrset: setJson(set, zone) });
      },
      [`GET ${SET}`]: (routed) => {
        const zone = zoneOf(routed);
        return json(200, { rrset: setJson(existingSet(zone, routed), zone) }, LIMITS);
      },
      [`PUT ${SET}`]: (routed) => {
        const zone = zoneOf(routed);
        const set = existingSet(zone, routed);
        set.labels = read(z.object({ labels: NewSet.shape.labels }), routed.json).labels;
        return json(200, { rrset: setJson(set, zone) }, LIMITS);
      },
      [`DELETE ${SET}`]: act('delete_rrset', (zone, routed) => {
        existingSet(zone, routed).records = [];
      }),
      [`POST ${SET}/actions/add_records`]: act('add_rrset_records', (zone, routed) => {
        const { records, ttl } = read(Records.extend({ ttl: z.number().nullish() }), routed.json);
        const { name = '', type = '' } = routed.params;
        const set = setOf(zone, routed);
        if (!set) {
          add(zone, { name, type, ttl: ttl ?? null, labels: {}, protection: { change: false }, records });
          return;
        }
        if (ttl != null && ttl !== set.ttl) throw refuse(422, 'invalid_input', 'TTL differs from that of the RRSet');
        if (records.some(({ value }) => set.records.some((one) => one.value === value)))
          throw refuse(409, 'uniqueness_error', 'record already exists in the RRSet');
        const next = { ...set, records: [...set.records, ...records] };
        check(next, { ...zone, sets: zone.sets.filter((one) => one !== set) });
        set.records = next.records;
      }),
      [`POST ${SET}/actions/remove_records`]: act('remove_rrset_records', (zone, routed) => {
        const set = existingSet(zone, routed);
        const gone = read(Records, routed.json).records.map(({ value }) => value);
        if (!gone.every((value) => set.records.some((one) => one.value === value)))
          throw refuse(404, 'not_found', 'record not found in the RRSet');
        set.records = set.records.filter(({ value }) => !gone.includes(value));
      }),
      [`POST ${SET}/actions/set_records`]: act('set_rrset_records', (zone, routed) => {
        const set = existingSet(zone, routed);
        const next = { ...set, records: read(Records, routed.json).records };
        check(next, { ...zone, sets: zone.sets.filter((one) => one !== set) });
        set.records = next.records;
      }),
      [`POST ${SET}/actions/update_records`]: act('update_rrset_records', (zone, routed) => {
        const set = existingSet(zone, routed);
        const given = read(Records, routed.json).records;
        set.records = set.records.map((one) => given.find(({ value }) => value === one.value) ?? one);
      }),
      [`POST ${SET}/actions/change_ttl`]: act('change_rrset_ttl', (zone, routed) => {
        const set = existingSet(zone, routed);
        const { ttl } = read(z.object({ ttl: z.number().nullable() }), routed.json);
        check({ ...set, ttl }, { ...zone, sets: [] });
        set.ttl = ttl;
      }),
      [`POST ${SET}/actions/change_protection`]: (routed) => {
        const zone = zoneOf(routed);
        existingSet(zone, routed).protection = read(z.object({ change: z.boolean() }), routed.json);
        return acted(zone, 'change_rrset_protection');
      },
    },
    {
      before: ({ header }) => {
        if (header('authorization') !== `Bearer ${TOKEN}`)
          throw refuse(401, 'unauthorized', 'the token you are using is invalid');
      },
      notFound: () => refuse(404, 'not_found', 'Not found').answer,
    },
  );

  const server = await serveDouble(counts ? counted(answer, LIMIT) : answer, port);
  const zoneFor = (name: string) => zones.find((zone) => zone.name === name);
  const setsOf = (name: string) => (zoneFor(name)?.sets ?? []).filter(({ type }) => type !== 'SOA');
  return {
    stop: server.stop,
    url: `${server.url}/v1`,
    credential: { api_token: TOKEN },
    stranger: { api_token: 'ofsomebodyelse0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNO' },
    addZone: (name: string, records: readonly SeedRecord[] = []) => {
      const groups = Map.groupBy(records, (seed) => `${seed.name === '' ? '@' : seed.name} ${seed.type}`);
      const sets = [...groups].map(([key, seeds]) => {
        const [owner = '', type = ''] = key.split(' ');
        return { name: owner, type, ttl: seeds[0]?.ttl ?? null, labels: {}, protection: { change: false }, records: seeds.map(({ rdata }) => ({ value: rdata, comment: '' })) }; // prettier-ignore
      });
      create(name).sets.push(...sets);
    },
    served: (zone: string): ServedRecord[] =>
      setsOf(zone).flatMap(({ name, type, ttl, records }) =>
        records.map(({ value }) => ({
          name: fromRelative(name, zone),
          type,
          ttl: ttl ?? zoneFor(zone)?.ttl ?? ZONE_TTL,
          rdata: withAbsoluteTarget(type, value, zone),
        })),
      ),
    dump: (zone: string) => dumpOf(setsOf(zone).flatMap(({ records, ...set }) => records.map((record) => ({ ...set, ...record })))), // prettier-ignore
    create,
    zoneFor,
  };
}

const now = (): string => new Date().toISOString().replace(/\.\d+/, '');

const zoneJson = ({ id, name, mode, ttl, sets }: HetznerZone) => ({
  id,
  name,
  mode,
  ttl,
  labels: {},
  primary_nameservers: [],
  created: '2025-10-28T13:34:24Z',
  protection: { delete: false },
  status: 'ok',
  authoritative_nameservers: {
    assigned: SERVERS,
    delegated: SERVERS,
    delegation_last_check: '2026-01-08T04:48:17Z',
    delegation_status: 'valid',
  },
  record_count: sets.length,
  registrar: 'hetzner',
});

const setJson = (set: HetznerSet, zone: HetznerZone) => ({ id: `${set.name}/${set.type}`, ...set, zone: zone.id });

const TYPES = /^(A|AAAA|CAA|CNAME|DS|HINFO|HTTPS|MX|NS|PTR|RP|SOA|SRV|SVCB|TLSA|TXT)$/;

/** Checks that the set can coexist with the zone's other sets. */
function check(set: HetznerSet, zone: HetznerZone): void {
  const invalid = (name: string, message: string) =>
    refuse(422, 'invalid_input', message, { fields: [{ name, messages: [message] }] });
  if (!TYPES.test(set.type)) throw invalid('type', `invalid type ${set.type}`);
  if (set.name !== set.name.toLowerCase() || set.name.endsWith('.') || set.name === '')
    throw invalid('name', 'name must be relative to the zone and in lower case');
  if (set.ttl !== null && (set.ttl < 60 || set.ttl > 2_147_483_647)) throw invalid('ttl', 'ttl must be at least 60');
  if (new Set(set.records.map(({ value }) => value)).size < set.records.length)
    throw invalid('records', 'records must be unique');
  for (const { value } of set.records) {
    if (isBadAddress(set.type, value)) throw invalid('records', `invalid address ${value}`);
    if (set.type === 'TXT' && !isText(value)) throw invalid('records', 'TXT must be quoted strings of 255 characters');
  }
  const here = zone.sets.filter(({ name }) => name === set.name).map(({ type }) => type);
  if (breaksCname(set.type, here) || (set.type === 'CNAME' && (set.name === '@' || set.records.length > 1)))
    throw invalid('type', 'CNAME record conflicts with other records at the same name');
}

const isText = (value: string): boolean =>
  /^"(?:[^"\\]|\\.)*"(?: +"(?:[^"\\]|\\.)*")*$/s.test(value) &&
  (value.match(/"(?:[^"\\]|\\.)*"/gs) ?? []).every(
    (quoted) => Buffer.byteLength(quoted.slice(1, -1).replaceAll(/\\(\d{3}|.)/gs, 'x')) <= 255,
  );
