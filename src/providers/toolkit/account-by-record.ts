import type { Addition, ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Call } from '../call.ts';
import type { Account, Zone } from '../contract.ts';
import type { Descriptor } from '../descriptor.ts';
import { applyByRecord } from './locked-apply.ts';
import type { ZoneLock } from './zone-lock.ts';
import { longestZone } from './zone-walk.ts';

/** The calls of a provider that lists zones, reads a zone as a whole, and gives each value a record with an id. */
export interface RecordApi {
  zones(call?: Call): Promise<readonly Zone[]>;
  /** Returns every record of the zone, except the types that the server manages itself. */
  records(zone: Zone, call?: Call): Promise<readonly ZoneRecord[]>;
  create(zone: Zone, record: Addition, call?: Call): Promise<unknown>;
  remove(zone: Zone, id: string, call?: Call): Promise<unknown>;
}

/** Opens an account that writes record by record, inside the zone lock. */
export function accountByRecord(descriptor: Descriptor, zoneLock: ZoneLock, api: RecordApi): Account {
  const recordsAt = async (zone: Zone, hosts: readonly string[], call?: Call): Promise<ZoneRecord[]> =>
    (await api.records(zone, call)).filter(({ host }) => hosts.includes(host));

  return {
    verify: api.zones,
    findZone: async (host, call) => longestZone(host, await api.zones(call)),
    records: recordsAt,
    apply: (zone, change, call) =>
      applyByRecord(
        { descriptor, zoneLock, zone, change, call },
        {
          read: (hosts) => recordsAt(zone, hosts, call),
          create: (record) => api.create(zone, record, call),
          remove: ({ id }) => api.remove(zone, id ?? '', call),
        },
      ),
  };
}
