import { signV4 } from '../../../src/providers/route53/sigv4.ts';
import { childrenOf, escapeXml, parseXml, textOf } from '../../../src/providers/toolkit/xml.ts';
import type { SeedRecord } from '../lab.ts';
import { hostOfSeed, type StartDouble } from './double.ts';
import {
  escaped,
  isSameSet,
  readSet,
  Refused,
  reversed,
  setKey,
  setXml,
  validated,
  without,
  xml,
  type R53Set,
  type R53Zone,
} from './route53-sets.ts';
import { type Answer, type DoubleRequest, type DoubleServer, serveDouble } from './serve.ts';

/**
 * Route 53 as documented. Signatures are verified, listings are sorted by reversed labels and paged, a batch takes
 * effect completely or not at all, a DELETE must match exactly, and errors are XML with AWS's codes.
 */
export interface Route53Double extends DoubleServer {
  /** Secret by access key id. */
  keys: Map<string, string>;
  addZone(zone: { name: string; isPrivate?: boolean; sets?: R53Set[] }): string;
  setsOf(zoneId: string): readonly R53Set[];
}

/** Smaller than the 300 of the real service, which may also return fewer than requested. */
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

function answer(state: State, request: DoubleRequest): Answer {
  try {
    verifySignature(state, request);
    return route(state, request);
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    throw error;
  }
}

/** Computes the signature again with the stored secret, over the headers that the request lists as signed. */
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
  const path = url.pathname.replace(/^\/2013-04-01/, '').replace(/\/$/, '');
  if (path === '/hostedzonesbyname') return listZonesByName(state, url.searchParams);
  if (path === '/hostedzone') return listZones(state, url.searchParams);
  if (path === '/healthcheck') return xml(200, 'ListHealthChecksResponse', NO_HEALTH_CHECKS);
  if (path.startsWith('/change/')) return xml(200, 'GetChangeResponse', changeXml('INSYNC', undefined));
  const [, zoneId = '', rrset] = /^\/hostedzone\/([^/]+)(\/rrset)?$/.exec(path) ?? [];
  const zone = state.zones.find(({ id }) => id === zoneId);
  if (!zone) throw new Refused(404, 'NoSuchHostedZone', `No hosted zone found with ID: ${zoneId}`);
  if (rrset === undefined) return getZone(zone);
  return method === 'POST' ? change(zone, body) : listSets(zone, url.searchParams);
}

const NO_HEALTH_CHECKS = '<HealthChecks/><IsTruncated>false</IsTruncated><MaxItems>100</MaxItems>';

const zoneXml = ({ id, name, isPrivate, sets }: R53Zone): string =>
  `<HostedZone><Id>/hostedzone/${id}</Id><Name>${name}.</Name><CallerReference>${id}</CallerReference>` +
  `<Config><Comment>Test</Comment><PrivateZone>${String(isPrivate)}</PrivateZone></Config>` +
  `<ResourceRecordSetCount>${sets.length}</ResourceRecordSetCount></HostedZone>`;

function listZonesByName(state: State, query: URLSearchParams): Answer {
  const most = Math.min(Number(query.get('maxitems') ?? 100), 100);
  const keyOf = (zone: { name: string; id: string }) => `${reversed(zone.name)} ${zone.id}`;
  const start = keyOf({ name: query.get('dnsname') ?? '', id: query.get('hostedzoneid') ?? '' });
  const all = state.zones.filter((zone) => keyOf(zone) >= start.trim()).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const next = all[most];
  const more = next ? `<NextDNSName>${next.name}.</NextDNSName><NextHostedZoneId>${next.id}</NextHostedZoneId>` : '';
  return xml(200, 'ListHostedZonesByNameResponse', zonesXml(all.slice(0, most), next, more, most));
}

function listZones(state: State, query: URLSearchParams): Answer {
  const most = Math.min(Number(query.get('maxitems') ?? 100), 100);
  const first = query.get('marker') ?? '';
  const all = state.zones.filter(({ id }) => id >= first).sort((a, b) => (a.id < b.id ? -1 : 1));
  const next = all[most];
  const more = next ? `<NextMarker>${next.id}</NextMarker>` : '';
  return xml(200, 'ListHostedZonesResponse', zonesXml(all.slice(0, most), next, more, most));
}

const zonesXml = (zones: readonly R53Zone[], next: R53Zone | undefined, more: string, most: number): string =>
  `<HostedZones>${zones.map(zoneXml).join('')}</HostedZones><IsTruncated>${String(!!next)}</IsTruncated>${more}<MaxItems>${most}</MaxItems>`;

const SERVERS = ['ns-831.awsdns-39.net', 'ns-422.awsdns-52.com', 'ns-1983.awsdns-55.co.uk', 'ns-1283.awsdns-32.org'];

const getZone = (zone: R53Zone): Answer => {
  const servers = SERVERS.map((server) => `<NameServer>${server}</NameServer>`).join('');
  const delegation = `<DelegationSet><NameServers>${servers}</NameServers></DelegationSet>`;
  return xml(200, 'GetHostedZoneResponse', `${zoneXml(zone)}${delegation}`);
};

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
    'ListResourceRecordSetsResponse',
    `<ResourceRecordSets>${sets}</ResourceRecordSets><IsTruncated>${String(!!next)}</IsTruncated>${more}<MaxItems>${most}</MaxItems>`,
  );
}

/** Works on a copy, which replaces the zone only if every change succeeded. */
function change(zone: R53Zone, body: string): Answer {
  let sets = zone.sets;
  const batch = parseXml(body);
  for (const item of childrenOf(batch, 'ChangeBatch', 'Changes', 'Change')) {
    const [element] = childrenOf(item, 'ResourceRecordSet');
    const set = readSet(element);
    const action = textOf(item, 'Action');
    if (action === 'DELETE') sets = without(sets, set, zone);
    else {
      const isReplaced = isSameSet(set);
      const others = action === 'UPSERT' ? sets.filter((other) => !isReplaced(other)) : sets;
      sets = [...others, validated(set, others, zone)];
    }
  }
  zone.sets = sets;
  const comment = textOf(batch, 'ChangeBatch', 'Comment');
  return xml(200, 'ChangeResourceRecordSetsResponse', changeXml('PENDING', comment));
}

const changeXml = (status: string, comment: string | undefined): string =>
  `<ChangeInfo><Id>/change/C0537538G8T0NETNOSFS</Id><Status>${status}</Status><SubmittedAt>${new Date().toISOString()}</SubmittedAt>` +
  `${comment === undefined ? '' : `<Comment>${escapeXml(comment)}</Comment>`}</ChangeInfo>`;

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
      const own: R53Set[] = [
        { name, type: 'NS', ttl: 172_800, values: SERVERS.map((server) => `${server}.`) },
        {
          name,
          type: 'SOA',
          ttl: 900,
          values: [`${SERVERS[0]}. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400`],
        },
      ];
      ids.set(name, double.addZone({ name, sets: [...own, ...setsOfSeeds(name, records)] }));
    },
    served: (zone) =>
      sets(zone).flatMap(({ name, type, ttl, values }) => values.map((rdata) => ({ name, type, ttl, rdata }))),
    dump: (zone) =>
      sets(zone)
        .filter(({ type }) => type !== 'SOA')
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
