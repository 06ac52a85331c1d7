import { z } from 'zod';
import type { Addition, ZoneRecord } from '../../domain/zone/zone-record.ts';
import { accountByRecord } from '../toolkit/account-by-record.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { absolute, relative, undotted } from '../toolkit/names.ts';
import { fromFlat, isServerOwn } from '../toolkit/rdata.ts';
import { client, type VultrRecord } from './client.ts';
import { descriptor } from './descriptor.ts';

/** Vultr. A value that is created twice exists twice, so writes need the zone lock. TXT has one pair of quotes. */
export const vultr = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, fields.api_key);
  return accountByRecord(descriptor, zoneLock, {
    zones: async (call) =>
      (await api.domains(call)).map(({ domain }) => ({ id: domain, name: undotted(domain), nameservers: [] })),
    records: async (zone, call) =>
      (await api.records(zone.id, call))
        .filter(({ type }) => !isServerOwn(type))
        .map((record) => fromVultr(record, zone.name)),
    create: (zone, record, call) => api.create(zone.id, toVultr(record, zone.name), call),
    remove: (zone, id, call) => api.remove(zone.id, id, call),
  });
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
  // A value that is put back keeps its former case, unless the spelling is another provider's.
  const kept = Kept.safeParse(extra).data?.data;
  const spelled = kept?.toLowerCase() === data.toLowerCase() && type !== 'TXT' ? kept : data;
  return { type, name: relative(host, zone, ''), data: spelled, priority: priority ?? 0, ttl };
}
