import { z } from 'zod';
import { fromRelative } from '../../../src/providers/toolkit/names.ts';
import { quoteTxt, unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import type { SeedRecord } from '../lab.ts';
import { counted, type RequestLimit } from './counted.ts';
import { dumpOf, type DoubleOptions, type ServedRecord, type StartDouble } from './double.ts';
import { graphAnswer } from './azure-resource-graph.ts';
import { empty, json, Refused, type Routed, router } from './router.ts';
import { type DoubleRequest, serveDouble } from './serve.ts';
import { breaksCname, isBadAddress } from './zone-rules.ts';

/**
 * Azure DNS 2018-05-01 and Microsoft's token endpoints. Record sets are written as a whole, each with an etag that
 * If-Match and If-None-Match are compared with. Paths are case-insensitive. Errors of the DNS service are flat, those
 * of the gateway nested.
 */
export const TENANT = 'aaaaaaaa-0000-4000-8000-000000000001';
export const SUBSCRIPTION = 'bbbbbbbb-0000-4000-8000-000000000002';
export const GROUP = 'dns-test';
export const CREDENTIAL = {
  tenant_id: TENANT,
  client_id: 'cccccccc-0000-4000-8000-000000000003',
  client_secret: 'laboratory~client.secret-0123456789',
  subscription_id: SUBSCRIPTION,
};
const SERVERS = ['ns1-05.azure-dns.com.', 'ns2-05.azure-dns.net.', 'ns3-05.azure-dns.org.', 'ns4-05.azure-dns.info.'];
const PAGE = 100;
const TOKEN_SECONDS = 3_599;
const BUSY = 'Another operation is pending for requested object. The operation is queued.';

/** Tokens are numbered in the order of their issue. */
export const accessToken = (number: number): string => `eyJ0eXAiOiJKV1Qi.lab.token-${number}`;

/** Microsoft's libraries for Go name Azure's older audience, with two slashes. */
const SCOPE = /^https:\/\/management\.(azure\.com|core\.windows\.net)(\/{0,2}\.default|\/)?$/;

type Value = Record<string, string | number | string[]>;
interface AzureSet {
  name: string;
  type: string;
  etag: string;
  ttl: number;
  values: Value[];
  metadata?: Record<string, string>;
  target?: string;
}
interface AzureZone {
  id: string;
  group: string;
  name: string;
  sets: AzureSet[];
}

const KEYS: Record<string, string> = {
  A: 'ARecords',
  AAAA: 'AAAARecords',
  CAA: 'caaRecords',
  CNAME: 'CNAMERecord',
  MX: 'MXRecords',
  NS: 'NSRecords',
  PTR: 'PTRRecords',
  SOA: 'SOARecord',
  SRV: 'SRVRecords',
  TXT: 'TXTRecords',
};

const flat = (status: number, code: string, message: string) => new Refused(json(status, { code, message }));
const nested = (status: number, code: string, message: string) =>
  new Refused(json(status, { error: { code, message } }));

export const start: StartDouble = (options) => startAzureDouble(options);

const LIMIT: RequestLimit = {
  count: 500,
  seconds: 300,
  counts: ({ method }) => method === 'GET',
  refuse: ({ retryAfter }) =>
    json(
      429,
      { error: { code: 'TooManyRequests', message: 'The request is being throttled.' } },
      { 'retry-after': retryAfter },
    ),
};

export interface AzureOptions extends DoubleOptions {
  /** Number of writes that are refused after each successful one, because Azure is still busy. */
  busyFor?: number;
}

export async function startAzureDouble({ port, counts, busyFor = 0 }: AzureOptions = {}) {
  let busy = 0;
  const beBusy = (): void => {
    if (busy-- > 0) throw flat(409, 'Conflict', BUSY);
    busy = busyFor;
  };
  const zones: AzureZone[] = [];
  const tokens = new Map<string, number>();
  let etags = 0;
  const newEtag = (): string => `b119669b-2183-4195-af38-${String(++etags).padStart(12, '0')}`;

  const create = (name: string, group = GROUP): AzureZone => {
    const id = `/subscriptions/${SUBSCRIPTION}/resourceGroups/${group}/providers/Microsoft.Network/dnszones/${name}`;
    const own = (type: string, ttl: number, values: Value[]) => ({ name: '@', type, etag: newEtag(), ttl, values });
    const soa = { email: 'azuredns-hostmaster.microsoft.com', expireTime: 2_419_200, host: SERVERS[0] ?? '', minimumTTL: 300, refreshTime: 3_600, retryTime: 300, serialNumber: 1 }; // prettier-ignore
    const sets = [
      own(
        'NS',
        172_800,
        SERVERS.map((nsdname) => ({ nsdname })),
      ),
      own('SOA', 3_600, [soa]),
    ];
    const zone = { id, group, name, sets };
    zones.push(zone);
    return zone;
  };
  const zoneOf = ({ params }: Routed): AzureZone => {
    const { group = '', zone = '' } = params;
    const found = zones.find(
      (one) => one.name === zone.toLowerCase() && one.group.toLowerCase() === group.toLowerCase(),
    );
    if (found) return found;
    const what = `The Resource 'Microsoft.Network/dnszones/${zone}' under resource group '${group}' was not found.`;
    throw nested(404, 'ResourceNotFound', what);
  };
  const isAt = ({ name, type }: Record<string, string>) => (set: AzureSet) => set.type === type?.toUpperCase() && set.name.toLowerCase() === name?.toLowerCase(); // prettier-ignore

  const listing = (items: readonly unknown[], { query, request }: Routed) => {
    const from = Number(query.get('$skipToken') ?? 0);
    const size = Math.min(Number(query.get('$top') ?? PAGE), PAGE);
    const next = new URL(request.url);
    next.searchParams.set('$skipToken', String(from + size));
    return json(200, {
      value: items.slice(from, from + size),
      ...(items.length > from + size && { nextLink: next.href }),
    });
  };
  const setsListed = (routed: Routed, type?: string) => {
    const zone = zoneOf(routed);
    const suffix = routed.query.get('$recordsetnamesuffix');
    const found = zone.sets.filter(
      (set) => (type === undefined || set.type === type) && (suffix === null || set.name.endsWith(`.${suffix}`)),
    );
    return listing(found.map((set) => setJson(set, zone)), routed); // prettier-ignore
  };
  /** Whether the set is the one that the caller expects (RFC 9110 section 13.1). */
  const holdConditions = ({ request }: Routed, set: AzureSet | undefined): void => {
    const [match, none] = [request.header('if-match'), request.header('if-none-match')];
    const wanted = match?.replace(/^(W\/)?"(.*)"$/, '$2');
    const fits = wanted === undefined || (set !== undefined && (wanted === '*' || wanted === set.etag));
    if (fits && !(none === '*' && set)) return;
    const what = set ? `The condition '${match ?? none}' in the request is not satisfied. The current etag is '${set.etag}'.` : 'The record set does not exist.'; // prettier-ignore
    throw flat(412, 'PreconditionFailed', what);
  };
  const write = (routed: Routed, isPatch: boolean) => {
    const zone = zoneOf(routed);
    beBusy();
    const [type, name] = [routed.params['type']?.toUpperCase() ?? '', routed.params['name'] ?? ''];
    const before = zone.sets.find(isAt({ type, name }));
    if (isPatch && !before)
      throw flat(404, 'NotFound', `The resource record '${name}' does not exist in resource group.`);
    holdConditions(routed, before);
    const given = Body.safeParse(routed.json);
    if (!given.success || KEYS[type] === undefined) throw flat(400, 'BadRequest', 'The request is malformed.');
    const { TTL, metadata, targetResource, ...rest } = given.data.properties;
    const sent = rest[KEYS[type]];
    const set: AzureSet = {
      name: before?.name ?? name,
      type,
      etag: newEtag(),
      ttl: TTL ?? (isPatch ? before?.ttl : undefined) ?? 0,
      values: sent === undefined && isPatch ? (before?.values ?? []) : ([sent ?? []].flat() as Value[]),
    };
    const kept = metadata ?? (isPatch ? before?.metadata : undefined);
    if (kept) set.metadata = kept;
    if (targetResource?.id != null) set.target = targetResource.id;
    check(set, zone, before);
    if (before) zone.sets.splice(zone.sets.indexOf(before), 1, set);
    else zone.sets.push(set);
    return json(before ? 200 : 201, setJson(set, zone), { etag: set.etag });
  };

  const ZONES = '/subscriptions/:subscription/resourcegroups/:group/providers/microsoft.network/dnszones';
  const SET = `${ZONES}/:zone/:type/:name`;
  const answer = router(
    {
      'POST /:tenant/oauth2/v2.0/token': (routed) => grant(routed, { expires_in: TOKEN_SECONDS, ext_expires_in: TOKEN_SECONDS }), // prettier-ignore
      'POST /:tenant/oauth2/token': (routed) => {
        const now = Math.floor(Date.now() / 1_000);
        return grant(routed, { expires_in: String(TOKEN_SECONDS), ext_expires_in: String(TOKEN_SECONDS), expires_on: String(now + TOKEN_SECONDS), not_before: String(now), resource: 'https://management.azure.com' }); // prettier-ignore
      },
      'GET /subscriptions/:subscription/providers/microsoft.network/dnszones': (routed) =>
        listing(zones.map(zoneJson), routed),
      'POST /providers/microsoft.resourcegraph/resources': ({ json: body }) => graphAnswer(body, zones),
      // Public clients check for Traffic Manager profiles before they change a set.
      [`GET ${ZONES.replace('dnszones', 'trafficmanagerprofiles')}`]: () => json(200, { value: [] }),
      [`GET ${ZONES}`]: (routed) => listing(zones.filter(({ group }) => group.toLowerCase() === routed.params['group']?.toLowerCase()).map(zoneJson), routed), // prettier-ignore
      [`GET ${ZONES}/:zone`]: (routed) => json(200, zoneJson(zoneOf(routed))),
      [`PUT ${ZONES}/:zone`]: ({ params: { group = '', zone = '' } }) => {
        const found = zones.find((one) => one.name === zone && one.group === group);
        return json(found ? 200 : 201, zoneJson(found ?? create(zone, group)));
      },
      [`GET ${ZONES}/:zone/recordsets`]: (routed) => setsListed(routed),
      [`GET ${ZONES}/:zone/all`]: (routed) => setsListed(routed),
      [`GET ${ZONES}/:zone/:type`]: (routed) => setsListed(routed, routed.params['type']?.toUpperCase()),
      [`GET ${SET}`]: (routed) => {
        const zone = zoneOf(routed);
        const set = zone.sets.find(isAt(routed.params));
        if (set) return json(200, setJson(set, zone), { etag: set.etag });
        throw flat(404, 'NotFound', `The resource record '${routed.params['name']}' does not exist in resource group.`);
      },
      [`PUT ${SET}`]: (routed) => write(routed, false),
      [`PATCH ${SET}`]: (routed) => write(routed, true),
      [`DELETE ${SET}`]: (routed) => {
        const zone = zoneOf(routed);
        beBusy();
        const set = zone.sets.find(isAt(routed.params));
        holdConditions(routed, set);
        if (!set) return empty(204);
        if (set.name === '@' && /^(NS|SOA)$/.test(set.type))
          throw flat(400, 'BadRequest', `The record set of type '${set.type}' at the zone apex cannot be deleted.`);
        zone.sets.splice(zone.sets.indexOf(set), 1);
        return empty(200);
      },
    },
    {
      before: ({ url, header }) => {
        if (url.pathname.endsWith('/token')) return;
        const token = (header('authorization') ?? '').replace(/^Bearer /, '');
        if ((tokens.get(token) ?? 0) < Date.now())
          throw nested(401, 'InvalidAuthenticationToken', 'The access token is invalid.');
        if (!/^\d{4}-\d\d-\d\d(-preview)?$/.test(url.searchParams.get('api-version') ?? ''))
          throw nested(400, 'MissingApiVersionParameter', 'The api-version query parameter (?api-version=) is required for all requests.'); // prettier-ignore
        const subscription = /^\/subscriptions\/([^/]+)/.exec(url.pathname)?.[1];
        if (subscription !== undefined && subscription !== SUBSCRIPTION)
          throw nested(404, 'SubscriptionNotFound', `The subscription '${subscription}' could not be found.`);
      },
      notFound: ({ url }) => nested(404, 'InvalidResourceType', `No resource is found at ${url.pathname}.`).answer,
    },
  );

  function grant({ params: { tenant }, request }: Routed, more: object) {
    const form = new URLSearchParams(request.body);
    const fail = (status: number, error: string, error_description: string) =>
      json(status, { error, error_description, error_codes: [7_000_215], trace_id: 't', correlation_id: 'c' });
    if (form.get('grant_type') !== 'client_credentials')
      return fail(400, 'unsupported_grant_type', 'AADSTS70003: The app requested an unsupported grant type.');
    if (tenant !== TENANT) return fail(400, 'invalid_request', `AADSTS90002: Tenant '${tenant}' not found.`);
    if (form.get('client_id') !== CREDENTIAL.client_id)
      return fail(400, 'unauthorized_client', 'AADSTS700016: Application was not found in the directory.');
    if (form.get('client_secret') !== CREDENTIAL.client_secret)
      return fail(401, 'invalid_client', 'AADSTS7000215: Invalid client secret provided.');
    if (!(form.get('scope') ?? form.get('resource') ?? '').split(' ').some((scope) => SCOPE.test(scope)))
      return fail(400, 'invalid_scope', 'AADSTS1002012: The provided value for scope is not valid.');
    const token = accessToken(tokens.size + 1);
    tokens.set(token, Date.now() + TOKEN_SECONDS * 1_000);
    return json(200, { token_type: 'Bearer', ...more, access_token: token });
  }

  /** The part of the path before the zone's name is case-insensitive. */
  const caseless = (request: DoubleRequest) => {
    const url = new URL(request.url);
    url.pathname = url.pathname.replace(/\/(resourceGroups|providers|Microsoft\.Network|Microsoft\.ResourceGraph|resources|dnsZones|trafficManagerProfiles|recordsets|all)(?=\/|$)/gi, (part) => part.toLowerCase()); // prettier-ignore
    return answer({ ...request, url });
  };
  const server = await serveDouble(counts ? counted(caseless, LIMIT) : caseless, port);
  const setsOf = (zone: string) =>
    (zones.find(({ name }) => name === zone)?.sets ?? []).filter(({ type }) => type !== 'SOA');
  return {
    ...server,
    tokenUrl: server.url,
    credential: CREDENTIAL,
    stranger: { ...CREDENTIAL, client_secret: 'laboratory~of.somebody-else-9876543210' },
    addZone: (name: string, records: readonly SeedRecord[] = []) => {
      const groups = Map.groupBy(records, (seed) => `${seed.name === '' ? '@' : seed.name} ${seed.type}`);
      const sets = [...groups].map(([key, seeds]) => {
        const [owner = '', type = ''] = key.split(' ');
        return { name: owner, type, etag: newEtag(), ttl: seeds[0]?.ttl ?? 0, values: seeds.map(({ rdata }) => fromRdata(type, rdata)) }; // prettier-ignore
      });
      create(name).sets.push(...sets);
    },
    served: (zone: string): ServedRecord[] =>
      setsOf(zone).flatMap(({ name, type, ttl, values }) => values.map((value) => ({ name: fromRelative(name, zone), type, ttl, rdata: toRdata(type, value) }))), // prettier-ignore
    dump: (zone: string) =>
      dumpOf(setsOf(zone).flatMap(({ etag: _, values, ...set }) => (values.length === 0 ? [set] : values.map((value) => ({ ...set, value }))))), // prettier-ignore
    create,
    setsOf,
  };
}

const Body = z.object({
  properties: z.looseObject({
    TTL: z.number().optional(),
    metadata: z.record(z.string(), z.string()).nullish(),
    targetResource: z.object({ id: z.string().nullish() }).nullish(),
  }),
});

const zoneJson = ({ id, name, sets }: AzureZone) => ({
  id,
  name,
  type: 'Microsoft.Network/dnszones',
  etag: '29c4b592-50a9-4135-a768-8b1b7e35b36a',
  location: 'global',
  tags: {},
  properties: {
    maxNumberOfRecordSets: 10_000,
    maxNumberOfRecordsPerRecordSet: null,
    nameServers: SERVERS,
    numberOfRecordSets: sets.length,
    zoneType: 'Public',
  },
});

const setJson = ({ name, type, etag, ttl, values, metadata, target }: AzureSet, zone: AzureZone) => ({
  id: `${zone.id}/${type}/${name}`,
  name,
  type: `Microsoft.Network/dnszones/${type}`,
  etag,
  properties: {
    ...(metadata && { metadata }),
    fqdn: `${fromRelative(name, zone.name)}.`,
    TTL: ttl,
    [KEYS[type] ?? `${type}Records`]: /^(CNAME|SOA)$/.test(type) ? values[0] : values,
    targetResource: target === undefined ? {} : { id: target },
    provisioningState: 'Succeeded',
  },
});

function check(set: AzureSet, zone: AzureZone, before: AzureSet | undefined): void {
  const bad = (message: string) => flat(400, 'BadRequest', message);
  if (set.ttl < 1 || set.ttl > 2_147_483_647) throw bad(`The value '${set.ttl}' for field 'TTL' is invalid.`);
  if (set.values.length === 0 && set.target === undefined)
    throw bad('The record set must contain at least one record.');
  if (set.values.length > 20) throw bad('The maximum number of records in a record set is 20.');
  if (new Set(set.values.map((value) => JSON.stringify(value))).size < set.values.length)
    throw bad('The record set contains duplicate records.');
  for (const value of set.values) {
    const address = String(value['ipv4Address'] ?? value['ipv6Address'] ?? '');
    if (isBadAddress(set.type, address)) throw bad(`'${address}' is not a valid IP address.`);
    if (
      set.type === 'MX' &&
      !z.object({ preference: z.number(), exchange: z.string().min(2) }).safeParse(value).success
    )
      throw bad('The MX record is not valid.');
  }
  if (set.type === 'TXT') {
    const strings = set.values.map(({ value }) => z.array(z.string()).min(1).safeParse(value).data ?? ['']);
    if (strings.flat().some((text) => text === '' || Buffer.byteLength(text) > 255))
      throw bad("The string in the TXT record is empty or longer than '255' characters.");
    if (strings.flat().join('').length > 4_096) throw bad("The TXT record set exceeds '4096' characters.");
  }
  if (set.type === 'CNAME' && set.name === '@') throw bad('A CNAME record set cannot be created at the zone apex.');
  if (before) return;
  const here = zone.sets.filter(({ name }) => name.toLowerCase() === set.name.toLowerCase()).map(({ type }) => type);
  if (breaksCname(set.type, here))
    throw flat(409, 'Conflict', `The ${set.type} record '${set.name}' could not be created because another record with the same name already exists.`); // prettier-ignore
}

/** Seeds are zone-file lines; the API has separate fields for their parts. */
function fromRdata(type: string, rdata: string): Value {
  const [first = '', second = '', third = '', fourth = ''] = rdata.split(/\s+/);
  const values: Record<string, Value> = {
    A: { ipv4Address: rdata },
    AAAA: { ipv6Address: rdata },
    CNAME: { cname: rdata },
    NS: { nsdname: rdata },
    PTR: { ptrdname: rdata },
    MX: { preference: Number(first), exchange: second },
    SRV: { priority: Number(first), weight: Number(second), port: Number(third), target: fourth },
    CAA: { flags: Number(first), tag: second, value: unquoteTxt(third) },
    TXT: { value: (rdata.match(/"(?:[^"\\]|\\.)*"/gs) ?? []).map((text) => unquoteTxt(text)) },
  };
  return values[type] ?? { data: rdata };
}

function toRdata(type: string, value: Value): string {
  const text = (key: string) => String(value[key]);
  if (type === 'TXT') return quoteTxt((value['value'] as string[]).join(''));
  if (type === 'MX') return `${text('preference')} ${text('exchange')}`;
  if (type === 'SRV') return ['priority', 'weight', 'port', 'target'].map(text).join(' ');
  if (type === 'CAA') return `${text('flags')} ${text('tag')} ${quoteTxt(text('value'))}`;
  return String(Object.values(value)[0]);
}
