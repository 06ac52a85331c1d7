import { z } from 'zod';
import { sameValue } from '../../domain/record.ts';
import type { Addition, ZoneRecord } from '../../domain/zone/zone-record.ts';
import { accountByRecord } from '../toolkit/account-by-record.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { absolute, relative, undotted } from '../toolkit/names.ts';
import { fromFlat, isServerOwn } from '../toolkit/rdata.ts';
import { client, type NamecomNewRecord, type NamecomRecord } from './client.ts';
import { descriptor } from './descriptor.ts';

/** name.com's Core API. It may accept a CNAME next to another record, so writes need the zone lock. ALIAS is ANAME. */
export const namecom = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, fields.username, fields.api_token);
  return accountByRecord(descriptor, zoneLock, {
    zones: async (call) =>
      (await api.domains(call)).map(({ domainName, nameservers }) => ({
        id: domainName,
        name: undotted(domainName),
        nameservers: (nameservers ?? []).map(undotted),
      })),
    records: async (zone, call) =>
      (await api.records(zone.id, call))
        .filter(({ type }) => !isServerOwn(type))
        .map((record) => fromNamecom(record, zone.name)),
    create: (zone, record, call) => api.create(zone.id, toNamecom(record, zone.name), call),
    remove: (zone, id, call) => api.remove(zone.id, id, call),
  });
});

function fromNamecom({ id, fqdn, type, answer, ttl, priority }: NamecomRecord, zone: string): ZoneRecord {
  const host = absolute(fqdn, zone);
  return {
    ...fromFlat(type === 'ANAME' ? 'ALIAS' : type, answer, priority),
    host,
    ttl,
    id: String(id),
    readOnly: type === 'NS' && host === zone,
    extra: { answer },
  };
}

const Kept = z.object({ answer: z.string() });

function toNamecom({ host, type, value, ttl, priority, extra }: Addition, zone: string): NamecomNewRecord {
  // A value that is put back keeps its former spelling, unless that spelling is another provider's.
  const kept = Kept.safeParse(extra).data?.answer;
  const isSpelling = kept !== undefined && sameValue(type, fromFlat(type, kept, priority).value, value);
  const answer = isSpelling ? kept : value;
  const record = { host: relative(host, zone, ''), type: type === 'ALIAS' ? 'ANAME' : type, answer, ttl };
  return priority === null ? record : { ...record, priority };
}
