import { sameValue } from '../../domain/record.ts';
import type { Addition, ZoneRecord } from '../../domain/zone-record.ts';
import type { Call } from '../call.ts';
import type { Zone } from '../contract.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { applyByRecord } from '../toolkit/locked-apply.ts';
import { absolute, relative, undotted } from '../toolkit/names.ts';
import { fromFlat, isServerOwn } from '../toolkit/rdata.ts';
import { longestZone } from '../toolkit/zone-walk.ts';
import { client, type PorkbunNewRecord, type PorkbunRecord } from './client.ts';
import { descriptor } from './descriptor.ts';

/**
 * Porkbun. Every value is a record with an id, and a zone is read whole in one call; nothing is compared before a write,
 * so all of it happens inside the zone's lock. Names are sent relative to the zone and come back in full.
 */
export const porkbun = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, { apikey: fields.api_key, secretapikey: fields.secret_api_key });
  const zones = async (call?: Call): Promise<Zone[]> =>
    (await api.domains(call)).map(({ domain }) => ({ id: domain, name: undotted(domain), nameservers: [] }));

  const recordsAt = async (zone: Zone, hosts: readonly string[], call?: Call): Promise<ZoneRecord[]> =>
    (await api.records(zone.id, call))
      .filter(({ name, type }) => hosts.includes(absolute(name, zone.name)) && !isServerOwn(type))
      .map((record) => fromPorkbun(record, zone.name));

  return {
    verify: zones,
    findZone: async (host, call) => longestZone(host, await zones(call)),
    records: recordsAt,
    apply: (zone, change, call) =>
      applyByRecord(
        { descriptor, zoneLock, zone, change, call },
        {
          read: (hosts) => recordsAt(zone, hosts, call),
          create: (record) => api.create(zone.id, toPorkbun(record, zone.name), call),
          remove: ({ id }) => api.remove(zone.id, id ?? '', call),
        },
      ),
  };
});

function fromPorkbun(record: PorkbunRecord, zone: string): ZoneRecord {
  const { id, name, type, content, ttl, prio, notes } = record;
  const host = absolute(name, zone);
  return {
    ...fromFlat(type, content, prio),
    host,
    ttl,
    id,
    readOnly: (type === 'NS' && host === zone) || isForwarding(record),
    extra: { content, prio: prio ?? null, notes: notes ?? null },
  };
}

/** A name that is forwarded to a URL leads to a server of Porkbun's, and so does a parked one, which may be taken. */
const isForwarding = ({ type, content }: PorkbunRecord): boolean =>
  (type === 'ALIAS' || type === 'CNAME') && /(?<!^pixie)\.porkbun\.com\.?$/i.test(content);

function toPorkbun({ host, type, value, ttl, priority, extra }: Addition, zone: string): PorkbunNewRecord {
  const { content, prio = priority, notes } = (extra ?? {}) as Partial<PorkbunRecord>;
  // A value that comes back has the spelling in which it stood, unless it stood at another provider.
  const isSpelling = content !== undefined && sameValue(type, fromFlat(type, content, prio).value, value);
  return {
    name: relative(host, zone, ''),
    type,
    content: isSpelling ? content : value,
    ttl: String(ttl),
    ...(prio === null ? {} : { prio: String(prio) }),
    ...(notes == null ? {} : { notes }),
  };
}
