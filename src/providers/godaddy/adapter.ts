import type { Addition, ZoneRecord } from '../../domain/zone-record.ts';
import type { Zone } from '../contract.ts';
import { ifFound, overtakenBy } from '../provider-error.ts';
import { accountByRecord } from '../toolkit/account-by-record.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { absolute, dotted, relative, undotted } from '../toolkit/names.ts';
import { caaParts, fromCaaParts, fromFlat, isServerOwn, srvParts } from '../toolkit/rdata.ts';
import { unquoteTxt } from '../toolkit/txt.ts';
import { client, type GodaddyDomain, GodaddyNewRecord, type GodaddyRecord } from './client.ts';
import { descriptor } from './descriptor.ts';

/**
 * GoDaddy, version 3. Every value is a record whose id is derived from it, and the same value is refused a second time;
 * a CNAME beside another record may not be, so writing happens inside the zone's lock. SRV has its service and protocol
 * in fields of their own. A zone with Domain Protection accepts what it does not store, which reading back shows.
 */
export const godaddy = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, fields.personal_access_token);
  return accountByRecord(descriptor, zoneLock, {
    zones: async (call) => (await api.domains(call)).filter(isServedThere).map(zoneOf),
    records: async (zone, call) =>
      (await api.records(zone.id, call))
        .filter(({ type }) => !isServerOwn(type))
        .map((record) => fromGodaddy(record, zone.name)),
    // Another program has written or removed the same value since it was read; reading it back tells.
    create: (zone, record, call) =>
      overtakenBy(['already_exists'], () => api.create(zone.id, toGodaddy(record, zone.name), call)),
    remove: (zone, id, call) => ifFound(() => api.remove(zone.id, id, call)),
  });
});

const zoneOf = ({ domain, nameServers }: GodaddyDomain): Zone => ({
  id: domain,
  name: undotted(domain),
  nameservers: (nameServers ?? []).map(undotted),
});

/** Every domain that is registered there is listed, also those for which the name servers of others answer. */
const isServedThere = ({ nameServers }: GodaddyDomain): boolean =>
  nameServers == null || nameServers.length === 0 || nameServers.some((server) => SERVERS.test(undotted(server)));
const SERVERS = new RegExp(descriptor.nameserver_patterns[0]);

const hostOf = ({ name, service, protocol }: GodaddyRecord, zone: string): string =>
  absolute([service, protocol, name].filter((part) => part != null && part !== '' && part !== '@').join('.'), zone);

function fromGodaddy(record: GodaddyRecord, zone: string): ZoneRecord {
  const { recordId, ttl, ...besides } = record;
  return {
    ...valueOf(record, zone),
    host: hostOf(record, zone),
    ttl,
    id: recordId,
    readOnly: record.type === 'NS',
    extra: besides,
  };
}

function valueOf(record: GodaddyRecord, zone: string): Pick<ZoneRecord, 'type' | 'value' | 'priority'> {
  const { type, priority, weight, port, flag, tag } = record;
  const data = record.data === '@' && type !== 'TXT' ? zone : record.data;
  if (type === 'SRV') return fromFlat(type, `${weight ?? 0} ${port ?? 0} ${data}`, priority);
  if (type === 'CAA' && tag != null) return fromCaaParts({ flags: flag, tag, value: data });
  // Text is sent raw and may come back in quotes.
  return fromFlat(type, type === 'TXT' ? unquoteTxt(data) : data, priority);
}

function toGodaddy({ host, type, value, ttl, priority, extra }: Addition, zone: string): GodaddyNewRecord {
  // A value that comes back has the spelling in which it stood there.
  const kept = GodaddyNewRecord.safeParse({ ...extra, ttl });
  if (kept.success) return kept.data;
  const record = { name: relative(host, zone, '@'), type, ttl };
  switch (type) {
    case 'SRV': {
      const { target, weight, port } = srvParts(value);
      const [service, protocol, ...rest] = record.name.split('.');
      const name = rest.join('.') || '@';
      return { ...record, name, service, protocol, priority, weight, port, data: dotted(target) };
    }
    case 'CAA': {
      const { flags, tag, value: issuer } = caaParts(value);
      return { ...record, flag: flags, tag, data: issuer };
    }
    case 'MX':
      return { ...record, priority, data: dotted(value) };
    case 'CNAME':
    case 'ALIAS':
      return { ...record, data: dotted(value) };
    default:
      return { ...record, data: value };
  }
}
