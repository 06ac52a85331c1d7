import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { quoteTxt, unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import type { SeedRecord } from '../lab.ts';
import { dumpOf, hostOfSeed, ownServers, type ServedRecord, type StartDouble } from './double.ts';
import { empty, json, Refused, type Routed, router } from './router.ts';
import { serveDouble } from './serve.ts';
import { breaksCname, isBadAddress, priorityAndRest } from './zone-rules.ts';

/**
 * IONOS's DNS API. Names are absolute, records are created as a list, and text gets quotes. A list takes effect
 * completely or not at all. Errors are lists too. PATCH replaces the records of the sent names and types, and PUT all
 * records of the zone.
 */
const KEY = 'a1b2c3d4e5f60718293a4b5c6d7e8f90.laboratory-Secret_0123456789abcdefghijklmnopqrstuvwxyz';
const SERVERS = ['ns1045.ui-dns.com', 'ns1045.ui-dns.de', 'ns1045.ui-dns.org', 'ns1045.ui-dns.biz'];

const Given = z.object({
  name: z.string(),
  type: z.string(),
  content: z.string(),
  ttl: z.number().int().default(3_600),
  prio: z.number().int().default(0),
  disabled: z.boolean().default(false),
});
type Given = z.infer<typeof Given>;
type Stored = Given & { id: string };

interface StoredZone {
  id: string;
  name: string;
  records: Stored[];
}

export const start: StartDouble = async ({ port } = {}) => {
  const zones: StoredZone[] = [];
  const refuse = (status: number, code: string, message: string, parameters?: object) =>
    new Refused(json(status, [{ code, message, ...(parameters && { parameters }) }]));
  const invalid = (errorRecord: object, ...invalidFields: string[]) =>
    refuse(400, 'INVALID_RECORD', 'Record is invalid.', { errorRecord, invalidFields });
  const zoneOf = ({ params }: Routed): StoredZone => {
    const zone = zones.find(({ id }) => id === params['zone']);
    if (!zone) throw refuse(404, 'ZONE_NOT_FOUND', 'Zone does not exist.');
    return zone;
  };
  const recordOf = (routed: Routed): { zone: StoredZone; record: Stored } => {
    const zone = zoneOf(routed);
    const record = zone.records.find(({ id }) => id === routed.params['id']);
    if (!record) throw refuse(404, 'RECORD_NOT_FOUND', 'Record does not exist.');
    return { zone, record };
  };
  const recordJson = (record: Stored, zone: StoredZone) => ({
    ...record,
    rootName: zone.name,
    changeDate: '2026-01-01T00:00:00.000Z',
  });
  const sentIn = (body: unknown): Given[] => {
    const given = z.array(Given).safeParse(body);
    if (given.success) return given.data;
    throw refuse(400, 'INVALID_DATA', 'The request body is invalid or not supported by the endpoint.');
  };
  const stored = (given: Given): Stored => {
    const isTarget = /^(CNAME|MX|NS|SRV)$/.test(given.type);
    const content = given.type === 'TXT' && !given.content.startsWith('"') ? quoteTxt(given.content) : isTarget ? given.content.replace(/\.$/, '') : given.content; // prettier-ignore
    return { ...given, name: given.name.toLowerCase(), content, id: randomUUID() };
  };
  /** Returns the records after these were added. Throws without any effect if one is invalid. */
  const withAll = (
    zone: StoredZone,
    before: readonly Stored[],
    given: readonly Given[],
  ): { all: Stored[]; made: Stored[] } => {
    // prettier-ignore
    const made = given.map(stored);
    const all = [...before];
    for (const record of made) {
      const { name, type, content, ttl } = record;
      if (name !== zone.name && !name.endsWith(`.${zone.name}`)) throw invalid(record, 'name');
      if (!/^(A|AAAA|CAA|CNAME|MX|NS|SRV|TXT)$/.test(type)) throw invalid(record, 'type');
      if (ttl < 60) throw invalid(record, 'ttl');
      if (isBadAddress(type, content) || content === '') throw invalid(record, 'content');
      const served = all.filter((other) => other.name === name && !other.disabled).map((other) => other.type);
      if (breaksCname(type, served) || (type === 'CNAME' && name === zone.name)) throw invalid(record, 'type');
      all.push(record);
    }
    return { all, made };
  };

  const ZONE = '/dns/v1/zones/:zone';
  const answer = router(
    {
      'GET /dns/v1/zones': () => json(200, zones.map(({ id, name }) => ({ name, id, type: 'NATIVE' }))), // prettier-ignore
      [`GET ${ZONE}`]: (routed) => {
        const zone = zoneOf(routed);
        const [suffix, name, types] = ['suffix', 'recordName', 'recordType'].map((key) => routed.query.get(key));
        if (name != null && name !== zone.name && !name.endsWith(`.${zone.name}`)) throw invalid({ name }, 'name');
        const found = zone.records.filter(
          (record) => (name ?? record.name) === record.name && record.name.endsWith(suffix ?? '') && (types == null || types.split(',').includes(record.type)), // prettier-ignore
        );
        return json(200, { id: zone.id, name: zone.name, type: 'NATIVE', records: found.map((one) => recordJson(one, zone)) }); // prettier-ignore
      },
      [`PUT ${ZONE}`]: (routed) => {
        const zone = zoneOf(routed);
        zone.records = withAll(zone, [], sentIn(routed.json)).all;
        return empty(200);
      },
      [`PATCH ${ZONE}`]: (routed) => {
        const zone = zoneOf(routed);
        const sent = sentIn(routed.json);
        const isReplaced = (record: Stored) => sent.some(({ name, type }) => name === record.name && type === record.type); // prettier-ignore
        zone.records = withAll(zone, zone.records.filter((record) => !isReplaced(record)), sent).all; // prettier-ignore
        return empty(200);
      },
      [`POST ${ZONE}/records`]: (routed) => {
        const zone = zoneOf(routed);
        const { all, made } = withAll(zone, zone.records, sentIn(routed.json));
        zone.records = all;
        return json(201, made.map((record) => recordJson(record, zone))); // prettier-ignore
      },
      [`GET ${ZONE}/records/:id`]: (routed) => {
        const { zone, record } = recordOf(routed);
        return json(200, recordJson(record, zone));
      },
      [`PUT ${ZONE}/records/:id`]: (routed) => {
        const { zone, record } = recordOf(routed);
        const [given] = sentIn([{ ...record, ...(routed.json as object), name: record.name, type: record.type }]);
        const others = zone.records.filter((one) => one !== record);
        zone.records = withAll(zone, others, given ? [given] : []).all.map((one) => others.includes(one) ? one : { ...one, id: record.id }); // prettier-ignore
        return json(200, recordJson(zone.records.at(-1) ?? record, zone));
      },
      [`DELETE ${ZONE}/records/:id`]: (routed) => {
        const { zone, record } = recordOf(routed);
        zone.records = zone.records.filter((one) => one !== record);
        return empty(200);
      },
    },
    {
      before: ({ header }) => {
        if (header('x-api-key') !== KEY)
          throw refuse(401, 'UNAUTHORIZED', 'The customer is not authorized to do this operation.');
      },
      notFound: () => json(404, [{ code: 'NOT_FOUND', message: 'No such resource.' }]),
    },
  );

  const server = await serveDouble(answer, port);
  const recordsOf = (zone: string): Stored[] => zones.find(({ name }) => name === zone)?.records ?? [];
  return {
    ...server,
    url: `${server.url}/dns/v1`,
    credential: { api_key: KEY },
    stranger: { api_key: '00000000000000000000000000000000.somebody-else-0123456789abcdefghijklmnop' },
    addZone: (name, seeds = []) => {
      zones.push({ id: randomUUID(), name, records: seeds.map((seed) => ({ ...fromSeed(seed, name), id: randomUUID() })) }); // prettier-ignore
    },
    // The zone's own name servers are not part of its records.
    served: (zone) => [
      ...ownServers(zone, SERVERS),
      ...recordsOf(zone)
        .filter(({ disabled }) => !disabled)
        .map(asServed),
    ],
    dump: (zone) => dumpOf(recordsOf(zone).map(({ id: _, ...record }) => record)),
  };
};

function fromSeed(seed: SeedRecord, zone: string): Given {
  const { type, ttl, rdata } = seed;
  const record = { name: hostOfSeed(seed, zone), type, ttl, disabled: false };
  if (type === 'TXT') return { ...record, content: rdata, prio: 0 };
  if (type !== 'MX' && type !== 'SRV') return { ...record, content: rdata.replace(/\.$/, ''), prio: 0 };
  const { priority, rest } = priorityAndRest(rdata);
  return { ...record, content: rest, prio: priority };
}

function asServed({ name, type, ttl, content, prio }: Stored): ServedRecord {
  if (type === 'TXT') return { name, type, ttl, rdata: quoteTxt(unquoteTxt(content)) };
  if (type === 'MX' || type === 'SRV') return { name, type, ttl, rdata: `${prio} ${content}.` };
  return { name, type, ttl, rdata: type === 'CNAME' || type === 'NS' ? `${content}.` : content };
}
