import type { Addition, ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Zone } from '../contract.ts';
import { accountByRecord } from '../toolkit/account-by-record.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { absolute, relative, undotted } from '../toolkit/names.ts';
import { caaParts, fromCaaParts, fromFlat, srvParts } from '../toolkit/rdata.ts';
import { longestZone } from '../toolkit/zone-walk.ts';
import { client, BunnyNewRecord, type BunnyRecord, type BunnyZone } from './client.ts';
import { descriptor } from './descriptor.ts';

/**
 * bunny.net. Values have ids, and one call reads a zone. Writes cannot compare, so they need the zone lock. A CNAME at
 * the apex is flattened. A record must be put back with its owner's routing, weights and comments.
 */
export const bunny = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, fields.access_key);
  return accountByRecord(descriptor, zoneLock, {
    zones: async (call) => (await api.zones('', call)).map(zoneOf),
    // The name of every zone that could contain the host ends in the host's last two labels.
    findZone: async (host, call) =>
      longestZone(host, (await api.zones(host.split('.').slice(-2).join('.'), call)).map(zoneOf)),
    // A disabled record is not served, so it counts as absent.
    records: async (zone, call) =>
      (await api.records(zone.id, call))
        .filter(({ Disabled }) => Disabled !== true)
        .map((record) => fromBunny(record, zone.name)),
    create: (zone, record, call) => api.create(zone.id, toBunny(record, zone.name), call),
    remove: (zone, id, call) => api.remove(zone.id, id, call),
  });
});

const zoneOf = ({ Id, Domain, Nameserver1, Nameserver2 }: BunnyZone): Zone => ({
  id: String(Id),
  name: undotted(Domain),
  nameservers: [Nameserver1, Nameserver2].flatMap((server) => (server ? undotted(server) : [])),
});

/** Type names; the index is bunny.net's number of the type. */
const TYPES = 'A AAAA CNAME TXT MX REDIRECT FLATTEN PULLZONE SRV CAA PTR SCRIPT NS SVCB HTTPS TLSA'.split(' ');

/** Redirects, pull zones and scripts point a name to a service of bunny.net, in place of addresses. */
const isOwnService = ({ Type }: BunnyRecord): boolean => /^(REDIRECT|PULLZONE|SCRIPT)$/.test(TYPES[Type] ?? '');

function fromBunny(record: BunnyRecord, zone: string): ZoneRecord {
  const { Id, Name, Ttl, ...extra } = record;
  const host = absolute(Name ?? '', zone);
  return {
    ...valueOf(record, host === zone),
    host,
    ttl: Ttl,
    id: String(Id),
    // The pull zone of an accelerated record is deleted with the record and could not be restored.
    readOnly: record.Accelerated === true || isOwnService(record),
    extra,
  };
}

function valueOf(record: BunnyRecord, atApex: boolean): Pick<ZoneRecord, 'type' | 'value' | 'priority'> {
  const { Type, Priority, Weight, Port, Flags, Tag } = record;
  const type = TYPES[Type] ?? `TYPE${Type}`;
  const value = record.Value ?? '';
  if (isOwnService(record)) return { type: 'ALIAS', value: undotted(value || record.LinkName || type), priority: null };
  if (type === 'SRV') return fromFlat(type, `${Weight ?? 0} ${Port ?? 0} ${value}`, Priority);
  if (type === 'CAA') return fromCaaParts({ flags: Flags, tag: Tag, value });
  if (type === 'FLATTEN' || (type === 'CNAME' && atApex)) return fromFlat('ALIAS', value, null);
  return fromFlat(type, value, Priority);
}

function toBunny(record: Addition, zone: string): BunnyNewRecord {
  const { host, ttl, extra } = record;
  const location = { Name: relative(host, zone, ''), Ttl: ttl };
  const kept = BunnyNewRecord.safeParse({ ...extra, ...location });
  return kept.success ? kept.data : { ...location, ...newValue(record) };
}

function newValue({ type, value, priority }: Addition): Pick<BunnyNewRecord, 'Type'> & Partial<BunnyNewRecord> {
  const Type = TYPES.indexOf(type === 'ALIAS' ? 'CNAME' : type);
  switch (type) {
    case 'SRV': {
      const { weight, port, target } = srvParts(value);
      return { Type, Value: target, Priority: priority ?? 0, Weight: weight, Port: port };
    }
    case 'CAA': {
      const { flags, tag, value: issuer } = caaParts(value);
      return { Type, Value: issuer, Flags: flags, Tag: tag };
    }
    case 'MX':
      return { Type, Value: value, Priority: priority ?? 0 };
    default:
      return { Type, Value: value };
  }
}
