import { sameRecord, type Addition, type ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Call } from '../call.ts';
import type { Zone } from '../contract.ts';
import { ifFound } from '../provider-error.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { applyByRecord } from '../toolkit/locked-apply.ts';
import { absolute, dotted, relative, undotted } from '../toolkit/names.ts';
import { caaParts, fromCaaParts, fromFlat, isServerOwn, srvParts } from '../toolkit/rdata.ts';
import { unquoteTxt } from '../toolkit/txt.ts';
import { longestZone } from '../toolkit/zone-walk.ts';
import { client, type GodaddyDomain, GodaddyNewRecord, type GodaddyRecord } from './client.ts';
import { descriptor } from './descriptor.ts';

/**
 * GoDaddy, version 3. Ids are derived from values. GoDaddy may accept a CNAME next to another record, so writes need
 * the zone lock. Domain Protection accepts records without storing them, which the read-back detects.
 */
export const godaddy = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, fields.personal_access_token);
  const zones = async (call?: Call): Promise<Zone[]> =>
    (await api.domains(call)).filter(isServedThere).map(({ domain, nameServers }) => ({
      id: domain,
      name: undotted(domain),
      nameservers: (nameServers ?? []).map(undotted),
    }));

  const recordsAt = async (zone: Zone, hosts: readonly string[], call?: Call): Promise<ZoneRecord[]> =>
    (await api.records(zone.id, call))
      .filter((record) => hosts.includes(hostOf(record, zone.name)) && !isServerOwn(record.type))
      .map((record) => fromGodaddy(record, zone.name));

  /** Reads for one `apply`. Domain Protection empties our new records, so they are deleted before they pile up. */
  const withoutEmptied = (zone: Zone, call?: Call) => {
    let firstRead: ReadonlySet<string> | undefined;
    return async (hosts: readonly string[]): Promise<ZoneRecord[]> => {
      const records = await recordsAt(zone, hosts, call);
      const empty = records.flatMap(({ id, extra }) => (id !== null && extra?.['data'] === '' ? [id] : []));
      const ours = empty.filter((id) => firstRead?.has(id) === false);
      firstRead ??= new Set(empty);
      for (const id of ours) await ifFound(() => api.remove(zone.id, id, call));
      return records.filter(({ id }) => id === null || !ours.includes(id));
    };
  };

  return {
    verify: zones,
    findZone: async (host, call) => longestZone(host, await zones(call)),
    records: recordsAt,
    apply: (zone, change, call) =>
      applyByRecord(
        { descriptor, zoneLock, zone, change, call },
        {
          read: withoutEmptied(zone, call),
          create: (record) => api.create(zone.id, toGodaddy(record, zone.name), call),
          remove: ({ id }) => api.remove(zone.id, id ?? '', call),
        },
      ),
  };
});

/** Whether GoDaddy serves the domain. The listing also contains domains with other name servers. */
const isServedThere = ({ nameServers }: GodaddyDomain): boolean =>
  nameServers == null || nameServers.length === 0 || nameServers.some((server) => SERVERS.test(undotted(server)));
const SERVERS = new RegExp(descriptor.nameserver_patterns[0]);

const hostOf = ({ name, service, protocol }: GodaddyNewRecord, zone: string): string =>
  absolute([service, protocol, name].filter((part) => part != null && part !== '' && part !== '@').join('.'), zone);

function fromGodaddy(record: GodaddyRecord, zone: string): ZoneRecord {
  const { recordId, ttl, ...extra } = record;
  return {
    ...valueOf(record, zone),
    host: hostOf(record, zone),
    ttl,
    id: recordId,
    readOnly: record.type === 'NS',
    extra,
  };
}

function valueOf(record: GodaddyNewRecord, zone: string): Pick<ZoneRecord, 'type' | 'value' | 'priority'> {
  const { type, priority, weight, port, flag, tag } = record;
  const data = record.data === '@' && type !== 'TXT' ? zone : record.data;
  if (type === 'SRV') return fromFlat(type, `${weight ?? 0} ${port ?? 0} ${data}`, priority);
  if (type === 'CAA' && tag != null) return fromCaaParts({ flags: flag, tag, value: data });
  // Text is sent unquoted and may be returned in quotes.
  return fromFlat(type, type === 'TXT' ? unquoteTxt(data) : data, priority);
}

function toGodaddy({ host, type, value, ttl, priority, extra }: Addition, zone: string): GodaddyNewRecord {
  // A value that is put back keeps its former spelling, unless that spelling is another provider's.
  const kept = GodaddyNewRecord.safeParse({ ...extra, ttl }).data;
  if (kept && sameRecord({ host: hostOf(kept, zone), ...valueOf(kept, zone) }, { host, type, value, priority }))
    return kept;
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
