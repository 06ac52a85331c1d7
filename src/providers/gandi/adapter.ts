import type { ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Call } from '../call.ts';
import type { Zone } from '../contract.ts';
import { ifFound, writeUnlessOvertaken, ProviderError } from '../provider-error.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { applyLocked } from '../toolkit/locked-apply.ts';
import { fromRelative, relative, undotted } from '../toolkit/names.ts';
import { fromRdata, isServerOwn, toRdata, withAbsoluteTarget } from '../toolkit/rdata.ts';
import { mergeSets, recordsOfSet, type RecordSet, type SetWrite, type ValueCodec } from '../toolkit/record-sets.ts';
import { writeSets } from '../toolkit/write-sets.ts';
import { walkZones } from '../toolkit/zone-walk.ts';
import { client } from './client.ts';
import { descriptor } from './descriptor.ts';

/** Gandi LiveDNS. Record sets are replaced without a comparison, so writes need the zone lock and exact spellings. */
export const gandi = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, fields.personal_access_token, fields.sharing_id);

  const setsOf = async (zone: Zone, call?: Call): Promise<Set[]> =>
    (await api.sets(zone.id, call)).map(({ rrset_name, rrset_type, rrset_ttl, rrset_values }) => ({
      host: fromRelative(rrset_name, zone.name),
      name: rrset_name,
      type: rrset_type,
      ttl: rrset_ttl,
      values: rrset_values,
    }));

  const put = (zone: Zone, { host, type, ttl, values, before }: SetWrite<string, Set>, call?: Call) => {
    const content = { rrset_ttl: ttl, rrset_values: values };
    return before
      ? api.replace(zone.id, before.name, type, content, call)
      : api.create(zone.id, relative(host, zone.name, '@'), type, content, call);
  };

  return {
    verify: async (call) => (await api.domains(call)).map(zoneOf),

    // A token for some domains may be refused for names above and below them.
    findZone: async (host, call) => {
      let refusal: ProviderError | undefined;
      const found = await walkZones(host, async (name) => {
        try {
          return await ifFound(async () => zoneOf(await api.domain(name, call)));
        } catch (error) {
          if (!(error instanceof ProviderError && error.code === 'forbidden_scope')) throw error;
          refusal ??= error;
          return undefined;
        }
      });
      if (!found && refusal) throw refusal;
      return found;
    },

    records: async (zone, hosts, call) => recordsAt(await setsOf(zone, call), hosts, zone),

    apply: (zone, change, call) =>
      applyLocked<Set[]>({ descriptor, zoneLock, zone, change, call }, (lease) => ({
        read: () => setsOf(zone, call),
        recordsOf: (sets, hosts) => recordsAt(sets, hosts, zone),
        write: (left, sets) =>
          writeUnlessOvertaken(['already_exists', 'record_not_found'], () =>
            writeSets(mergeSets(left, sets, codecOf(zone)), {
              lease,
              put: (write) => put(zone, write, call),
              remove: ({ name, type }) => api.remove(zone.id, name, type, call),
            }),
          ),
      })),
  };
});

interface Set extends RecordSet<string> {
  name: string;
}

const codecOf = (zone: Zone): ValueCodec<string> => ({
  typeOf: ({ type }) => type,
  encode: (record) => toRdata(record),
  decode: (type, value) => fromRdata(type, withAbsoluteTarget(type, value, zone.name)),
});

/** The zone's own NS records are listed only if their owner has written some. They must not be changed. */
const recordsAt = (sets: readonly Set[], hosts: readonly string[], zone: Zone): ZoneRecord[] =>
  sets
    .filter(({ host, type }) => hosts.includes(host) && !isServerOwn(type))
    .flatMap((set) => recordsOfSet(set, codecOf(zone), { readOnly: set.type === 'NS' && set.host === zone.name }));

const zoneOf = ({ fqdn }: { fqdn: string }): Zone => ({ id: fqdn, name: undotted(fqdn), nameservers: [] });
