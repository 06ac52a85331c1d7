import { z } from 'zod';
import type { Addition, ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Zone } from '../contract.ts';
import { accountByRecord } from '../toolkit/account-by-record.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { undotted } from '../toolkit/names.ts';
import { caaParts, fromCaaParts, fromFlat, isServerOwn, srvParts } from '../toolkit/rdata.ts';
import { client, type NetlifyNewRecord, type NetlifyRecord, type NetlifyZone } from './client.ts';
import { descriptor } from './descriptor.ts';

/** Netlify. A value that is created twice exists twice, so writes need the zone lock. Records cannot be changed. */
export const netlify = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, fields.access_token);
  return accountByRecord(descriptor, zoneLock, {
    zones: async (call) => (await api.zones(call)).map(zoneOf),
    records: async (zone, call) =>
      (await api.records(zone.id, call))
        .filter(({ type }) => !isServerOwn(type))
        .map((record) => fromNetlify(record, zone.name)),
    create: (zone, record, call) => api.create(zone.id, toNetlify(record), call),
    remove: (zone, id, call) => api.remove(zone.id, id, call),
  });
});

const zoneOf = ({ id, name, dns_servers }: NetlifyZone): Zone => ({
  id,
  name: undotted(name),
  nameservers: (dns_servers ?? []).map(undotted),
});

const DEFAULT_TTL = 3_600;

/** Netlify's own types point a name to one of its sites, in place of addresses. */
const isSite = (type: string): boolean => /^NETLIFY(v6)?$/i.test(type);

function fromNetlify(record: NetlifyRecord, zone: string): ZoneRecord {
  const { id, hostname, type, value, ttl, managed } = record;
  const host = undotted(hostname);
  return {
    ...valueOf(record),
    host,
    ttl: ttl ?? DEFAULT_TTL,
    id,
    readOnly: managed === true || isSite(type) || (type === 'NS' && host === zone),
    extra: { hostname, value },
  };
}

function valueOf({ type, value, priority, weight, port, flag, tag }: NetlifyRecord) {
  if (isSite(type)) return { type: 'ALIAS', value: undotted(value), priority: null } as const;
  if (type === 'SRV') return fromFlat(type, `${weight ?? 0} ${port ?? 0} ${value}`, priority);
  if (type === 'CAA') return fromCaaParts({ flags: flag, tag, value });
  return fromFlat(type, value, priority);
}

const Kept = z.object({ hostname: z.string(), value: z.string() });

/** Returns a new record. A record that is put back keeps its spelling. */
function toNetlify({ host, type, value, ttl, priority, extra }: Addition): NetlifyNewRecord {
  const record = { type, hostname: host, value, ttl };
  const kept = Kept.safeParse(extra).data;
  if (type === 'MX') return { ...record, priority, ...kept };
  if (type === 'SRV') {
    const { target, weight, port } = srvParts(value);
    return { ...record, value: target, priority, weight, port, ...kept };
  }
  if (type !== 'CAA') return { ...record, ...kept };
  const { flags: flag, tag, value: issuer } = caaParts(value);
  return { ...record, value: issuer, flag, tag, ...kept };
}
