import { z } from 'zod';
import type { Addition, ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Zone } from '../contract.ts';
import { accountByRecord } from '../toolkit/account-by-record.ts';
import { afterWriting } from '../toolkit/apply-change.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { absolute, relative, undotted } from '../toolkit/names.ts';
import { caaParts, fromCaaParts, fromFlat, isServerOwn, srvParts } from '../toolkit/rdata.ts';
import { walkZones } from '../toolkit/zone-walk.ts';
import { client, type LinodeDomain, type LinodeNewRecord, type LinodeRecord } from './client.ts';
import { descriptor } from './descriptor.ts';

/**
 * Linode. Values have ids, and a zone is read as a whole. Linode may ignore the TTL of a new record, so the adapter
 * compares it with the answer and sends it again. Linode derives an SRV's name from service and protocol.
 */
export const linode = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, fields.api_token);
  return accountByRecord(descriptor, zoneLock, {
    zones: async (call) => (await api.domains(call)).filter(isPrimary).map(zoneOf),
    findZone: (host, call) =>
      walkZones(host, async (name) => {
        const [found] = (await api.domainsNamed(name, call)).filter(
          (one) => isPrimary(one) && undotted(one.domain) === name,
        );
        return found && zoneOf(found);
      }),
    records: async (zone, call) =>
      (await api.records(zone.id, call))
        .filter(({ type }) => !isServerOwn(type))
        .map((record) => fromLinode(record, absolute(nameOf(record), zone.name))),
    create: async (zone, record, call) => {
      const wanted = toLinode(record, zone.name);
      const made = await api.create(zone.id, wanted, call);
      if (made.ttl_sec !== wanted.ttl_sec) await afterWriting(() => api.setTtl(zone.id, made.id, wanted.ttl_sec, call));
    },
    remove: (zone, id, call) => api.remove(zone.id, id, call),
  });
});

const zoneOf = ({ id, domain }: LinodeDomain): Zone => ({ id: String(id), name: undotted(domain), nameservers: [] });

/** Whether the zone is a primary. A secondary copies its records from another server. */
const isPrimary = ({ type }: LinodeDomain): boolean => type === 'master';

/** Returns the name of a record. An SRV record is listed under the name that Linode derived for it. */
const nameOf = ({ type, name, service, protocol }: LinodeRecord): string =>
  type === 'SRV' && !name.startsWith('_') && service != null && protocol != null
    ? [`_${bare(service)}._${bare(protocol)}`, name].filter((part) => part !== '').join('.')
    : name;

const bare = (label: string): string => label.replace(/^_/, '');

/** Linode's default TTL of a zone. A TTL of zero means the default of the zone. */
const DEFAULT_TTL = 86_400;

function fromLinode(record: LinodeRecord, host: string): ZoneRecord {
  const { id, ttl_sec, target } = record;
  return {
    ...valueOf(record),
    host,
    ttl: ttl_sec === 0 ? DEFAULT_TTL : ttl_sec,
    id: String(id),
    readOnly: false,
    extra: { target, ttl_sec },
  };
}

function valueOf({ type, target, priority, weight, port, tag }: LinodeRecord) {
  if (type === 'SRV') return fromFlat(type, `${weight ?? 0} ${port ?? 0} ${target}`, priority);
  if (type === 'CAA') return fromCaaParts({ flags: 0, tag, value: target });
  return fromFlat(type, target, priority);
}

const Kept = z.object({ target: z.string(), ttl_sec: z.number() });

/** Returns a new record. A restored record keeps the spelling of its target, and the default TTL if it had one. */
function toLinode({ host, type, value, ttl, priority, extra }: Addition, zone: string): LinodeNewRecord {
  const kept = Kept.safeParse(extra).data;
  const ttl_sec = kept?.ttl_sec === 0 && ttl === DEFAULT_TTL ? 0 : ttl;
  const record = { type, name: relative(host, zone, ''), target: kept?.target ?? value, ttl_sec };
  if (type === 'MX') return { ...record, priority };
  if (type === 'CAA') {
    const { tag, value: issuer } = caaParts(value);
    return { ...record, target: kept?.target ?? issuer, tag };
  }
  if (type !== 'SRV') return record;
  const { target, weight, port } = srvParts(value);
  // Linode ignores the name of an SRV record. The part of the name below the zone is sent after the protocol.
  const [service = '', ...protocol] = record.name.split('.');
  return {
    ...record,
    name: '',
    target: kept?.target ?? target,
    weight,
    port,
    priority,
    service: bare(service),
    protocol: bare(protocol.join('.')),
  };
}
