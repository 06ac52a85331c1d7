import { z } from 'zod';
import type { Addition, ZoneRecord } from '../../domain/zone-record.ts';
import type { Call } from '../call.ts';
import type { Zone } from '../contract.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { applyByRecord } from '../toolkit/locked-apply.ts';
import { absolute, relative, undotted } from '../toolkit/names.ts';
import { fromFlat, isServerOwn } from '../toolkit/rdata.ts';
import { longestZone } from '../toolkit/zone-walk.ts';
import { client, type VultrRecord } from './client.ts';
import { descriptor } from './descriptor.ts';

/**
 * Vultr. Every value is a record with an id; a zone is read whole, because records cannot be asked for by name, and a
 * value that is created twice stands twice, so all of it happens inside the zone's lock. Text always travels in exactly
 * one pair of quotes, whatever its length.
 */
export const vultr = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, fields.api_key);
  const zones = async (call?: Call): Promise<Zone[]> =>
    (await api.domains(call)).map(({ domain }) => ({ id: domain, name: undotted(domain), nameservers: [] }));

  const recordsAt = async (zone: Zone, hosts: readonly string[], call?: Call): Promise<ZoneRecord[]> =>
    (await api.records(zone.id, call))
      .filter(({ name, type }) => hosts.includes(absolute(name, zone.name)) && !isServerOwn(type))
      .map((record) => fromVultr(record, zone.name));

  return {
    verify: zones,
    findZone: async (host, call) => longestZone(host, await zones(call)),
    records: recordsAt,
    apply: (zone, change, call) =>
      applyByRecord(
        { descriptor, zoneLock, zone, change, call },
        {
          read: (hosts) => recordsAt(zone, hosts, call),
          create: (record) => api.create(zone.id, toVultr(record, zone.name), call),
          remove: ({ id }) => api.remove(zone.id, id ?? '', call),
        },
      ),
  };
});

const fromVultr = ({ id, type, name, data, priority, ttl }: VultrRecord, zone: string): ZoneRecord => ({
  ...fromFlat(type, type === 'TXT' ? data.replace(/^"(.*)"$/s, '$1') : data, priority),
  host: absolute(name, zone),
  ttl,
  id,
  readOnly: type === 'NS' && name === '',
  extra: { data },
});

const Kept = z.object({ data: z.string() });

function toVultr({ host, type, value, ttl, priority, extra }: Addition, zone: string): Omit<VultrRecord, 'id'> {
  const data = type === 'TXT' ? `"${value}"` : value;
  // A value that comes back has the capitals with which it stood; another provider's spelling may be one of its own.
  const kept = Kept.safeParse(extra).data?.data;
  const spelled = kept?.toLowerCase() === data.toLowerCase() && type !== 'TXT' ? kept : data;
  return { type, name: relative(host, zone, ''), data: spelled, priority: priority ?? 0, ttl };
}
