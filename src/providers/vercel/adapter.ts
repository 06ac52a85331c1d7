import { z } from 'zod';
import { canonicalCaa } from '../../domain/observation/caa-value.ts';
import type { Addition, ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Zone } from '../contract.ts';
import { accountByRecord } from '../toolkit/account-by-record.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { absolute, relative, undotted } from '../toolkit/names.ts';
import { fromFlat, isServerOwn, srvParts } from '../toolkit/rdata.ts';
import { client, type VercelDomain, type VercelNewRecord, type VercelRecord } from './client.ts';
import { descriptor } from './descriptor.ts';

/** Vercel. Writes need the zone lock. Vercel's own records yield to others and cannot be removed, so we hide them. */
export const vercel = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, fields.api_token, fields.team_id);
  return accountByRecord(descriptor, zoneLock, {
    zones: async (call) => (await api.domains(call)).map(zoneOf),
    records: async (zone, call) =>
      (await api.records(zone.id, call))
        .filter(({ type, creator }) => creator !== 'system' && !isServerOwn(type))
        .map((record) => fromVercel(record, zone.name)),
    create: (zone, record, call) => api.create(zone.id, toVercel(record, zone.name), call),
    remove: (zone, id, call) => api.remove(zone.id, id, call),
  });
});

const zoneOf = ({ name, intendedNameservers, customNameservers }: VercelDomain): Zone => ({
  id: name,
  name: undotted(name),
  nameservers: (customNameservers?.length ? customNameservers : (intendedNameservers ?? [])).map(undotted),
});

const DEFAULT_TTL = 60;

function fromVercel(record: VercelRecord, zone: string): ZoneRecord {
  const { id, name, type, value, ttl, comment } = record;
  return {
    ...fromFlat(type, value, type === 'MX' ? record.mxPriority : record.priority),
    host: absolute(name, zone),
    ttl: ttl ?? DEFAULT_TTL,
    id,
    readOnly: false,
    extra: { value, comment: comment ?? null },
  };
}

const Kept = z.object({ value: z.string(), comment: z.string().nullable() });

/** Returns a new record. A record that is put back keeps its spelling and its comment. */
function toVercel({ host, type, value, ttl, priority, extra }: Addition, zone: string): VercelNewRecord {
  const kept = Kept.safeParse(extra).data;
  const record = { name: relative(host, zone, ''), type, ttl, ...(kept?.comment != null && { comment: kept.comment }) };
  const spelled = kept?.value ?? (type === 'CAA' ? canonicalCaa(value) : value);
  if (type === 'SRV')
    return { ...record, srv: { priority: priority ?? 0, ...srvParts(value), ...targetOf(kept?.value) } };
  return { ...record, value: spelled, ...(type === 'MX' && { mxPriority: priority ?? 0 }) };
}

const targetOf = (spelling: string | undefined): { target?: string } => {
  const target = spelling?.trim().split(/\s+/)[2];
  return target === undefined ? {} : { target };
};
