import { z } from 'zod';
import type { Addition, Extra, ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Call } from '../call.ts';
import type { Zone } from '../contract.ts';
import { ifFound } from '../provider-error.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { applyBySet } from '../toolkit/locked-apply.ts';
import { undotted } from '../toolkit/names.ts';
import { caaParts, fromCaaParts, fromRdata, isServerOwn, srvParts } from '../toolkit/rdata.ts';
import { recordsOfSet, type RecordSet, type SetWrite, type ValueCodec } from '../toolkit/record-sets.ts';
import { longestZone } from '../toolkit/zone-walk.ts';
import { client, type Ns1Answer, type Ns1Record, type Ns1Zone } from './client.ts';
import { descriptor } from './descriptor.ts';

/**
 * NS1. Record sets are written as a whole without a comparison, so writes need the zone lock. Answers that stay must be
 * sent back with all data. A set that steers traffic by filters, regions or a link must never be changed.
 */
export const ns1 = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, fields.api_key);
  const zones = async (call?: Call): Promise<Zone[]> => (await api.zones(call)).filter(isWritable).map(zoneOf);

  const setsAt = async (zone: Zone, hosts: readonly string[], call?: Call): Promise<Ns1Set[]> => {
    const names = (await api.names(zone.id, call)).filter(
      ({ domain, type }) => hosts.includes(undotted(domain)) && !isServerOwn(type),
    );
    const found = await Promise.all(names.map((name) => ifFound(() => api.record(zone.id, name, call))));
    return found.filter((record) => record !== undefined).map(setOf);
  };

  return {
    verify: zones,
    findZone: async (host, call) => longestZone(host, await zones(call)),
    records: async (zone, hosts, call) => (await setsAt(zone, hosts, call)).flatMap((set) => recordsOf(set, zone)),
    apply: (zone, change, call) =>
      applyBySet<Ns1Answer, Ns1Set>(
        { descriptor, zoneLock, zone, change, call },
        {
          codec,
          read: (hosts) => setsAt(zone, hosts, call),
          recordsOf: (set) => recordsOf(set, zone),
          put: (write) => (write.before ? api.update : api.create)(zone.id, recordFor(write), call),
          remove: ({ record }) => api.remove(zone.id, record, call),
          extraOf: ({ record }) => extraOf(record),
        },
      ),
  };
});

/** A set with the complete record from which it was read. */
interface Ns1Set extends RecordSet<Ns1Answer> {
  record: Ns1Record;
}

const setOf = (record: Ns1Record): Ns1Set => ({
  host: undotted(record.domain),
  type: record.type,
  ttl: record.ttl,
  values: record.answers,
  record,
});

const zoneOf = ({ zone, dns_servers }: Ns1Zone): Zone => ({
  id: zone,
  name: undotted(zone),
  nameservers: (dns_servers ?? []).map(undotted),
});

const isWritable = ({ link, secondary }: Ns1Zone): boolean => !link && secondary?.enabled !== true;

function recordsOf(set: Ns1Set, zone: Zone): ZoneRecord[] {
  const { link, filters, regions, tier } = set.record;
  const isSteered =
    Boolean(link) || (filters ?? []).length > 0 || Object.keys(regions ?? {}).length > 0 || (tier ?? 1) > 1;
  const readOnly = isSteered || (set.type === 'NS' && set.host === zone.name);
  // A linked set has no answers. It is shown as one value, so that no other record is written in its place.
  const values = link ? [{ answer: [link] }] : set.values;
  return recordsOfSet({ ...set, values }, codec, { readOnly, extra: extraOf(set.record) });
}

/** Settings of a whole set, apart from its answers and from the settings that steer traffic. */
const SETTINGS = ['meta', 'use_client_subnet', 'override_ttl', 'override_address_records', 'tags', 'blocked_tags'];

const settingsOf = (given: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(SETTINGS.flatMap((name) => (given[name] == null ? [] : [[name, given[name]]])));

/** Returns the data that must be restored together with a set. */
const extraOf = (record: Ns1Record): Extra => ({ set: settingsOf(record) });

/** Kept settings of a set that is put back. Another provider's `set` may have another meaning. */
const Kept = z.object({ set: z.record(z.string(), z.unknown()).transform(settingsOf) });

const codec: ValueCodec<Ns1Answer> = {
  typeOf: ({ type }) => type,
  encode: (record) => ({ answer: answerOf(record) }),
  decode: (type, { answer }) => {
    if (type === 'TXT') return { type, value: answer.join(''), priority: null };
    const [flags = 0, tag = '', value = ''] = answer;
    if (type === 'CAA' && answer.length === 3)
      return fromCaaParts({ flags: Number(flags), tag: String(tag), value: String(value) });
    return fromRdata(type, answer.join(' '));
  },
};

function answerOf({ type, value, priority }: Addition): (string | number)[] {
  switch (type) {
    case 'MX':
      return [priority ?? 0, value];
    case 'SRV': {
      const { weight, port, target } = srvParts(value);
      return [priority ?? 0, weight, port, target];
    }
    case 'CAA': {
      const { flags, tag, value: issuer } = caaParts(value);
      return [String(flags), tag, issuer];
    }
    default:
      return [value];
  }
}

function recordFor({ host, type, ttl, values, before, extra }: SetWrite<Ns1Answer, Ns1Set>): Ns1Record {
  const kept = before === undefined ? Kept.safeParse(extra).data?.set : { filters: before.record.filters ?? [] };
  // An answer that is put back is new and gets a new id.
  const answers = values.map((value) =>
    before?.values.includes(value) === true ? value : { ...value, id: undefined },
  );
  return { filters: [], ...kept, domain: before?.record.domain ?? host, type, ttl, answers };
}
