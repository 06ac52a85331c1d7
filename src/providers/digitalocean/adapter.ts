import type { Addition, ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Zone } from '../contract.ts';
import { ifFound } from '../provider-error.ts';
import { accountByRecord } from '../toolkit/account-by-record.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { fromRelative, dotted, relative, undotted } from '../toolkit/names.ts';
import { caaParts, fromCaaParts, fromFlat, isServerOwn, srvParts } from '../toolkit/rdata.ts';
import { walkZones } from '../toolkit/zone-walk.ts';
import { client, type DoNewRecord, type DoRecord } from './client.ts';
import { descriptor } from './descriptor.ts';

/**
 * DigitalOcean. Values have ids. A value that is created twice exists twice, so writes need the zone lock. Targets are
 * sent with a trailing dot and returned without one. The zone's own name is returned as `@`.
 */
export const digitalocean = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, fields.api_token);
  const zoneOf = (name: string): Zone => ({ id: name, name: undotted(name), nameservers: [] });
  return accountByRecord(descriptor, zoneLock, {
    zones: async (call) => (await api.domains(call)).map(({ name }) => zoneOf(name)),
    findZone: (host, call) =>
      walkZones(host, (name) => ifFound(async () => zoneOf((await api.domain(name, call)).domain.name))),
    records: async (zone, call, hosts) => {
      const found = await Promise.all(hosts.map((host) => api.recordsNamed(zone.id, host, call)));
      return found.flat().filter(({ type }) => !isServerOwn(type)).map((record) => fromDigitalOcean(record, zone.name)); // prettier-ignore
    },
    create: (zone, record, call) => api.create(zone.id, toDigitalOcean(record, zone.name), call),
    remove: (zone, id, call) => api.remove(zone.id, id, call),
  });
});

function fromDigitalOcean(record: DoRecord, zone: string): ZoneRecord {
  return {
    ...valueOf(record, zone),
    host: fromRelative(record.name, zone),
    ttl: record.ttl,
    id: String(record.id),
    readOnly: record.type === 'NS' && record.name === '@',
    extra: null,
  };
}

function valueOf(record: DoRecord, zone: string): Pick<ZoneRecord, 'type' | 'value' | 'priority'> {
  const { type, priority } = record;
  const data = record.data === '@' && type !== 'TXT' ? zone : record.data;
  if (type === 'SRV') return fromFlat(type, `${record.weight ?? 0} ${record.port ?? 0} ${data}`, priority);
  if (type === 'CAA') return fromCaaParts({ flags: record.flags, tag: record.tag, value: data.replace(/\.$/, '') });
  return fromFlat(type, data, priority);
}

function toDigitalOcean({ host, type, value, ttl, priority }: Addition, zone: string): DoNewRecord {
  const record = { type, name: relative(host, zone, '@'), ttl };
  switch (type) {
    case 'MX':
      return { ...record, data: dotted(value), priority };
    case 'SRV': {
      const { target, ...parts } = srvParts(value);
      return { ...record, data: dotted(target), priority, ...parts };
    }
    case 'CAA': {
      const { flags, tag, value: issuer } = caaParts(value);
      // DigitalOcean treats the issuer like a target: it must be written with a dot and is returned without one.
      return { ...record, data: dotted(issuer), flags, tag };
    }
    case 'CNAME':
    case 'NS':
      return { ...record, data: dotted(value) };
    default:
      return { ...record, data: value };
  }
}
