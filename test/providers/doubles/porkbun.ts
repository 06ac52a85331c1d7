import { z } from 'zod';
import { jsonOf } from '../../../src/net/json.ts';
import { absolute } from '../../../src/providers/toolkit/names.ts';
import { quoteTxt, unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import { dumpOf, hostOfSeed, type StartDouble } from './double.ts';
import { json, Refused, type Routed, router } from './router.ts';
import { serveDouble } from './serve.ts';
import { breaksCname, isBadAddress, priorityAndRest } from './zone-rules.ts';

/**
 * Porkbun's API. Every call is a POST with the keys in its body, and every refusal is a 400 with a sentence. Numbers
 * are returned as text and names as absolute. A TTL below 600 is raised silently. The calls by name and type delete
 * every value there.
 */
const KEYS = { apikey: 'pk1_0123456789abcdef0123456789abcdef', secretapikey: 'sk1_fedcba9876543210fedcba9876543210' };
const SERVERS = ['maceio', 'salvador', 'fortaleza', 'curitiba'];
const TYPES = /^(A|MX|CNAME|ALIAS|TXT|NS|AAAA|SRV|TLSA|CAA|HTTPS|SVCB|SSHFP|PTR)$/;
const DOMAINS_PER_PAGE = 1_000;
const TTL_MIN = 600;

interface Stored {
  id: string;
  name: string;
  type: string;
  content: string;
  ttl: string;
  prio: string | null;
  notes: string | null;
}

const NumberOrText = z.union([z.number(), z.string()]).transform(String);
const Given = z.object({
  name: z.string().nullish(),
  type: z.string(),
  content: z.string(),
  ttl: NumberOrText.nullish(),
  prio: NumberOrText.nullish(),
  notes: z.string().nullish(),
});

export const start: StartDouble = async ({ port } = {}) => {
  const zones = new Map<string, Stored[]>();
  let ids = 430_000_000;
  const refuse = (message: string) => new Refused(json(400, { status: 'ERROR', message }));
  const done = (more: object = {}) => json(200, { status: 'SUCCESS', ...more });
  const zoneOf = ({ params }: Routed): { name: string; records: Stored[] } => {
    const name = (params['domain'] ?? '').toLowerCase();
    const records = zones.get(name);
    if (!records) throw refuse('Invalid domain.');
    return { name, records };
  };
  const recordOf = (routed: Routed): { zone: ReturnType<typeof zoneOf>; record: Stored } => {
    const zone = zoneOf(routed);
    const record = zone.records.find(({ id }) => id === routed.params['id']);
    if (!record) throw refuse('Invalid record ID.');
    return { zone, record };
  };
  const stored = (body: unknown, zone: string, id: string): Stored => {
    const given = Given.safeParse(body);
    if (!given.success) throw refuse('A record needs a type and content.');
    const { name, type, content, ttl, prio, notes } = given.data;
    return {
      id,
      name: absolute(name ?? '', zone),
      type,
      content,
      ttl: String(Math.max(TTL_MIN, Number(ttl ?? TTL_MIN))),
      prio: prio ?? (type === 'NS' ? null : '0'),
      notes: notes ?? null,
    };
  };
  const check = (record: Stored, others: readonly Stored[], zone: string, refusal: string): void => {
    const { type, content, name } = record;
    if (!TYPES.test(type)) throw refuse('Invalid type.');
    if (content === '' || (type === 'TXT' && content.endsWith(' '))) throw refuse(refusal);
    if (isBadAddress(type, content) || (type === 'CAA' && !/^\d+ \w+ "\S*"$/.test(content))) throw refuse(refusal);
    if (name === zone && (type === 'NS' || type === 'CNAME')) throw refuse(refusal);
    const here = others.filter((other) => other.name === name);
    const isSame = (other: Stored) =>
      other.type === type && other.content === content && other.prio === record.prio && other.ttl === record.ttl;
    const types = here.filter((other) => !isSame(other)).map((other) => other.type);
    if (here.some(isSame) || breaksCname(type, types)) throw refuse(refusal);
  };
  const named = (routed: Routed): { zone: ReturnType<typeof zoneOf>; found: Stored[] } => {
    const zone = zoneOf(routed);
    const host = absolute(routed.params['subdomain'] ?? '', zone.name);
    const found = zone.records.filter(({ name, type }) => name === host && type === routed.params['type']);
    return { zone, found };
  };
  const removeNamed = (routed: Routed) => {
    const { zone, found } = named(routed);
    if (found.length === 0) throw refuse('No records found that match the criteria.');
    zone.records.splice(0, zone.records.length, ...zone.records.filter((record) => !found.includes(record)));
    return done();
  };
  const editNamed = (routed: Routed) => {
    const { zone, found } = named(routed);
    const { type = '', subdomain = '' } = routed.params;
    for (const record of found) {
      const next = stored({ ...(routed.json as object), type, name: subdomain }, zone.name, record.id);
      zone.records.splice(zone.records.indexOf(record), 1, next);
    }
    return done();
  };

  const api = '/api/json/v3';
  const answer = router(
    {
      [`POST ${api}/ping`]: () => done({ yourIp: '127.0.0.1', xForwardedFor: '127.0.0.1' }),
      [`POST ${api}/domain/listAll`]: ({ json: body }) => {
        const first = Number(z.object({ start: NumberOrText.optional() }).parse(body).start ?? 0);
        const domains = [...zones.keys()].slice(first, first + DOMAINS_PER_PAGE).map((domain) => ({
          domain,
          status: 'ACTIVE',
          tld: domain.split('.').at(-1),
          createDate: '2026-01-01 00:00:00',
          expireDate: '2027-01-01 00:00:00',
          securityLock: '1',
          whoisPrivacy: '1',
          autoRenew: 0,
          notLocal: 0,
        }));
        return done({ domains });
      },
      [`POST ${api}/domain/getNs/:domain`]: (routed) => {
        zoneOf(routed);
        return done({ ns: SERVERS.map((server) => `${server}.ns.porkbun.com`) });
      },
      [`POST ${api}/domain/getUrlForwarding/:domain`]: (routed) => {
        zoneOf(routed);
        return done({ forwards: [] });
      },
      [`POST ${api}/dns/retrieve/:domain`]: (routed) =>
        done({ cloudflare: 'enabled', records: zoneOf(routed).records }),
      [`POST ${api}/dns/retrieve/:domain/:id`]: (routed) => {
        const found = zoneOf(routed).records.filter(({ id }) => id === routed.params['id']);
        return done({ cloudflare: 'enabled', records: found });
      },
      [`POST ${api}/dns/retrieveByNameType/:domain/:type`]: (routed) =>
        done({ cloudflare: 'enabled', records: named(routed).found }),
      [`POST ${api}/dns/retrieveByNameType/:domain/:type/:subdomain`]: (routed) =>
        done({ cloudflare: 'enabled', records: named(routed).found }),
      [`POST ${api}/dns/create/:domain`]: (routed) => {
        const zone = zoneOf(routed);
        const record = stored(routed.json, zone.name, String(ids++));
        check(record, zone.records, zone.name, 'Create error: We were unable to create the DNS record.');
        zone.records.push(record);
        return done({ id: Number(record.id) });
      },
      [`POST ${api}/dns/edit/:domain/:id`]: (routed) => {
        const { zone, record } = recordOf(routed);
        const next = stored(routed.json, zone.name, record.id);
        check(next, zone.records.filter((other) => other !== record), zone.name, 'Edit error: We were unable to edit the DNS record.'); // prettier-ignore
        if (JSON.stringify(next) === JSON.stringify(record))
          throw refuse('Edit error: We were unable to edit the DNS record.');
        zone.records.splice(zone.records.indexOf(record), 1, next);
        return done();
      },
      [`POST ${api}/dns/editByNameType/:domain/:type`]: editNamed,
      [`POST ${api}/dns/editByNameType/:domain/:type/:subdomain`]: editNamed,
      [`POST ${api}/dns/delete/:domain/:id`]: (routed) => {
        const { zone, record } = recordOf(routed);
        if (record.type === 'NS' && record.name === zone.name)
          throw refuse('Delete error: We were unable to delete the DNS record.');
        zone.records.splice(zone.records.indexOf(record), 1);
        return done();
      },
      [`POST ${api}/dns/deleteByNameType/:domain/:type`]: removeNamed,
      [`POST ${api}/dns/deleteByNameType/:domain/:type/:subdomain`]: removeNamed,
    },
    {
      before: ({ body }) => {
        const keys = z.object({ apikey: z.string(), secretapikey: z.string() }).safeParse(jsonOf(body));
        if (!keys.success) throw refuse('All API requests require both an API key and a secret API key. (000)');
        if (keys.data.apikey !== KEYS.apikey || keys.data.secretapikey !== KEYS.secretapikey)
          throw refuse('Invalid API key. (001)');
      },
      notFound: () => json(404, { status: 'ERROR', message: 'The requested API endpoint does not exist.' }),
    },
  );

  const server = await serveDouble(answer, port);
  return {
    ...server,
    url: `${server.url}${api}`,
    credential: { api_key: KEYS.apikey, secret_api_key: KEYS.secretapikey },
    stranger: {
      api_key: 'pk1_of_somebody_else_0123456789abcdef',
      secret_api_key: 'sk1_of_somebody_else_0123456789abcd',
    },
    addZone: (name, records = []) => {
      const own = SERVERS.map((host) => ({
        name,
        type: 'NS',
        content: `${host}.porkbun.com`,
        ttl: '86400',
        prio: null,
      }));
      const seeds = records.map((seed) => ({
        name: hostOfSeed(seed, name),
        type: seed.type,
        ttl: String(seed.ttl),
        ...fromSeed(seed.type, seed.rdata),
      }));
      zones.set(
        name,
        [...own, ...seeds].map((record) => ({ ...record, id: String(ids++), notes: null })),
      );
    },
    served: (zone) =>
      (zones.get(zone) ?? []).map(({ name, type, ttl, content, prio }) => ({
        name,
        type,
        ttl: Number(ttl),
        rdata: rdataOf(type, content, prio),
      })),
    dump: (zone) => dumpOf((zones.get(zone) ?? []).map(({ id: _, ...record }) => record)),
  };
};

function fromSeed(type: string, rdata: string): { content: string; prio: string | null } {
  if (type === 'TXT') return { content: unquoteTxt(rdata), prio: '0' };
  if (type !== 'MX' && type !== 'SRV') return { content: rdata.replace(/\.$/, ''), prio: type === 'NS' ? null : '0' };
  const { priority, rest } = priorityAndRest(rdata);
  return { content: rest, prio: String(priority) };
}

function rdataOf(type: string, content: string, prio: string | null): string {
  if (type === 'TXT') return quoteTxt(content);
  if (type === 'MX' || type === 'SRV') return `${prio ?? '0'} ${content.replace(/\.$/, '')}.`;
  return ['CNAME', 'ALIAS', 'NS'].includes(type) ? `${content.replace(/\.$/, '')}.` : content;
}
