import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { absolute, fromRelative, relative } from '../../../src/providers/toolkit/names.ts';
import { dumpOf, type StartDouble } from './double.ts';
import { json, pageOf, Refused, type Routed, router } from './router.ts';
import { serveDouble } from './serve.ts';
import { breaksCname, isBadAddress, priorityAndRest } from './zone-rules.ts';

/**
 * Scaleway's Domains and DNS API. A request contains several changes, which take effect completely or not at all. Values
 * are in zone-file form; the priority of an MX record may also be sent in a field of its own.
 */
const KEY = '2b4c5d6e-0123-4567-89ab-cdef01234567';
const PREFIX = '/domain/v2beta1';
const SERVERS = ['ns0.dom.scw.cloud.', 'ns1.dom.scw.cloud.'];
const PROJECT = '6867048b-fe12-4e96-835e-41c79a39604b';
const PAGE_MAX = 1_000;

interface Stored {
  id: string;
  name: string;
  type: string;
  data: string;
  priority: number;
  ttl: number;
  comment: string | null;
  updated_at: string;
  [config: `${string}_config`]: unknown;
}

const Given = z.looseObject({
  name: z.string().default(''),
  type: z.string(),
  data: z.string(),
  ttl: z.number().int(),
  priority: z.number().default(0),
  comment: z.string().nullish(),
});
type Given = z.infer<typeof Given>;
const Fields = z.object({ name: z.string(), type: z.string(), data: z.string().nullish(), ttl: z.number().nullish() });
const Target = { id: z.string().optional(), id_fields: Fields.optional() };
const Change = z.union([
  z.object({ add: z.object({ records: z.array(Given) }) }),
  z.object({ set: z.object({ ...Target, records: z.array(Given) }) }),
  z.object({ delete: z.object(Target) }),
  z.object({ clear: z.object({}) }),
]);
const Changes = z.object({ changes: z.array(Change), return_all_records: z.boolean().optional() });

export const start: StartDouble = async ({ port } = {}) => {
  const zones = new Map<string, Stored[]>();
  const refuse = (status: number, type: string, more: object = {}) =>
    new Refused(json(status, { type, message: type.replaceAll('_', ' '), ...more }));
  const invalid = (argument_name: string, help_message: string) =>
    refuse(400, 'invalid_arguments', { details: [{ argument_name, reason: 'constraint', help_message }] });
  const zoneOf = ({ params }: Routed): { name: string; records: Stored[] } => {
    const name = params['zone'] ?? '';
    const records = zones.get(name);
    // A zone of another account is refused like one that does not exist.
    if (!records) throw refuse(403, 'permissions_denied', { details: [{ resource: 'zone', action: 'read' }] });
    return { name, records };
  };
  const listing = (key: string, items: readonly unknown[], query: URLSearchParams) => {
    const size = Number(query.get('page_size') ?? 20);
    if (!(size >= 1 && size <= PAGE_MAX)) throw invalid('page_size', 'page_size must be 1 to 1000');
    return json(200, {
      total_count: items.length,
      [key]: pageOf(items, Number(query.get('page') ?? 1), size).items,
    });
  };
  const zoneJson = (name: string) => {
    const labels = name.split('.');
    return {
      domain: labels.slice(-2).join('.'),
      subdomain: labels.slice(0, -2).join('.'),
      ns: SERVERS,
      ns_default: SERVERS,
      ns_master: [],
      status: 'active',
      message: null,
      updated_at: '2026-01-01T00:00:00Z',
      project_id: PROJECT,
      linked_products: [],
    };
  };
  const stored = (given: Given, zone: string): Stored => {
    const { priority, data } = withPriority(given);
    return {
      id: randomUUID(),
      name: relative(absolute(given.name, zone), zone, ''),
      type: given.type,
      data,
      priority,
      ttl: given.ttl,
      comment: given.comment ?? null,
      updated_at: '2026-01-01T00:00:00Z',
      // A dynamic record has one of several configurations.
      ...Object.fromEntries(Object.entries(given).filter(([key]) => key.endsWith('_config'))),
    };
  };
  const check = ({ name, type, data, ttl }: Stored, others: readonly Stored[]): void => {
    if (!TYPES.test(type)) throw invalid('type', `${type} is not a type of record`);
    if (ttl < 60) throw invalid('ttl', 'ttl must be at least 60');
    if (isBadAddress(type, data)) throw invalid('data', 'data is not a valid address');
    if (type === 'TXT' && !/^"(?:[^"\\]|\\.)*"(?: "(?:[^"\\]|\\.)*")*$/s.test(data))
      throw invalid('data', 'data must be in quotation marks');
    const here = others.filter((other) => other.name === name).map((other) => other.type);
    if (breaksCname(type, here) || (type === 'CNAME' && name === ''))
      throw invalid('name', 'a CNAME record cannot coexist with another record of the same name');
  };
  /** Returns the records that a change selects by id, or by name, type and optionally data and TTL. */
  const selected = (
    records: readonly Stored[],
    { id, id_fields }: { id?: string | undefined; id_fields?: z.infer<typeof Fields> | undefined },
  ) => {
    // prettier-ignore
    const found = records.filter((record) =>
      id_fields === undefined
        ? record.id === id
        : record.name === id_fields.name.replace(/^@$/, '') && record.type === id_fields.type && (id_fields.data ?? record.data) === record.data && (id_fields.ttl ?? record.ttl) === record.ttl, // prettier-ignore
    );
    if (found.length === 0) throw refuse(404, 'not_found', { resource: 'record', resource_id: id ?? '' });
    return found;
  };
  const update = (routed: Routed) => {
    const zone = zoneOf(routed);
    const given = Changes.safeParse(routed.json);
    if (!given.success) throw invalid(given.error.issues[0]?.path.join('.') ?? '', 'is not valid');
    let records = zone.records;
    const made: Stored[] = [];
    const add = (news: readonly Given[]): void => {
      for (const one of news) {
        const record = stored(one, zone.name);
        if (records.some(({ name, type, data }) => name === record.name && type === record.type && data === record.data)) continue; // prettier-ignore
        check(record, records);
        records = [...records, record];
        made.push(record);
      }
    };
    for (const change of given.data.changes) {
      if ('clear' in change) records = records.filter(({ type, name }) => type === 'NS' && name === '');
      else if ('add' in change) add(change.add.records);
      else {
        const gone = selected(records, 'set' in change ? change.set : change.delete);
        records = records.filter((record) => !gone.includes(record));
        if ('set' in change) add(change.set.records);
      }
    }
    zones.set(zone.name, records);
    return json(200, { records: given.data.return_all_records === true ? records : made });
  };

  const answer = router(
    {
      [`GET ${PREFIX}/dns-zones`]: ({ query }) => {
        const [domain, zone] = [query.get('domain'), query.get('dns_zone') ?? query.get('dns_zones')];
        const found = [...zones.keys()].filter((name) => (zone ?? name) === name && [null, '', zoneJson(name).domain].includes(domain)); // prettier-ignore
        return listing('dns_zones', found.map(zoneJson), query);
      },
      [`GET ${PREFIX}/dns-zones/:zone/records`]: (routed) => {
        const { query } = routed;
        const [name, type, id] = [query.get('name') || null, query.get('type'), query.get('id')];
        const found = zoneOf(routed).records.filter(
          (record) => (name ?? record.name) === record.name && (type ?? record.type) === record.type && (id ?? record.id) === record.id, // prettier-ignore
        );
        return listing('records', found, query);
      },
      [`PATCH ${PREFIX}/dns-zones/:zone/records`]: update,
      [`GET ${PREFIX}/dns-zones/:zone/nameservers`]: (routed) => {
        zoneOf(routed);
        return json(200, { ns: SERVERS.map((server) => ({ name: server.replace(/\.$/, ''), ip: [] })) });
      },
    },
    {
      before: ({ header }) => {
        if (header('x-auth-token') !== KEY)
          throw refuse(401, 'denied_authentication', { message: 'authentication is denied', method: 'api_key', reason: 'not_found' }); // prettier-ignore
      },
      notFound: () => json(404, { type: 'unknown_resource', message: 'unknown service' }),
    },
  );

  const server = await serveDouble(answer, port);
  return {
    ...server,
    url: `${server.url}${PREFIX}`,
    credential: { secret_key: KEY },
    stranger: { secret_key: '99999999-0123-4567-89ab-cdef01234567' },
    addZone: (name, seeds = []) => {
      const own = SERVERS.map((rdata) => ({ name: '', type: 'NS', ttl: 1_800, rdata }));
      const given = [...own, ...seeds].map(({ rdata, ...seed }) => ({ ...seed, data: rdata, priority: 0 }));
      zones.set(name, given.map((record) => stored(record, name))); // prettier-ignore
    },
    served: (zone) =>
      (zones.get(zone) ?? []).map(({ name, type, ttl, data }) => ({
        name: fromRelative(name, zone),
        type,
        ttl,
        rdata: data,
      })),
    dump: (zone) => dumpOf((zones.get(zone) ?? []).map(({ id: _, ...record }) => record)),
  };
};

const TYPES = /^(A|AAAA|ALIAS|CAA|CNAME|DNAME|DS|HINFO|HTTPS|LOC|MX|NAPTR|NS|PTR|RP|SRV|SSHFP|SVCB|TLSA|TXT|URI)$/;

/** The data of an MX record begins with its priority, also if the priority was sent separately. */
function withPriority({ type, data, priority }: Given): { data: string; priority: number } {
  if (type !== 'MX') return { data, priority: 0 };
  return /^\d+\s/.test(data)
    ? { data, priority: priorityAndRest(data).priority }
    : { data: `${priority} ${data}`, priority };
}
