import { sameValue } from '../../domain/record.ts';
import type { Addition, ZoneRecord } from '../../domain/zone/zone-record.ts';
import { accountByRecord } from '../toolkit/account-by-record.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { absolute, relative, undotted } from '../toolkit/names.ts';
import { fromFlat, isServerOwn } from '../toolkit/rdata.ts';
import { client, type PorkbunNewRecord, type PorkbunRecord } from './client.ts';
import { descriptor } from './descriptor.ts';

/** Porkbun. Values have ids, and one call reads a zone. Writes cannot compare, so they need the zone lock. */
export const porkbun = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, { apikey: fields.api_key, secretapikey: fields.secret_api_key });
  return accountByRecord(descriptor, zoneLock, {
    zones: async (call) =>
      (await api.domains(call)).map(({ domain }) => ({ id: domain, name: undotted(domain), nameservers: [] })),
    records: async (zone, call) =>
      (await api.records(zone.id, call))
        .filter(({ type }) => !isServerOwn(type))
        .map((record) => fromPorkbun(record, zone.name)),
    create: (zone, record, call) => api.create(zone.id, toPorkbun(record, zone.name), call),
    remove: (zone, id, call) => api.remove(zone.id, id, call),
  });
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

/** Whether Porkbun forwards the name to a URL. A parked name points to Porkbun too, but may be replaced. */
const isForwarding = ({ type, content }: PorkbunRecord): boolean =>
  (type === 'ALIAS' || type === 'CNAME') && /(?<!^pixie)\.porkbun\.com\.?$/i.test(content);

function toPorkbun({ host, type, value, ttl, priority, extra }: Addition, zone: string): PorkbunNewRecord {
  const { content, prio = priority, notes } = (extra ?? {}) as Partial<PorkbunRecord>;
  // A value that is put back keeps its former spelling, unless that spelling is another provider's.
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
