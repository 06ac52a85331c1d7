import type { Addition, ZoneRecord } from '../../domain/zone-record.ts';
import type { Call } from '../call.ts';
import type { Zone } from '../contract.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { applyByRecord } from '../toolkit/locked-apply.ts';
import { absolute, relative, undotted } from '../toolkit/names.ts';
import { caaParts, fromCaaParts, fromFlat, isServerOwn, srvParts } from '../toolkit/rdata.ts';
import { walkZones } from '../toolkit/zone-walk.ts';
import { client, type LinodeDomain, type LinodeNewRecord, type LinodeRecord } from './client.ts';
import { descriptor } from './descriptor.ts';

/**
 * Linode. Every value is a record with an id; a zone is read whole, because records cannot be asked for by name. A TTL
 * that is sent when a record is created may not be kept, so it is compared with the answer and sent again. SRV has its
 * service and protocol in fields of their own and no name.
 */
export const linode = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, fields.api_token);

  const recordsAt = async (zone: Zone, hosts: readonly string[], call?: Call): Promise<ZoneRecord[]> =>
    (await api.records(zone.id, call))
      .map((record) => ({ record, host: absolute(nameOf(record), zone.name) }))
      .filter(({ record, host }) => hosts.includes(host) && !isServerOwn(record.type))
      .map(({ record, host }) => fromLinode(record, host));

  return {
    verify: async (call) => (await api.domains(call)).filter(isPrimary).map(zoneOf),

    findZone: (host, call) =>
      walkZones(host, async (name) => {
        const [found] = (await api.domainsNamed(name, call)).filter(
          (one) => isPrimary(one) && undotted(one.domain) === name,
        );
        return found && zoneOf(found);
      }),

    records: recordsAt,

    apply: (zone, change, call) =>
      applyByRecord(
        { descriptor, zoneLock, zone, change, call },
        {
          read: (hosts) => recordsAt(zone, hosts, call),
          create: async (record) => {
            const made = await api.create(zone.id, toLinode(record, zone.name), call);
            if (made.ttl_sec !== record.ttl) await api.setTtl(zone.id, made.id, record.ttl, call);
          },
          remove: ({ id }) => api.remove(zone.id, id ?? '', call),
        },
      ),
  };
});

const zoneOf = ({ id, domain }: LinodeDomain): Zone => ({ id: String(id), name: undotted(domain), nameservers: [] });

/** A secondary's content comes from elsewhere. */
const isPrimary = ({ type }: LinodeDomain): boolean => type === 'master';

const nameOf = ({ type, name, service, protocol }: LinodeRecord): string =>
  type === 'SRV' && service != null && protocol != null
    ? [`_${service.replace(/^_/, '')}._${protocol.replace(/^_/, '')}`, name].filter((part) => part !== '' && !part.startsWith('.')).join('.') // prettier-ignore
    : name;

/** A TTL of zero is the zone's own default, a day unless its owner has said otherwise. */
const DEFAULT_TTL = 86_400;

function fromLinode(record: LinodeRecord, host: string): ZoneRecord {
  const { id, ttl_sec } = record;
  return {
    ...valueOf(record),
    host,
    ttl: ttl_sec === 0 ? DEFAULT_TTL : ttl_sec,
    id: String(id),
    readOnly: false,
    extra: null,
  };
}

function valueOf({ type, target, priority, weight, port, tag }: LinodeRecord) {
  if (type === 'SRV') return fromFlat(type, `${weight ?? 0} ${port ?? 0} ${target}`, priority);
  if (type === 'CAA') return fromCaaParts({ flags: 0, tag, value: target });
  return fromFlat(type, target, priority);
}

function toLinode({ host, type, value, ttl, priority }: Addition, zone: string): LinodeNewRecord {
  const record = { type, name: relative(host, zone, ''), target: value, ttl_sec: ttl };
  if (type === 'MX') return { ...record, priority };
  if (type === 'CAA') {
    const { tag, value: target } = caaParts(value);
    return { ...record, target, tag };
  }
  if (type !== 'SRV') return record;
  const [service = '', protocol = '', ...rest] = record.name.split('.');
  const bare = (label: string) => label.replace(/^_/, '');
  return {
    ...record,
    ...srvParts(value),
    name: rest.join('.'),
    service: bare(service),
    protocol: bare(protocol),
    priority,
  };
}
