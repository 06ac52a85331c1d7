import { z } from 'zod';
import type { Addition, ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Zone } from '../contract.ts';
import { accountByRecord } from '../toolkit/account-by-record.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { undotted } from '../toolkit/names.ts';
import { fromFlat, isServerOwn } from '../toolkit/rdata.ts';
import { quoteTxt, unquoteTxt } from '../toolkit/txt.ts';
import { client, type IonosNewRecord, type IonosRecord, type IonosZone } from './client.ts';
import { descriptor } from './descriptor.ts';

/**
 * IONOS. Values have ids, names are absolute, and text is returned in quotes. IONOS does not compare, so writes need the
 * zone lock. Disabled records are not served, so we ignore them.
 */
export const ionos = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, fields.api_key);
  return accountByRecord(descriptor, zoneLock, {
    zones: async (call) => (await api.zones(call)).filter(isPrimary).map(zoneOf),
    records: async (zone, call, hosts) =>
      (await api.records(zone.id, hosts.length === 1 ? hosts[0] : undefined, call))
        .filter(({ type, disabled }) => disabled !== true && !isServerOwn(type))
        .map((record) => fromIonos(record, zone.name)),
    create: (zone, record, call) => api.create(zone.id, toIonos(record), call),
    remove: (zone, id, call) => api.remove(zone.id, id, call),
  });
});

const zoneOf = ({ id, name }: IonosZone): Zone => ({ id, name: undotted(name), nameservers: [] });

/** Whether the zone is a primary. A secondary copies its records from another server. */
const isPrimary = ({ type }: IonosZone): boolean => type !== 'SLAVE';

function fromIonos({ id, name, type, content, ttl, prio }: IonosRecord, zone: string): ZoneRecord {
  const host = undotted(name);
  return {
    ...fromFlat(type, type === 'TXT' ? unquoteTxt(content) : content, prio),
    host,
    ttl,
    id,
    readOnly: type === 'NS' && host === zone,
    extra: { content },
  };
}

const Kept = z.object({ content: z.string() });

/** Returns a new record. A record that is put back keeps its spelling. */
function toIonos({ host, type, value, ttl, priority, extra }: Addition): IonosNewRecord {
  const kept = Kept.safeParse(extra).data;
  const content = kept?.content ?? (type === 'TXT' ? quoteTxt(value) : value);
  return { name: host, type, content, ttl, prio: priority ?? 0, disabled: false };
}
