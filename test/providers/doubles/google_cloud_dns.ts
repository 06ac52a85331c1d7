import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { z } from 'zod';
import type { SeedRecord } from '../lab.ts';
import { dumpOf, hostOfSeed, type StartDouble } from './double.ts';
import { json, Refused, type Routed, router } from './router.ts';
import { type DoubleRequest, serveDouble } from './serve.ts';
import { breaksCname, isBadAddress } from './zone-rules.ts';

/**
 * Cloud DNS v1 and Google's token endpoint. Assertions of the service account are verified with its public key and
 * exchanged for tokens that expire. Sets are changed in batches that take effect completely or not at all, and a
 * deletion must match the current set. Errors have a reason in addition to their status.
 */
const PROJECT = 'laboratory-project';
const EMAIL = 'dns-writer@laboratory-project.iam.gserviceaccount.com';
const AUDIENCES = ['https://oauth2.googleapis.com/token', 'https://www.googleapis.com/oauth2/v4/token'];
const SERVERS = ['ns-cloud-c1', 'ns-cloud-c2', 'ns-cloud-c3', 'ns-cloud-c4'].map((one) => `${one}.googledomains.com.`);
const TOKEN_SECONDS = 3_600;
const PAGE = 100;

const keyPair = () => generateKeyPairSync('rsa', { modulusLength: 2_048 });
const own = keyPair();
export const SERVICE_ACCOUNT = { email: EMAIL, keyId: '0123456789abcdef', key: own.privateKey };

/** Tokens are numbered in the order of their issue. */
export const accessToken = (number: number): string => `ya29.laboratory-access-token-${number}`;

const keyFile = (key: KeyObject, tokenUri: string): string =>
  JSON.stringify({
    type: 'service_account',
    project_id: PROJECT,
    private_key_id: SERVICE_ACCOUNT.keyId,
    private_key: key.export({ type: 'pkcs8', format: 'pem' }),
    client_email: EMAIL,
    client_id: '100000000000000000000',
    token_uri: tokenUri,
  });

const GoogleSet = z.object({
  name: z.string(),
  type: z.string(),
  // Numbers may come as text, as everywhere in Google's JSON.
  ttl: z.coerce.number().int().min(0).default(0),
  rrdatas: z.array(z.string()).default([]),
  routingPolicy: z.unknown().optional(),
});
type GoogleSet = z.infer<typeof GoogleSet>;
const Change = z.object({ additions: z.array(GoogleSet).default([]), deletions: z.array(GoogleSet).default([]) });

interface GoogleZone {
  id: string;
  name: string;
  dnsName: string;
  visibility: 'public' | 'private';
  dnssec: 'on' | 'off';
  sets: GoogleSet[];
  changes: { id: string; startTime: string; additions: GoogleSet[]; deletions: GoogleSet[]; asked: number }[];
}

export interface GoogleOptions {
  port?: number;
  /** Number of polls before a change has ended. */
  pendingFor?: number;
}

export const start: StartDouble = (options) => startGoogleDouble(options);

export async function startGoogleDouble({ port, pendingFor = 0 }: GoogleOptions = {}) {
  const zones: GoogleZone[] = [];
  const tokens = new Map<string, number>();

  const zoneOf = (id: string): GoogleZone => {
    const zone = zones.find((one) => one.name === id || one.id === id);
    if (zone) return zone;
    throw refuse(404, 'notFound', `The 'parameters.managedZone' resource named '${id}' does not exist.`);
  };
  const create = (given: {
    name: string;
    dnsName: string;
    visibility?: 'public' | 'private';
    dnssec?: 'on' | 'off';
  }) => {
    const { name, dnsName, visibility = 'public', dnssec = 'off' } = given;
    const ns = { name: dnsName, type: 'NS', ttl: 21_600, rrdatas: [...SERVERS] };
    const soa = `${SERVERS[0]} cloud-dns-hostmaster.google.com. 1 21600 3600 259200 300`;
    const sets = [ns, { name: dnsName, type: 'SOA', ttl: 21_600, rrdatas: [soa] }];
    const zone: GoogleZone = {
      id: `${6_990_366_098 + zones.length}`,
      name,
      dnsName,
      visibility,
      dnssec,
      sets,
      changes: [],
    };
    zones.push(zone);
    return zone;
  };

  const listing = (kind: string, key: string, items: readonly unknown[], query: URLSearchParams) => {
    const from = Number(query.get('pageToken') ?? 0);
    const size = Math.min(Number(query.get('maxResults') ?? PAGE), PAGE);
    const more = items.length > from + size ? { nextPageToken: String(from + size) } : {};
    return json(200, { kind: `dns#${kind}`, [key]: items.slice(from, from + size), ...more });
  };

  const carryOut = (zone: GoogleZone, change: z.infer<typeof Change>) => {
    zone.sets = setsAfter(zone, change);
    const made = { id: String(212 + zone.changes.length), startTime: new Date().toISOString(), ...change, asked: 0 };
    zone.changes.push(made);
    return made;
  };
  const setAt = (zone: GoogleZone, { name, type }: Record<string, string>): GoogleSet => {
    const set = zone.sets.find((one) => one.name === name && one.type === type);
    if (set) return set;
    throw refuse(404, 'notFound', `The 'parameters.name' resource named '${name} (${type})' does not exist.`);
  };
  const projectOf = ({ params }: Routed): void => {
    if (params['project'] !== PROJECT) throw refuse(403, 'forbidden', 'Permission denied on the project.');
  };
  const inZone = (handler: (routed: Routed, zone: GoogleZone) => ReturnType<typeof json>) => (routed: Routed) => {
    projectOf(routed);
    return handler(routed, zoneOf(routed.params['zone'] ?? ''));
  };

  const ZONES = '/dns/v1/projects/:project/managedZones';
  const answer = router(
    {
      'POST /token': ({ request }) => grant(request),
      'POST /oauth2/v4/token': ({ request }) => grant(request),
      'GET /dns/v1/projects/:project': (routed) => {
        projectOf(routed);
        return json(200, { kind: 'dns#project', number: '1', id: PROJECT, quota: { kind: 'dns#quota' } });
      },
      [`GET ${ZONES}`]: (routed) => {
        projectOf(routed);
        const name = routed.query.get('dnsName');
        const found = zones.filter(({ dnsName }) => name === null || dnsName === name);
        return listing('managedZonesListResponse', 'managedZones', found.map(zoneJson), routed.query);
      },
      [`POST ${ZONES}`]: (routed) => {
        projectOf(routed);
        const given = z.object({ name: z.string(), dnsName: z.string().regex(/\.$/), visibility: z.enum(['public', 'private']).optional() }).safeParse(routed.json); // prettier-ignore
        if (!given.success) throw refuse(400, 'invalid', "Invalid value for 'entity.managedZone.dnsName'");
        const { name, dnsName, visibility = 'public' } = given.data;
        if (zones.some((zone) => zone.name === name))
          throw refuse(409, 'alreadyExists', `The resource 'entity.managedZone' named '${name}' already exists`);
        return json(200, zoneJson(create({ name, dnsName, visibility })));
      },
      [`GET ${ZONES}/:zone`]: inZone((_, zone) => json(200, zoneJson(zone))),
      [`GET ${ZONES}/:zone/rrsets`]: inZone(({ query }, { sets }) => {
        const [name, type] = [query.get('name'), query.get('type')];
        if (type !== null && name === null) throw refuse(400, 'invalid', "Parameter 'type' needs 'name'.");
        const found = sets.filter((set) => (name ?? set.name) === set.name && (type ?? set.type) === set.type);
        return listing('resourceRecordSetsListResponse', 'rrsets', found.map(setJson), query);
      }),
      [`POST ${ZONES}/:zone/rrsets`]: inZone(({ json: body }, zone) => {
        const set = read(GoogleSet, body);
        carryOut(zone, { additions: [set], deletions: [] });
        return json(200, setJson(set));
      }),
      [`GET ${ZONES}/:zone/rrsets/:name/:type`]: inZone(({ params }, zone) => json(200, setJson(setAt(zone, params)))),
      [`PATCH ${ZONES}/:zone/rrsets/:name/:type`]: inZone(({ params, json: body }, zone) => {
        const before = setAt(zone, params);
        const set = read(GoogleSet, { ...before, ...(body as object) });
        carryOut(zone, { additions: [set], deletions: [before] });
        return json(200, setJson(set));
      }),
      [`DELETE ${ZONES}/:zone/rrsets/:name/:type`]: inZone(({ params }, zone) => {
        carryOut(zone, { additions: [], deletions: [setAt(zone, params)] });
        return json(200, {});
      }),
      [`GET ${ZONES}/:zone/changes`]: inZone(
        ({ query }, { changes }) =>
        listing('changesListResponse', 'changes', changes.toReversed().map((one) => changeJson(one, 'done')), query), // prettier-ignore
      ),
      [`POST ${ZONES}/:zone/changes`]: inZone(({ json: body }, zone) =>
        json(200, changeJson(carryOut(zone, read(Change, body)), 'pending')),
      ),
      [`GET ${ZONES}/:zone/changes/:id`]: inZone(({ params }, { changes }) => {
        const found = changes.find(({ id }) => id === params['id']);
        if (!found)
          throw refuse(404, 'notFound', `The 'parameters.changeId' resource named '${params['id']}' does not exist.`);
        return json(200, changeJson(found, found.asked++ < pendingFor ? 'pending' : 'done'));
      }),
    },
    {
      before: (request) => {
        if (/\/token$/.test(request.url.pathname)) return;
        const token = (request.header('authorization') ?? '').replace(/^Bearer /, '');
        if ((tokens.get(token) ?? 0) > Date.now()) return;
        throw refuse(
          401,
          'authError',
          'Request had invalid authentication credentials. Expected OAuth 2 access token.',
        );
      },
      notFound: () => json(404, { error: { code: 404, message: 'Not Found', errors: [{ reason: 'notFound' }] } }),
    },
  );

  function grant({ body, header, url }: DoubleRequest) {
    const form = new URLSearchParams(body);
    const fail = (error: string, error_description: string) => json(400, { error, error_description });
    if (!/^application\/x-www-form-urlencoded/.test(header('content-type') ?? ''))
      return fail('invalid_request', 'Could not parse the request body.');
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return fail('unsupported_grant_type', 'Invalid grant_type.');
    const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
    const isSigned = verify('sha256', Buffer.from(`${head}.${claims}`), createPublicKey(own.publicKey.export({ type: 'spki', format: 'pem' })), Buffer.from(signature, 'base64url')); // prettier-ignore
    if (!isSigned) return fail('invalid_grant', 'Invalid JWT Signature.');
    const said = Claims.safeParse(JSON.parse(Buffer.from(claims, 'base64url').toString())).data;
    if (said?.iss !== EMAIL) return fail('invalid_grant', 'Invalid grant: account not found');
    if (![...AUDIENCES, `${url.origin}${url.pathname}`].includes(said.aud)) return fail('invalid_grant', 'Invalid JWT: Failed audience check.'); // prettier-ignore
    const now = Date.now() / 1_000;
    if (said.iat > now + 60 || said.exp < now || said.exp - said.iat > 3_600)
      return fail(
        'invalid_grant',
        'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.',
      );
    if (!/\/auth\/(ndev\.clouddns\.readwrite|cloud-platform)\b/.test(said.scope))
      return fail('invalid_scope', 'Invalid OAuth scope or ID token audience provided.');
    const token = accessToken(tokens.size + 1);
    tokens.set(token, Date.now() + TOKEN_SECONDS * 1_000);
    return json(200, { access_token: token, token_type: 'Bearer', expires_in: TOKEN_SECONDS - 1 });
  }

  const server = await serveDouble(answer, port);
  const zoneFor = (name: string) => zones.find(({ dnsName }) => dnsName === `${name}.`);
  return {
    stop: server.stop,
    url: `${server.url}/dns/v1`,
    tokenUrl: server.url,
    credential: { service_account_key: keyFile(own.privateKey, `${server.url}/token`) },
    stranger: { service_account_key: keyFile(keyPair().privateKey, `${server.url}/token`) },
    addZone: (name: string, records: readonly SeedRecord[] = []) => {
      const zone = create({ name: name.replaceAll('.', '-'), dnsName: `${name}.` });
      zone.sets.push(...setsOfSeeds(name, records));
    },
    served: (name: string) =>
      (zoneFor(name)?.sets ?? [])
        .filter(({ type }) => type !== 'SOA')
        .flatMap((set) => set.rrdatas.map((rdata) => ({ ...set, name: set.name.replace(/\.$/, ''), rdata }))),
    dump: (name: string) =>
      dumpOf((zoneFor(name)?.sets ?? []).filter(({ type }) => type !== 'SOA').flatMap(({ rrdatas, ...set }) => rrdatas.length === 0 ? [set] : rrdatas.map((rdata) => ({ ...set, rdata })))), // prettier-ignore
    create,
    zoneFor,
    /** Revokes all issued tokens. */
    revoke: () => {
      for (const token of tokens.keys()) tokens.set(token, 0);
    },
    granted: () => tokens.size,
  };
}

const Claims = z.object({ iss: z.string(), scope: z.string(), aud: z.string(), exp: z.number(), iat: z.number() });

const refuse = (code: number, reason: string, message: string) =>
  new Refused(json(code, { error: { code, message, errors: [{ domain: 'global', reason, message }] } }));

function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const given = schema.safeParse(body);
  if (given.success) return given.data;
  throw refuse(400, 'invalid', `Invalid value for 'entity.${given.error.issues[0]?.path.join('.') ?? ''}'`);
}

const zoneJson = ({ id, name, dnsName, visibility, dnssec }: GoogleZone) => ({
  kind: 'dns#managedZone',
  name,
  dnsName,
  description: '',
  id,
  nameServers: SERVERS,
  creationTime: '2018-07-06T18:42:27.476Z',
  visibility,
  dnssecConfig: {
    kind: 'dns#managedZoneDnsSecConfig',
    state: dnssec,
    defaultKeySpecs: [
      { kind: 'dns#dnsKeySpec', keyType: 'keySigning', algorithm: 'rsasha256', keyLength: 2048 },
      { kind: 'dns#dnsKeySpec', keyType: 'zoneSigning', algorithm: 'rsasha256', keyLength: 1024 },
    ],
    nonExistence: 'nsec3',
  },
});

const setJson = (set: GoogleSet) => ({ kind: 'dns#resourceRecordSet', ...set });

const changeJson = ({ id, startTime, additions, deletions }: GoogleZone['changes'][number], status: string) => ({
  kind: 'dns#change',
  ...(additions.length > 0 && { additions: additions.map(setJson) }),
  ...(deletions.length > 0 && { deletions: deletions.map(setJson) }),
  startTime,
  id,
  status,
});

/** Returns the sets of the zone after a change. Throws without any effect if a part is not allowed. */
function setsAfter(zone: GoogleZone, { additions, deletions }: z.infer<typeof Change>): GoogleSet[] {
  if (additions.length + deletions.length === 0) throw refuse(400, 'required', "The 'entity.change' parameter is required but was missing."); // prettier-ignore
  const isSame = (a: GoogleSet) => (b: GoogleSet) => a.name === b.name && a.type === b.type;
  const gone = deletions.map((set, i) => {
    const old = zone.sets.find(isSame(set));
    const at = `entity.change.deletions[${i}]`;
    if (!old) throw refuse(404, 'notFound', `The '${at}' resource named '${set.name} (${set.type})' does not exist.`);
    if (old.ttl !== set.ttl || dataOf(old) !== dataOf(set))
      throw refuse(412, 'conditionNotMet', `Precondition not met for '${at}'`);
    if (/^(NS|SOA)$/.test(set.type) && set.name === zone.dnsName && !additions.some(isSame(set)))
      throw refuse(400, 'invalidZoneApex', `The resource record set '${at}' is invalid because a zone must contain exactly one resource record set of type '${set.type}' at the apex.`); // prettier-ignore
    return old;
  });
  let sets = zone.sets.filter((set) => !gone.includes(set));
  for (const [i, set] of additions.entries()) {
    const at = `entity.change.additions[${i}]`;
    if (sets.some(isSame(set)))
      throw refuse(409, 'alreadyExists', `The resource '${at}' named '${set.name} (${set.type})' already exists`);
    sets = [...sets, checked(normalised(set), at, zone, sets)];
  }
  return sets;
}

/** Returns the values of a set for comparison: sorted, and text in one spelling of its quotes and spaces. */
const dataOf = (set: GoogleSet): string =>
  normalised(set).rrdatas.map((text) => (set.type === 'TXT' ? text.replaceAll(/"\s+"/g, '" "') : text)).toSorted().join('\n'); // prettier-ignore

/** Text without quotes gets them, word by word, as in a zone file, and so does the value of a CAA record. */
function normalised(set: GoogleSet): GoogleSet {
  const quoted = (text: string): string => {
    if (set.type === 'CAA') return text.replace(/^(\d+ \w+) ([^"].*)$/, '$1 "$2"');
    if (set.type !== 'TXT' || text.startsWith('"')) return text;
    return text.trim().split(/\s+/).map((word) => `"${word}"`).join(' '); // prettier-ignore
  };
  return { ...set, rrdatas: set.rrdatas.map(quoted) };
}

const TYPES = /^(A|AAAA|ALIAS|CAA|CNAME|DNSKEY|DS|HTTPS|IPSECKEY|MX|NAPTR|NS|PTR|SOA|SPF|SRV|SSHFP|SVCB|TLSA|TXT)$/;
const TARGETS = /^(ALIAS|CNAME|MX|NS|PTR|SRV)$/;

function checked(set: GoogleSet, at: string, zone: GoogleZone, others: readonly GoogleSet[]): GoogleSet {
  const invalid = (what: string, value: unknown) => refuse(400, 'invalid', `Invalid value for '${at}.${what}': '${String(value)}'`); // prettier-ignore
  if (!TYPES.test(set.type)) throw invalid('type', set.type);
  if (set.name !== zone.dnsName && !set.name.endsWith(`.${zone.dnsName}`)) throw invalid('name', set.name);
  if ((set.rrdatas.length === 0 && set.routingPolicy === undefined) || set.rrdatas.length > 100)
    throw invalid('rrdatas', set.rrdatas.length);
  if (new Set(set.rrdatas).size < set.rrdatas.length) throw invalid('rrdatas', 'duplicate');
  const bad = set.rrdatas.find((value) => isBad(set.type, value));
  if (bad !== undefined) throw invalid('rrdata', bad);
  const here = others.filter(({ name }) => name === set.name).map(({ type }) => type);
  const atApex = set.name === zone.dnsName;
  if (breaksCname(set.type, here) || (set.type === 'CNAME' && atApex))
    throw refuse(400, 'cnameResourceRecordSetConflict', `The resource record set '${at}' is invalid because the DNS name '${set.name}' has a CNAME resource record set and other resource record sets.`); // prettier-ignore
  if (set.type === 'ALIAS' && (!atApex || zone.dnssec === 'on')) throw invalid('type', 'ALIAS');
  return set;
}

function isBad(type: string, value: string): boolean {
  if (type === 'TXT')
    return !/^"(?:[^"\\]|\\.){0,1020}"(?:\s+"(?:[^"\\]|\\.){0,1020}")*$/s.test(value) || !isShort(value);
  if (type === 'CAA') return !/^\d+ [a-z0-9]+ "[^"]*"$/.test(value);
  return isBadAddress(type, value) || (TARGETS.test(type) && !value.endsWith('.'));
}

/** A character string has at most 255 bytes; an escape is one byte. */
const isShort = (value: string): boolean =>
  (value.match(/"(?:[^"\\]|\\.)*"/gs) ?? []).every(
    (quoted) => Buffer.byteLength(quoted.slice(1, -1).replaceAll(/\\(\d{3}|.)/gs, 'x')) <= 255,
  );

function setsOfSeeds(zone: string, records: readonly SeedRecord[]): GoogleSet[] {
  const sets = Map.groupBy(records, (seed) => `${hostOfSeed(seed, zone)}. ${seed.type}`);
  return [...sets].map(([key, seeds]) => {
    const [name = '', type = ''] = key.split(' ');
    return { name, type, ttl: seeds[0]?.ttl ?? 0, rrdatas: seeds.map(({ rdata }) => rdata) };
  });
}
