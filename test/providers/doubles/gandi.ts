import { z } from 'zod';
import { fromRelative } from '../../../src/providers/toolkit/names.ts';
import { withAbsoluteTarget } from '../../../src/providers/toolkit/rdata.ts';
import { quoteTxt } from '../../../src/providers/toolkit/txt.ts';
import type { SeedRecord } from '../lab.ts';
import { counted, type RequestLimit } from './counted.ts';
import { dumpOf, type DoubleOptions, type ServedRecord, type StartDouble } from './double.ts';
import { empty, json, Refused, type Routed, router } from './router.ts';
import { serveDouble } from './serve.ts';
import { breaksCname, isBadAddress } from './zone-rules.ts';

/**
 * Gandi LiveDNS v5. PUT replaces whole sets; POST only creates new ones. Text without quotes gets quotes. A host name
 * without a trailing dot is relative to the zone. A header contains the total number of items.
 */
const TOKEN = 'laboratory0123456789abcdef0123456789abcd';
const SERVERS = ['ns-1-a.gandi.net', 'ns-17-b.gandi.net', 'ns-204-c.gandi.net'];
const API = 'https://api.gandi.net/v5/livedns';
const LIMIT: RequestLimit = {
  count: 1_000,
  seconds: 60,
  refuse: () =>
    json(429, { code: 429, message: 'Too many requests', object: 'HTTPTooManyRequests', cause: 'Too Many Requests' }),
};

interface GandiSet {
  rrset_type: string;
  rrset_ttl: number;
  rrset_name: string;
  rrset_values: string[];
}
const Content = z.object({ rrset_ttl: z.number().default(10_800), rrset_values: z.array(z.string()).min(1) });
const Typed = Content.extend({ rrset_type: z.string() });
const Named = Typed.extend({ rrset_name: z.string() });

export const start: StartDouble = (options) => startGandiDouble(options);

export interface GandiOptions extends DoubleOptions {
  /** The domains of a limited token; it is refused every other name. */
  limitedTo?: readonly string[];
}

export async function startGandiDouble({ port, counts, limitedTo }: GandiOptions = {}) {
  const zones = new Map<string, GandiSet[]>();

  const refuse = (code: number, message: string, object: string, cause: string) =>
    new Refused(json(code, { code, message, object, cause }));
  const setsOf = ({ params }: Routed): GandiSet[] => {
    if (limitedTo?.includes(params['zone'] ?? '') === false)
      throw refuse(403, 'Access was denied to this resource.', 'HTTPForbidden', 'Forbidden');
    const sets = zones.get(params['zone'] ?? '');
    if (!sets) throw refuse(404, 'The resource could not be found.', 'HTTPNotFound', 'Not Found');
    return sets;
  };
  const at =
    ({ params: { name, type } }: Routed) =>
    (set: GandiSet) =>
      (name === undefined || set.rrset_name === name) && (type === undefined || set.rrset_type === type);
  const missing = ({ params: { name, type } }: Routed) =>
    refuse(404, `Can't find the DNS record ${name}/${type} in the zone`, 'dns-record', 'Not Found');
  const listing = (items: readonly object[], { query }: Routed) => {
    const size = Number(query.get('per_page') ?? Math.max(items.length, 1));
    const from = (Number(query.get('page') ?? 1) - 1) * size;
    return json(200, items.slice(from, from + size), { 'total-count': String(items.length) });
  };
  const read = <T>(schema: z.ZodType<T>, body: unknown): T => {
    const given = schema.safeParse(body);
    if (given.success) return given.data;
    throw invalid(given.error.issues[0]?.path.join('.') ?? 'body', given.error.issues[0]?.message ?? 'Required');
  };
  const invalid = (name: string, description: string) =>
    new Refused(json(400, { status: 'error', errors: [{ location: 'body', name, description }] }));

  /** Replaces sets. */
  const replace = (routed: Routed, gone: (set: GandiSet) => boolean, given: readonly GandiSet[]) => {
    const before = setsOf(routed);
    const staying = before.filter((set) => !gone(set));
    for (const set of given.map(normalised)) {
      const fault = faultOf(set, staying);
      if (fault !== undefined) throw invalid(...fault);
      staying.push(set);
    }
    before.splice(0, before.length, ...staying);
    const [first] = given;
    const location = first ? { location: hrefOf(first, routed.params['zone'] ?? '') } : {};
    return json(201, { message: 'DNS Record Created' }, location);
  };
  const create = (routed: Routed, set: GandiSet) => {
    const old = setsOf(routed).find((one) => one.rrset_name === set.rrset_name && one.rrset_type === set.rrset_type);
    if (!old) return replace(routed, () => false, [set]);
    if (JSON.stringify(old) === JSON.stringify({ ...old, ...normalised(set) }))
      return json(200, { message: 'A DNS Record already exists with same value' });
    throw refuse(409, 'A DNS Record already exists with same name and type', 'HTTPConflict', 'Conflict');
  };
  const remove = (routed: Routed) => {
    const sets = setsOf(routed);
    const staying = sets.filter((set) => !at(routed)(set));
    if (staying.length === sets.length) throw missing(routed);
    sets.splice(0, sets.length, ...staying);
    return empty(204);
  };

  const RECORDS = '/v5/livedns/domains/:zone/records';
  const answer = router(
    {
      'GET /v5/livedns/domains': (routed) => listing([...zones.keys()].map((name) => domainJson(name)), routed), // prettier-ignore
      'POST /v5/livedns/domains': ({ json: body }) => {
        const { fqdn } = read(z.object({ fqdn: z.string() }), body);
        if (zones.has(fqdn)) throw refuse(409, 'The domain already exists', 'HTTPConflict', 'Conflict');
        zones.set(fqdn, []);
        return json(201, { message: 'Domain Created' }, { location: `${API}/domains/${fqdn}` });
      },
      'GET /v5/livedns/domains/:zone': (routed) => {
        setsOf(routed);
        const name = routed.params['zone'] ?? '';
        return json(200, { domain_keys_href: `${API}/domains/${name}/keys`, automatic_snapshots: true, ...domainJson(name) }); // prettier-ignore
      },
      'GET /v5/livedns/domains/:zone/nameservers': (routed) => {
        setsOf(routed);
        return json(200, SERVERS);
      },
      [`GET ${RECORDS}`]: (routed) => listing(setsOf(routed).map((set) => setJson(set, routed)), routed), // prettier-ignore
      [`GET ${RECORDS}/:name`]: (routed) => {
        const found = setsOf(routed).filter(at(routed));
        return listing(found.map((set) => setJson(set, routed)), routed); // prettier-ignore
      },
      [`GET ${RECORDS}/:name/:type`]: (routed) => {
        const set = setsOf(routed).find(at(routed));
        if (!set) throw missing(routed);
        return json(200, setJson(set, routed));
      },
      [`POST ${RECORDS}`]: (routed) => create(routed, read(Named, routed.json)),
      [`POST ${RECORDS}/:name`]: (routed) =>
        create(routed, { ...read(Typed, routed.json), rrset_name: routed.params['name'] ?? '' }),
      [`POST ${RECORDS}/:name/:type`]: (routed) => create(routed, named(routed, read(Content, routed.json))),
      [`PUT ${RECORDS}`]: (routed) => replace(routed, at(routed), read(z.object({ items: z.array(Named) }), routed.json).items), // prettier-ignore
      [`PUT ${RECORDS}/:name`]: (routed) => {
        const { items } = read(z.object({ items: z.array(Typed) }), routed.json);
        return replace(routed, at(routed), items.map((set) => ({ ...set, rrset_name: routed.params['name'] ?? '' }))); // prettier-ignore
      },
      [`PUT ${RECORDS}/:name/:type`]: (routed) => replace(routed, at(routed), [named(routed, read(Content, routed.json))]), // prettier-ignore
      [`DELETE ${RECORDS}`]: remove,
      [`DELETE ${RECORDS}/:name`]: remove,
      [`DELETE ${RECORDS}/:name/:type`]: remove,
    },
    {
      before: ({ header }) => {
        if ([`Bearer ${TOKEN}`, `Apikey ${TOKEN}`].includes(header('authorization') ?? '')) return;
        throw refuse(401, 'The server could not verify that you are authorized.', 'HTTPUnauthorized', 'Unauthorized');
      },
      notFound: () => refuse(404, 'The resource could not be found.', 'HTTPNotFound', 'Not Found').answer,
    },
  );

  const server = await serveDouble(counts ? counted(answer, LIMIT) : answer, port);
  return {
    stop: server.stop,
    url: `${server.url}/v5/livedns`,
    credential: { personal_access_token: TOKEN },
    stranger: { personal_access_token: 'ofsomebodyelse0123456789abcdef0123456789' },
    addZone: (name: string, records: readonly SeedRecord[] = []) => {
      const groups = Map.groupBy(records, (seed) => `${seed.name === '' ? '@' : seed.name} ${seed.type}`);
      const sets = [...groups].map(([key, seeds]) => {
        const [rrset_name = '', rrset_type = ''] = key.split(' ');
        return {
          rrset_type,
          rrset_ttl: seeds[0]?.ttl ?? 300,
          rrset_name,
          rrset_values: seeds.map(({ rdata }) => rdata),
        };
      });
      zones.set(name, sets);
    },
    /** The zone's NS records are served, although they are not listed. */
    served: (zone: string): ServedRecord[] => [
      ...SERVERS.map((server) => ({ name: zone, type: 'NS', ttl: 10_800, rdata: `${server}.` })),
      ...(zones.get(zone) ?? []).flatMap(({ rrset_name, rrset_type, rrset_ttl, rrset_values }) =>
        rrset_values.map((value) => ({
          name: fromRelative(rrset_name, zone),
          type: rrset_type,
          ttl: rrset_ttl,
          rdata: withAbsoluteTarget(rrset_type, value, zone),
        })),
      ),
    ],
    dump: (zone: string) => dumpOf((zones.get(zone) ?? []).flatMap(({ rrset_values, ...set }) => rrset_values.map((value) => ({ ...set, value })))), // prettier-ignore
    sets: (zone: string) => zones.get(zone) ?? [],
  };
}

const named = ({ params: { name = '', type = '' } }: Routed, content: z.infer<typeof Content>): GandiSet => ({
  rrset_type: type,
  rrset_name: name,
  ...content,
});

const hrefOf = ({ rrset_name, rrset_type }: GandiSet, zone: string): string =>
  `${API}/domains/${zone}/records/${encodeURIComponent(rrset_name)}/${rrset_type}`;

const setJson = (set: GandiSet, { params }: Routed) => ({ ...set, rrset_href: hrefOf(set, params['zone'] ?? '') });

const domainJson = (fqdn: string) => ({
  fqdn,
  domain_records_href: `${API}/domains/${fqdn}/records`,
  domain_href: `${API}/domains/${fqdn}`,
});

const normalised = (set: GandiSet): GandiSet =>
  set.rrset_type === 'TXT'
    ? { ...set, rrset_values: set.rrset_values.map((text) => (text.startsWith('"') ? text : quoteTxt(text))) }
    : set;

const TYPES =
  /^(A|AAAA|ALIAS|CAA|CDS|CNAME|DNAME|DS|KEY|LOC|MX|NAPTR|NS|OPENPGPKEY|PTR|RP|SPF|SRV|SSHFP|TLSA|TXT|WKS)$/;

/** Returns the invalid field, and why the set cannot coexist with the others. */
function faultOf(set: GandiSet, others: readonly GandiSet[]): [string, string] | undefined {
  const { rrset_name, rrset_type, rrset_ttl, rrset_values } = set;
  if (!TYPES.test(rrset_type)) return ['rrset_type', `"${rrset_type}" is not one of the known types`];
  if (rrset_ttl < 300 || rrset_ttl > 2_592_000) return ['rrset_ttl', `${rrset_ttl} is not between 300 and 2592000`];
  if (new Set(rrset_values).size < rrset_values.length) return ['rrset_values', 'There are duplicates in the values'];
  const bad = rrset_values.find((value) => isBadAddress(rrset_type, value));
  if (bad !== undefined) return ['rrset_values', `"${bad}" is not a valid address`];
  if (rrset_type === 'TXT' && !rrset_values.every(isText)) return ['rrset_values', 'A string is longer than 255 bytes'];
  const here = others.filter((one) => one.rrset_name === rrset_name).map((one) => one.rrset_type);
  if (breaksCname(rrset_type, here)) return ['rrset_type', 'A CNAME record cannot coexist with other records'];
  if (rrset_type === 'CNAME' && (rrset_name === '@' || rrset_values.length > 1)) return ['rrset_type', 'A CNAME record is not allowed here']; // prettier-ignore
  if (rrset_type === 'ALIAS' && rrset_name !== '@')
    return ['rrset_type', 'An ALIAS record is only allowed at the apex'];
  return undefined;
}

const isText = (value: string): boolean =>
  /^"(?:[^"\\]|\\.)*"(?: +"(?:[^"\\]|\\.)*")*$/s.test(value) &&
  (value.match(/"(?:[^"\\]|\\.)*"/gs) ?? []).every(
    (quoted) => Buffer.byteLength(quoted.slice(1, -1).replaceAll(/\\(\d{3}|.)/gs, 'x')) <= 255,
  );
