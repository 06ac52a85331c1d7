import type { Addition, ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Call } from '../call.ts';
import type { Account, Zone } from '../contract.ts';
import type { Descriptor } from '../descriptor.ts';
import { applyByRecord } from './locked-apply.ts';
import type { ZoneLock } from './zone-lock.ts';
import { longestZone } from './zone-walk.ts';

/** The calls of a provider that gives each value a record with an id. */
export interface RecordApi {
  zones(call?: Call): Promise<readonly Zone[]>;
  /** Finds a zone without listing all of them, if the provider can. */
  findZone?: Account['findZone'];
  /**
   * Returns the records of the hosts or of the whole zone, except the types that the server manages itself. `elsewhere`
   * lasts for one `apply`: an adapter that reads each record by its id can add the ids of other hosts, and skip them in
   * the next read.
   */
  records(
    zone: Zone,
    call: Call | undefined,
    hosts: readonly string[],
    elsewhere: Set<string>,
  ): Promise<readonly ZoneRecord[]>;
  create(zone: Zone, record: Addition, call?: Call): Promise<unknown>;
  remove(zone: Zone, id: string, call?: Call): Promise<unknown>;
  /** Makes the provider serve the written records. */
  publish?(zone: Zone, call?: Call): Promise<void>;
}

/** Opens an account that writes record by record, inside the zone lock. */
export function accountByRecord(descriptor: Descriptor, zoneLock: ZoneLock, api: RecordApi): Account {
  const recordsAt = async (
    zone: Zone,
    hosts: readonly string[],
    call: Call | undefined,
    elsewhere: Set<string>,
  ): Promise<ZoneRecord[]> =>
    (await api.records(zone, call, hosts, elsewhere)).filter(({ host }) => hosts.includes(host));

  return {
    verify: api.zones,
    findZone: api.findZone ?? (async (host, call) => longestZone(host, await api.zones(call))),
    records: (zone, hosts, call) => recordsAt(zone, hosts, call, new Set()),
    apply: (zone, change, call) => {
      const elsewhere = new Set<string>();
      return applyByRecord(
        { descriptor, zoneLock, zone, change, call, publish: () => api.publish?.(zone, call) ?? Promise.resolve() },
        {
          read: (hosts) => recordsAt(zone, hosts, call, elsewhere),
          create: (record) => api.create(zone, record, call),
          remove: ({ id }) => api.remove(zone, id ?? '', call),
        },
      );
    },
  };
}
