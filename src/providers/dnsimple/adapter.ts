import { z } from 'zod';
import { sameRecord, type Addition, type Extra, type ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Call } from '../call.ts';
import type { Zone } from '../contract.ts';
import { accountByRecord } from '../toolkit/account-by-record.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { fromRelative, relative, undotted } from '../toolkit/names.ts';
import { fromFlat, isServerOwn } from '../toolkit/rdata.ts';
import { quoteTxt, unquoteTxt } from '../toolkit/txt.ts';
import { longestZone } from '../toolkit/zone-walk.ts';
import { client, type DnsimpleRecord, type DnsimpleZone, type NewRecord } from './client.ts';
import { descriptor } from './descriptor.ts';

/** DNSimple. It refuses duplicates. It adds a TXT record to an ALIAS and removes it with the ALIAS; we ignore it. */
export const dnsimple = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, fields.api_token);

  const zones = async (nameLike: string | undefined, call?: Call): Promise<Zone[]> => {
    const accounts = fields.account_id === undefined ? await api.accounts(call) : [fields.account_id];
    const found = await Promise.all(accounts.map((account) => api.zones(account, nameLike, call)));
    return found.flat().filter(({ secondary, active }) => active && !secondary).map(zoneOf); // prettier-ignore
  };

  return accountByRecord(descriptor, zoneLock, {
    zones: (call) => zones(undefined, call),
    // The name of every zone that can contain the host ends in the host's last two labels.
    findZone: async (host, call) => longestZone(host, await zones(host.split('.').slice(-2).join('.'), call)),
    records: async (zone, call, hosts) => {
      const names = hosts.map((host) => relative(host, zone.name, ''));
      const found = await Promise.all(names.map((name) => api.recordsNamed(zone.id, name, call)));
      return found
        .flatMap((records, i) => records.filter(({ name }) => name.toLowerCase() === names[i]))
        .filter((record) => !isServerOwn(record.type) && !isOfAlias(record))
        .map((record) => fromDnsimple(record, zone.name));
    },
    create: (zone, record, call) => api.create(zone.id, toDnsimple(record, zone.name), call),
    remove: (zone, id, call) => api.remove(zone.id, id, call),
  });
});

const zoneOf = ({ account_id, name }: DnsimpleZone): Zone => ({
  id: `${account_id}/${name}`,
  name: undotted(name),
  nameservers: [],
});

const isOfAlias = ({ type, content, parent_id }: DnsimpleRecord): boolean =>
  type === 'TXT' && parent_id != null && /^"?ALIAS for /.test(content);

function fromDnsimple(record: DnsimpleRecord, zone: string): ZoneRecord {
  const { id, name, ttl, parent_id, system_record } = record;
  return {
    ...valueOf(record),
    host: fromRelative(name, zone),
    ttl,
    id: String(id),
    readOnly: system_record || parent_id != null,
    extra: extraOf(record),
  };
}

const valueOf = ({ type, content, priority }: Pick<DnsimpleRecord, 'type' | 'content' | 'priority'>) =>
  fromFlat(type, type === 'TXT' ? unquoteTxt(content) : content, priority);

/** Returns a value in the form that we send. */
const contentOf = ({ type, value }: Pick<ZoneRecord, 'type' | 'value'>): string =>
  type === 'TXT' ? quoteTxt(value) : value;

/** Returns the data that must be restored together with a record: its regions, and its spelling if that is not ours. */
function extraOf(record: DnsimpleRecord): Extra | null {
  const { content, regions } = record;
  const isEverywhere = regions == null || (regions.length === 1 && regions[0] === 'global');
  const isOurSpelling = content === contentOf(valueOf(record));
  if (isEverywhere && isOurSpelling) return null;
  return { ...(!isEverywhere && { regions }), ...(!isOurSpelling && { content }) };
}

/** Kept data of a record that is put back. Another provider may have kept other data under these keys. */
const Kept = z.object({
  regions: z.array(z.string()).min(1).optional().catch(undefined),
  content: z.string().optional().catch(undefined),
});

function toDnsimple(wanted: Addition, zone: string): NewRecord {
  const { host, type, ttl, priority, extra } = wanted;
  const { regions, content: kept } = Kept.parse(extra ?? {});
  const isSame = kept !== undefined && sameRecord({ host, ...valueOf({ type, content: kept, priority }) }, wanted);
  return {
    name: relative(host, zone, ''),
    type,
    content: isSame ? kept : contentOf(wanted),
    ttl,
    ...(priority !== null && { priority }),
    ...(regions && { regions }),
  };
}
