import { z } from 'zod';
import { fromRelative } from '../../../src/providers/toolkit/names.ts';
import { quoteTxt, unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import type { SeedRecord } from '../lab.ts';
import { counted, type RequestLimit } from './counted.ts';
import { dumpOf, type DoubleOptions, type ServedRecord, type StartDouble } from './double.ts';
import { empty, json, pageOf, Refused, type Routed, router } from './router.ts';
import { serveDouble } from './serve.ts';
import { breaksCname, isBadAddress, priorityAndRest } from './zone-rules.ts';

/**
 * DNSimple's API v2. Names are relative, with an empty name for the zone. Targets have no trailing dot. Text is stored
 * as it was sent. A duplicate value is refused. An ALIAS adds a TXT record. The reset time of the limit counts from
 * 1970.
 */
const TOKEN = 'laboratory-dnsimple-a-0123456789abcdefghij';
const SERVERS = ['ns1.dnsimple.com', 'ns2.dnsimple-edge.net', 'ns3.dnsimple.com', 'ns4.dnsimple-edge.org'];
const TIME = '2018-07-09T05:29:54Z';
const LIMITS = { 'x-ratelimit-limit': '2400', 'x-ratelimit-remaining': '2399', 'x-ratelimit-reset': '1531117887' };
const LIMIT: RequestLimit = {
  count: 2_400,
  seconds: 3_600,
  refuse: ({ resetAt }) =>
    json(429, { message: 'quota exceeded' }, { ...LIMITS, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': resetAt }),
};

interface Stored {
  id: number;
  zone_id: string;
  parent_id: number | null;
  name: string;
  content: string;
  ttl: number;
  priority: number | null;
  type: string;
  regions: string[];
  system_record: boolean;
  created_at: string;
  updated_at: string;
}
interface DnsimpleZone {
  id: number;
  account: number;
  name: string;
  secondary: boolean;
  active: boolean;
  dnssec: boolean;
  records: Stored[];
}

const Changes = z.object({
  name: z.string().nullish(),
  content: z.string().optional(),
  ttl: z.coerce.number().int().optional(),
  // An invalid priority counts as none, and so do invalid regions.
  priority: z.number().nullish().catch(null),
  regions: z.array(z.string()).min(1).optional().catch(undefined),
});
const NewRecord = Changes.extend({ type: z.string(), content: z.string() });

export const start: StartDouble = (options) => startDnsimpleDouble(options);

export async function startDnsimpleDouble({
  port,
  counts,
  accounts = [731],
}: DoubleOptions & { accounts?: number[] } = {}) {
  const zones: DnsimpleZone[] = [];
  let ids = 502_856;

  const refuse = (status: number, message: string, errors?: Record<string, string[]>) =>
    new Refused(json(status, { message, ...(errors && { errors }) }, LIMITS));
  const stored = (zone: string, given: Pick<Stored, 'type' | 'content'> & Partial<Stored>): Stored => ({
    id: ids++,
    zone_id: zone,
    parent_id: null,
    name: '',
    ttl: 3_600,
    priority: null,
    regions: ['global'],
    system_record: false,
    created_at: TIME,
    updated_at: TIME,
    ...given,
  });
  /** Host names lose their trailing dot, except in SRV records. */
  const targeted = <R extends { type: string; content: string }>(record: R): R =>
    /^(ALIAS|CNAME|MX|NS|PTR)$/.test(record.type) ? { ...record, content: record.content.replace(/\.$/, '') } : record;
  const create = (
    name: string,
    { account = accounts[0] ?? 0, secondary = false, active = true } = {},
  ): DnsimpleZone => {
    const soa = stored(name, { type: 'SOA', content: `ns1.dnsimple.com admin.dnsimple.com 1531114244 86400 7200 604800 300`, system_record: true }); // prettier-ignore
    const ns = SERVERS.map((content) => stored(name, { type: 'NS', content, system_record: true }));
    const zone = { id: ids++, account, name, secondary, active, dnssec: false, records: [soa, ...ns] };
    zones.push(zone);
    return zone;
  };

  const accountOf = ({ params: { account } }: Routed): number => {
    if (!accounts.includes(Number(account))) throw refuse(404, `Account \`${account}\` not found`);
    return Number(account);
  };
  const zoneOf = (routed: Routed): DnsimpleZone => {
    const account = accountOf(routed);
    const { zone: name } = routed.params;
    const zone = zones.find((one) => one.account === account && (one.name === name || String(one.id) === name));
    if (!zone) throw refuse(404, `Zone \`${name}\` not found`);
    return zone;
  };
  const recordOf = (routed: Routed): { zone: DnsimpleZone; record: Stored } => {
    const zone = zoneOf(routed);
    const record = zone.records.find(({ id }) => String(id) === routed.params['id']);
    if (!record) throw refuse(404, `Record \`${routed.params['id']}\` not found`);
    return { zone, record };
  };
  const editable = (record: Stored): Stored => {
    if (record.system_record) throw refuse(400, 'Validation failed', { base: ['System records cannot be changed'] });
    return record;
  };
  const paged = (items: readonly object[], { query }: Routed) => {
    const [current_page, per_page] = [Number(query.get('page') ?? 1), Math.min(Number(query.get('per_page') ?? 30), 100)]; // prettier-ignore
    const cut = pageOf(items, current_page, per_page);
    const pagination = { current_page, per_page, total_entries: items.length, total_pages: cut.pages };
    return json(200, { data: cut.items, pagination }, LIMITS);
  };
  const named = (routed: Routed): DnsimpleZone[] => {
    const account = accountOf(routed);
    const like = routed.query.get('name_like') ?? '';
    return zones.filter((zone) => zone.account === account && zone.name.includes(like));
  };
  const read = <T>(schema: z.ZodType<T>, body: unknown): T => {
    const given = schema.safeParse(body);
    if (given.success) return given.data;
    const [issue] = given.error.issues;
    throw refuse(400, 'Validation failed', { [issue?.path.join('.') ?? 'base']: [issue?.message ?? 'is invalid'] });
  };
  const check = (record: Stored, zone: DnsimpleZone): void => {
    const fault = faultOf(record, zone);
    if (fault) throw refuse(400, fault.base ? fault.base : 'Validation failed', { [fault.field]: [fault.why] });
  };
  /** The TXT record with the target of an ALIAS. */
  const companion = ({ id, zone_id, name, ttl, content }: Stored): Stored =>
    stored(zone_id, { type: 'TXT', content: `ALIAS for ${content}`, name, ttl, parent_id: id, regions: ['global'] });

  const DNSSEC = '/v2/:account/domains/:zone/dnssec';
  const RECORDS = '/v2/:account/zones/:zone/records';
  const answer = router(
    {
      'GET /v2/whoami': () => json(200, { data: { user: null, account: accountJson(accounts[0] ?? 0) } }, LIMITS),
      'GET /v2/accounts': () => json(200, { data: accounts.map(accountJson) }, LIMITS),
      'GET /v2/:account/domains': (routed) => paged(named(routed).map(domainJson), routed),
      'GET /v2/:account/domains/:zone': (routed) => json(200, { data: domainJson(zoneOf(routed)) }, LIMITS),
      'POST /v2/:account/domains': (routed) => {
        const { name } = read(z.object({ name: z.string().min(3) }), routed.json);
        if (zones.some((zone) => zone.name === name)) throw refuse(400, 'Validation failed', { name: ['has already been taken'] }); // prettier-ignore
        return json(201, { data: domainJson(create(name, { account: accountOf(routed) })) }, LIMITS);
      },
      [`GET ${DNSSEC}`]: (routed) => json(200, { data: dnssecJson(zoneOf(routed)) }, LIMITS),
      [`POST ${DNSSEC}`]: (routed) => {
        const zone = Object.assign(zoneOf(routed), { dnssec: true });
        return json(201, { data: dnssecJson(zone) }, LIMITS);
      },
      [`DELETE ${DNSSEC}`]: (routed) => {
        zoneOf(routed).dnssec = false;
        return empty(204, LIMITS);
      },
      'GET /v2/:account/zones': (routed) => paged(named(routed).map(zoneJson), routed),
      'GET /v2/:account/zones/:zone': (routed) => json(200, { data: zoneJson(zoneOf(routed)) }, LIMITS),
      'POST /v2/:account/zones/:zone/batch': () => {
        throw refuse(412, 'The feature is not enabled for your plan');
      },
      [`GET ${RECORDS}`]: (routed) => {
        const { query } = routed;
        const [name, like, type] = [query.get('name'), query.get('name_like') ?? '', query.get('type')];
        const found = zoneOf(routed).records.filter(
          (record) => (name ?? record.name) === record.name && record.name.includes(like) && (type ?? record.type) === record.type, // prettier-ignore
        );
        return paged(found, routed);
      },
      [`POST ${RECORDS}`]: (routed) => {
        const zone = zoneOf(routed);
        const { name, ttl, priority, regions, ...given } = targeted(read(NewRecord, routed.json));
        const record = stored(zone.name, { ...given, name: name ?? '', ...(ttl !== undefined && { ttl }), ...(regions && { regions }), priority: priority ?? null }); // prettier-ignore
        check(record, zone);
        zone.records.push(record, ...(record.type === 'ALIAS' ? [companion(record)] : []));
        return json(201, { data: record }, LIMITS);
      },
      [`GET ${RECORDS}/:id`]: (routed) => json(200, { data: recordOf(routed).record }, LIMITS),
      [`PATCH ${RECORDS}/:id`]: (routed) => {
        const { zone, record } = recordOf(routed);
        const { name, content, ttl, priority, regions } = read(Changes, routed.json);
        const next: Stored = targeted({
          ...editable(record),
          name: name ?? record.name,
          content: content ?? record.content,
          ttl: ttl ?? record.ttl,
          priority: priority ?? record.priority,
          regions: regions ?? record.regions,
        });
        check(next, { ...zone, records: zone.records.filter((one) => one !== record) });
        Object.assign(record, next);
        return json(200, { data: record }, LIMITS);
      },
      [`DELETE ${RECORDS}/:id`]: (routed) => {
        const { zone, record } = recordOf(routed);
        const { id } = editable(record);
        zone.records = zone.records.filter((one) => one.id !== id && one.parent_id !== id);
        return empty(204, LIMITS);
      },
    },
    {
      before: ({ header }) => {
        if (header('authorization') !== `Bearer ${TOKEN}`) throw refuse(401, 'Authentication failed');
      },
      notFound: () => refuse(404, 'Not found').answer,
    },
  );

  const server = await serveDouble(counts ? counted(answer, LIMIT) : answer, port);
  const recordsOf = (zone: string) => (zones.find(({ name }) => name === zone)?.records ?? []).filter(({ type }) => type !== 'SOA'); // prettier-ignore
  return {
    stop: server.stop,
    url: `${server.url}/v2`,
    credential: { api_token: TOKEN },
    stranger: { api_token: 'somebody-else-dnsimple-a-9876543210zyxwvut' },
    addZone: (name: string, records: readonly SeedRecord[] = []) => {
      const zone = create(name);
      zone.records.push(...records.map((seed) => stored(name, { ...fromSeed(seed), name: seed.name, ttl: seed.ttl })));
    },
    served: (zone: string): ServedRecord[] => recordsOf(zone).map((record) => asServed(record, zone)),
    dump: (zone: string) => dumpOf(recordsOf(zone).map(({ id: _, parent_id, ...record }) => ({ ...record, dependent: parent_id !== null }))), // prettier-ignore
    create,
    recordsOf,
  };
}

const accountJson = (id: number) => ({
  id,
  email: 'someone@example.com',
  plan_identifier: 'dnsimple-business',
  created_at: TIME,
  updated_at: TIME,
});

const domainJson = ({ id, account, name }: DnsimpleZone) => ({
  id,
  account_id: account,
  registrant_id: null,
  name,
  unicode_name: name,
  state: 'hosted',
  auto_renew: false,
  private_whois: false,
  expires_on: null,
  created_at: TIME,
  updated_at: TIME,
});

const dnssecJson = ({ dnssec }: DnsimpleZone) => ({ enabled: dnssec, created_at: TIME, updated_at: TIME });

const zoneJson = ({ id, account, name, secondary, active }: DnsimpleZone) => ({
  id,
  account_id: account,
  name,
  reverse: false,
  secondary,
  last_transferred_at: null,
  active,
  created_at: TIME,
  updated_at: TIME,
});

const TYPES = /^(A|AAAA|ALIAS|CAA|CNAME|DNSKEY|DS|HINFO|MX|NAPTR|NS|POOL|PTR|SPF|SRV|SSHFP|TXT|URL)$/;

function faultOf(record: Stored, zone: DnsimpleZone): { field: string; why: string; base?: string } | undefined {
  const { type, name, content, ttl, priority } = record;
  if (!TYPES.test(type)) return { field: 'record_type', why: 'is not included in the list' };
  if (content === '') return { field: 'content', why: "can't be blank" };
  if (ttl < 60) return { field: 'ttl', why: 'must be greater than or equal to 60' };
  if (isBadAddress(type, content)) return { field: 'content', why: `is not a valid address: ${content}` };
  const text = unquoteTxt(content);
  const quotes = (text.match(/"/g) ?? []).length;
  if (type === 'TXT' && (content.length > 1_000 || text.endsWith(' ') || text === '' || quotes % 2 === 1))
    return { field: 'content', why: 'is not valid text' };
  const here = zone.records.filter((one) => one.name === name);
  if (here.some((one) => one.type === type && one.content === content && one.priority === priority))
    return { field: 'base', why: 'Zone record already exists', base: 'Zone record already exists' };
  if (breaksCname(type, here.map((one) => one.type))) return { field: 'base', why: 'A CNAME record cannot coexist with other records' }; // prettier-ignore
  return undefined;
}

/** Seeds are zone-file lines; the API has a separate field for the priority, and names without a dot. */
function fromSeed({ type, rdata }: SeedRecord): Pick<Stored, 'type' | 'content' | 'priority'> {
  if (type === 'MX' || type === 'SRV') {
    const { priority, rest } = priorityAndRest(rdata);
    return { type, content: rest, priority };
  }
  return { type, content: type === 'TXT' ? rdata : rdata.replace(/\.$/, ''), priority: null };
}

function asServed({ name, type, ttl, content, priority }: Stored, zone: string): ServedRecord {
  const rdata: Record<string, string> = {
    TXT: quoteTxt(unquoteTxt(content)),
    MX: `${priority ?? 0} ${content}.`,
    SRV: `${priority ?? 0} ${content.replace(/\.$/, '')}.`,
    CNAME: `${content}.`,
    NS: `${content}.`,
    ALIAS: `${content}.`,
  };
  return { name: fromRelative(name, zone), type, ttl, rdata: rdata[type] ?? content };
}
