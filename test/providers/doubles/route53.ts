import { signV4 } from '../../../src/providers/route53/sigv4.ts';
import { childrenOf, escapeXml, parseXml, textOf, type XmlElement } from '../../../src/providers/toolkit/xml.ts';
import type { SeedRecord } from '../laboratory.ts';
import { hostOfSeed, type StartDouble } from './double.ts';
import { type Answer, type DoubleRequest, type DoubleServer, serveDouble } from './serve.ts';

/**
 * Route 53 as documented: signatures are verified, listings are sorted by reversed labels and paged, a batch happens
 * entirely or not at all, a DELETE must match exactly, and errors come as XML with AWS's codes.
 */
export interface Route53Double extends DoubleServer {
  /** Secret by access key id. */
  keys: Map<string, string>;
  addZone(zone: { name: string; isPrivate?: boolean; sets?: R53Set[] }): string;
  setsOf(zoneId: string): readonly R53Set[];
}

export interface R53Set {
  /** Without a trailing dot and escapes. */
  name: string;
  type: string;
  ttl: number;
  values: string[];
  alias?: string;
  identifier?: string;
}

interface R53Zone {
  id: string;
  name: string;
  isPrivate: boolean;
  sets: R53Set[];
}

/** Smaller than the 300 of the real service, which may also return fewer than asked for. */
const SETS_PER_PAGE = 3;
const CLOCK_SKEW_MS = 15 * 60_000;

export async function startRoute53Double(port?: number): Promise<Route53Double> {
  const state: State = { keys: new Map(), zones: [] };
  const server = await serveDouble((request) => answer(state, request), port);
  return {
    ...server,
    keys: state.keys,
    addZone: ({ name, isPrivate = false, sets = [] }) => {
      const id = `Z${String(state.zones.length).padStart(13, '0')}`;
      state.zones.push({ id, name, isPrivate, sets });
      return id;
    },
    setsOf: (zoneId) => state.zones.find(({ id }) => id === zoneId)?.sets ?? [],
  };
}

interface State {
  keys: Map<string, string>;
  zones: R53Zone[];
}

class Refused extends Error {
  readonly answer: Answer;
  constructor(status: number, code: string, message: string) {
    super(message);
    const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${escapeXml(message)}</Message></Error>`;
    this.answer = xml(status, `<ErrorResponse>${error}<RequestId>r</RequestId></ErrorResponse>`);
  }
}

class BatchRefused extends Error {
  get answer(): Answer {
    const messages = `<Messages><Message>${escapeXml(this.message)}</Message></Messages>`;
    return xml(400, `<InvalidChangeBatch>${messages}<RequestId>r</RequestId></InvalidChangeBatch>`);
  }
}

const xml = (status: number, body: string): Answer => ({
  status,
  headers: { 'content-type': 'text/xml' },
  body: `<?xml version="1.0"?>\n${body}`,
});

function answer(state: State, request: DoubleRequest): Answer {
  try {
    verifySignature(state, request);
    return route(state, request);
  } catch (error) {
    if (error instanceof Refused || error instanceof BatchRefused) return error.answer;
    throw error;
  }
}

/** Signs the request again with the stored secret, over the headers that the caller says it signed. */
function verifySignature(state: State, { method, url, header, body }: DoubleRequest): void {
  const authorization = header('authorization') ?? '';
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/us-east-1\/route53\/aws4_request, SignedHeaders=([^,]+), /;
  const [, keyId = '', names = ''] = pattern.exec(authorization) ?? [];
  if (keyId === '') throw new Refused(403, 'IncompleteSignature', 'Authorization header is incomplete.');
  const secretAccessKey = state.keys.get(keyId);
  if (secretAccessKey === undefined) {
    throw new Refused(403, 'InvalidClientTokenId', 'The security token included in the request is invalid.');
  }
  const date = (header('x-amz-date') ?? '').replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const now = new Date(date);
  if (Math.abs(now.getTime() - Date.now()) > CLOCK_SKEW_MS)
    throw new Refused(403, 'SignatureDoesNotMatch', 'Signature expired.');
  const own = new Set(['host', 'x-amz-date', 'x-amz-security-token']);
  const headers = Object.fromEntries(
    names.split(';').flatMap((name) => (own.has(name) ? [] : [[name, header(name) ?? '']])),
  );
  const key = { accessKeyId: keyId, secretAccessKey, sessionToken: header('x-amz-security-token') };
  const expected = signV4({ method, url, headers, body }, key, { region: 'us-east-1', service: 'route53', now });
  if (expected['authorization'] !== authorization) {
    throw new Refused(
      403,
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the one provided.',
    );
  }
}

function route(state: State, { method, url, body }: DoubleRequest): Answer {
  if (url.pathname === '/2013-04-01/hostedzonesbyname') return listZones(state, url.searchParams);
  const [, zoneId = '', rrset] = /^\/2013-04-01\/hostedzone\/([^/]+)(\/rrset)?$/.exec(url.pathname) ?? [];
  const zone = state.zones.find(({ id }) => id === zoneId);
  if (!zone) throw new Refused(404, 'NoSuchHostedZone', `No hosted zone found with ID: ${zoneId}`);
  if (rrset === undefined) return getZone(zone);
  return method === 'POST' ? change(zone, body) : listSets(zone, url.searchParams);
}

const reversed = (name: string): string => name.replace(/\.$/, '').split('.').toReversed().join('.');
const escaped = (name: string): string => escapeXml(`${name.replaceAll('*', '\\052')}.`);

const zoneXml = ({ id, name, isPrivate }: R53Zone): string =>
  `<HostedZone><Id>/hostedzone/${id}</Id><Name>${name}.</Name><Config><PrivateZone>${String(isPrivate)}</PrivateZone></Config></HostedZone>`;

function listZones(state: State, query: URLSearchParams): Answer {
  const most = Math.min(Number(query.get('maxitems') ?? 100), 100);
  const keyOf = (zone: { name: string; id: string }) => `${reversed(zone.name)} ${zone.id}`;
  const start = keyOf({ name: query.get('dnsname') ?? '', id: query.get('hostedzoneid') ?? '' });
  const all = state.zones.filter((zone) => keyOf(zone) >= start.trim()).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const next = all[most];
  const more = next ? `<NextDNSName>${next.name}.</NextDNSName><NextHostedZoneId>${next.id}</NextHostedZoneId>` : '';
  const zones = all.slice(0, most).map(zoneXml).join('');
  return xml(
    200,
    `<ListHostedZonesByNameResponse><HostedZones>${zones}</HostedZones><IsTruncated>${String(!!next)}</IsTruncated>${more}</ListHostedZonesByNameResponse>`,
  );
}

const getZone = (zone: R53Zone): Answer =>
  xml(
    200,
    `<GetHostedZoneResponse>${zoneXml(zone)}<DelegationSet><NameServers><NameServer>ns-1.awsdns-01.com</NameServer></NameServers></DelegationSet></GetHostedZoneResponse>`,
  );

const setKey = (set: { name: string; type: string; identifier?: string }): string =>
  `${reversed(set.name)} ${set.type} ${set.identifier ?? ''}`;

function listSets(zone: R53Zone, query: URLSearchParams): Answer {
  const most = Math.min(Number(query.get('maxitems') ?? 300), SETS_PER_PAGE);
  const name = (query.get('name') ?? zone.name).replaceAll('\\052', '*');
  const start = setKey({ name, type: query.get('type') ?? '', identifier: query.get('identifier') ?? '' });
  const all = zone.sets.filter((set) => setKey(set) >= start.trim()).sort((a, b) => (setKey(a) < setKey(b) ? -1 : 1));
  const next = all[most];
  const identifier =
    next?.identifier === undefined ? '' : `<NextRecordIdentifier>${next.identifier}</NextRecordIdentifier>`;
  const more = next
    ? `<NextRecordName>${escaped(next.name)}</NextRecordName><NextRecordType>${next.type}</NextRecordType>${identifier}`
    : '';
  const sets = all.slice(0, most).map(setXml).join('');
  return xml(
    200,
    `<ListResourceRecordSetsResponse><ResourceRecordSets>${sets}</ResourceRecordSets><IsTruncated>${String(!!next)}</IsTruncated>${more}</ListResourceRecordSetsResponse>`,
  );
}

function setXml({ name, type, ttl, values, alias, identifier }: R53Set): string {
  const id = identifier === undefined ? '' : `<SetIdentifier>${identifier}</SetIdentifier><Weight>1</Weight>`;
  const records = values.map((value) => `<ResourceRecord><Value>${escapeXml(value)}</Value></ResourceRecord>`).join('');
  const content =
    alias === undefined
      ? `<TTL>${ttl}</TTL><ResourceRecords>${records}</ResourceRecords>`
      : `<AliasTarget><DNSName>${alias}.</DNSName></AliasTarget>`;
  return `<ResourceRecordSet><Name>${escaped(name)}</Name><Type>${type}</Type>${id}${content}</ResourceRecordSet>`;
}

/** Works on a copy, which takes the place of the zone only when every change went well. */
function change(zone: R53Zone, body: string): Answer {
  let sets = zone.sets;
  for (const item of childrenOf(parseXml(body), 'ChangeBatch', 'Changes', 'Change')) {
    const [element] = childrenOf(item, 'ResourceRecordSet');
    const set = readSet(element);
    const action = textOf(item, 'Action');
    if (action === 'DELETE') sets = without(sets, set);
    else {
      const others =
        action === 'UPSERT' ? sets.filter(({ name, type }) => name !== set.name || type !== set.type) : sets;
      sets = [...others, validated(set, others, zone)];
    }
  }
  zone.sets = sets;
  return xml(
    200,
    '<ChangeResourceRecordSetsResponse><ChangeInfo><Id>/change/C1</Id><Status>PENDING</Status></ChangeInfo></ChangeResourceRecordSetsResponse>',
  );
}

const readSet = (element: XmlElement | undefined): R53Set => ({
  name: (textOf(element, 'Name') ?? '').replace(/\.$/, '').replaceAll('\\052', '*'),
  type: textOf(element, 'Type') ?? '',
  ttl: Number(textOf(element, 'TTL')),
  values: childrenOf(element, 'ResourceRecords', 'ResourceRecord', 'Value').map(({ text }) => text),
});

const label = ({ name, type }: R53Set): string => `[name='${name}.', type='${type}']`;

function without(sets: readonly R53Set[], set: R53Set): R53Set[] {
  const old = sets.find(({ name, type }) => name === set.name && type === set.type);
  if (!old) throw new BatchRefused(`Tried to delete resource record set ${label(set)} but it was not found`);
  if (old.ttl !== set.ttl || JSON.stringify(old.values.toSorted()) !== JSON.stringify(set.values.toSorted())) {
    throw new BatchRefused(
      `Tried to delete resource record set ${label(set)} but the values provided do not match the current values`,
    );
  }
  return sets.filter((other) => other !== old);
}

function validated(set: R53Set, sets: readonly R53Set[], zone: R53Zone): R53Set {
  const here = sets.filter(({ name }) => name === set.name);
  const what = `RRSet of type ${set.type} with DNS name ${set.name}. is not permitted`;
  if (here.some(({ type }) => type === set.type))
    throw new BatchRefused(`Tried to create resource record set ${label(set)} but it already exists`);
  if (set.name !== zone.name && !set.name.endsWith(`.${zone.name}`))
    throw new BatchRefused(`${what} in zone ${zone.name}.`);
  if (set.type === 'CNAME' && set.name === zone.name) throw new BatchRefused(`${what} at apex in zone ${zone.name}.`);
  if (here.length > 0 && (set.type === 'CNAME' || here.some(({ type }) => type === 'CNAME'))) {
    throw new BatchRefused(`${what} as it conflicts with other records with the same DNS name in zone ${zone.name}.`);
  }
  const strings = /^"(?:[^"\\]|\\.){0,255}"(?: "(?:[^"\\]|\\.){0,255}")*$/;
  const isPrintable = (value: string) => /^[\x20-\x7e]*$/.test(value);
  if (
    set.type === 'TXT' &&
    !set.values.every((value) => strings.test(value) && isPrintable(value) && value.length <= 4000)
  ) {
    throw new BatchRefused(
      'Invalid Resource Record: FATAL problem: InvalidCharacterString (Value should be enclosed in quotation marks)',
    );
  }
  if (set.values.length === 0 || new Set(set.values).size < set.values.length)
    throw new BatchRefused('Duplicate Resource Record');
  return set;
}

export const KEY = { access_key_id: 'AKIDLABORATORY', secret_access_key: 'laboratory/secret+access+key=0123456789' };

export const start: StartDouble = async ({ port } = {}) => {
  const double = await startRoute53Double(port);
  double.keys.set(KEY.access_key_id, KEY.secret_access_key);
  const ids = new Map<string, string>();
  const sets = (zone: string) => double.setsOf(ids.get(zone) ?? '');
  return {
    url: double.url,
    stop: double.stop,
    credential: KEY,
    stranger: { ...KEY, secret_access_key: 'wrong/secret+access+key=9876543210' },
    addZone: (name, records = []) => {
      const own: R53Set = { name, type: 'NS', ttl: 172_800, values: ['ns-1.awsdns-01.com.'] };
      ids.set(name, double.addZone({ name, sets: [own, ...setsOfSeeds(name, records)] }));
    },
    served: (zone) =>
      sets(zone).flatMap(({ name, type, ttl, values }) => values.map((rdata) => ({ name, type, ttl, rdata }))),
    dump: (zone) =>
      sets(zone)
        .flatMap(({ name, type, ttl, values }) => values.map((value) => JSON.stringify([name, type, ttl, value])))
        .sort(),
  };
};

function setsOfSeeds(zone: string, records: readonly SeedRecord[]): R53Set[] {
  const sets = Map.groupBy(records, (seed) => `${hostOfSeed(seed, zone)} ${seed.type}`);
  return [...sets.values()].flatMap(([first, ...rest]) =>
    first
      ? {
          name: hostOfSeed(first, zone),
          type: first.type,
          ttl: first.ttl,
          values: [first, ...rest].map(({ rdata }) => rdata),
        }
      : [],
  );
}
