import { z } from 'zod';
import { canonicalCaa } from '../../domain/caa-value.ts';
import type { Addition, ZoneRecord } from '../../domain/zone-record.ts';
import type { Call } from '../call.ts';
import type { Zone } from '../contract.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { applyByRecord } from '../toolkit/locked-apply.ts';
import { absolute, relative, undotted } from '../toolkit/names.ts';
import { fromFlat, isServerOwn, srvParts } from '../toolkit/rdata.ts';
import { longestZone } from '../toolkit/zone-walk.ts';
import { client, type VercelDomain, type VercelNewRecord, type VercelRecord } from './client.ts';
import { descriptor } from './descriptor.ts';

/**
 * Vercel. Every value is a record with an id; a zone is read whole, because records cannot be asked for by name, and all
 * of it happens inside the zone's lock. The records that Vercel keeps itself stand only until another takes their place
 * and cannot be removed, so they are not told of.
 */
export const vercel = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, fields.api_token, fields.team_id);
  const zones = async (call?: Call): Promise<Zone[]> => (await api.domains(call)).map(zoneOf);

  const recordsAt = async (zone: Zone, hosts: readonly string[], call?: Call): Promise<ZoneRecord[]> =>
    (await api.records(zone.id, call))
      .filter(({ type, creator }) => creator !== 'system' && !isServerOwn(type))
      .map((record) => fromVercel(record, zone.name))
      .filter(({ host }) => hosts.includes(host));

  return {
    verify: zones,
    findZone: async (host, call) => longestZone(host, await zones(call)),
    records: recordsAt,
    apply: (zone, change, call) =>
      applyByRecord(
        { descriptor, zoneLock, zone, change, call },
        {
          read: (hosts) => recordsAt(zone, hosts, call),
          create: (record) => api.create(zone.id, toVercel(record, zone.name), call),
          remove: ({ id }) => api.remove(zone.id, id ?? '', call),
        },
      ),
  };
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

/** What is put back has its own spelling and its comment. */
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
