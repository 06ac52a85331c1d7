import type { ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Call } from '../call.ts';
import type { Zone } from '../contract.ts';
import { defineProvider } from '../toolkit/define-provider.ts';
import { applyLocked } from '../toolkit/locked-apply.ts';
import { fromRelative, relative, undotted } from '../toolkit/names.ts';
import { fromRdata, isServerOwn, toRdata } from '../toolkit/rdata.ts';
import { mergeSets, recordsOfSet, type RecordSet, type ValueCodec } from '../toolkit/record-sets.ts';
import { client, type DesecDomain } from './client.ts';
import { descriptor } from './descriptor.ts';

/**
 * deSEC. A change is one request that replaces whole record sets, all of them or none. deSEC does not compare, so writes
 * need the zone lock. Reads are scarce, so several names are read as a whole zone.
 */
export const desec = defineProvider(descriptor, ({ fields, http, context: { zoneLock } }) => {
  const api = client(http, fields.api_token);

  const setsAt = async (zone: Zone, hosts: readonly string[], call?: Call): Promise<RecordSet<string>[]> => {
    const [first = '', ...others] = hosts;
    const only = others.length === 0 ? relative(first, zone.name, '') : undefined;
    return (await api.sets(zone.id, only, call))
      .map(({ subname, type, ttl, records }) => ({
        host: fromRelative(subname, zone.name),
        type,
        ttl,
        values: records,
      }))
      .filter(({ host }) => hosts.includes(host));
  };

  return {
    verify: async (call) => (await api.domains(call)).map(zoneOf),

    findZone: async (host, call) => {
      const found = await api.domainOf(host, call);
      return found && zoneOf(found);
    },

    records: async (zone, hosts, call) => recordsIn(zone, await setsAt(zone, hosts, call)),

    apply: (zone, change, call) =>
      applyLocked<RecordSet<string>[]>({ descriptor, zoneLock, zone, change, call }, () => ({
        read: (hosts) => setsAt(zone, hosts, call),
        recordsOf: (sets) => recordsIn(zone, sets),
        write: async (left, sets) => {
          const writes = mergeSets(left, sets, codec).map(({ host, type, ttl, values }) => ({
            subname: relative(host, zone.name, ''),
            type,
            ttl,
            records: [...values],
          }));
          await api.patch(zone.id, writes, call);
          return true;
        },
      })),
  };
});

const codec: ValueCodec<string> = {
  typeOf: ({ type }) => type,
  encode: (record) => toRdata(record),
  decode: (type, value) => fromRdata(type, value),
};

/** The zone's own NS records must not be changed. */
const recordsIn = (zone: Zone, sets: readonly RecordSet<string>[]): ZoneRecord[] =>
  sets
    .filter(({ type }) => !isServerOwn(type))
    .flatMap((set) => recordsOfSet(set, codec, { readOnly: set.type === 'NS' && set.host === zone.name }));

const zoneOf = ({ name }: DesecDomain): Zone => ({ id: name, name: undotted(name), nameservers: [] });
