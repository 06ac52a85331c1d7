import type { Addition, Extra, ZoneChange, ZoneRecord } from '../../domain/zone-record.ts';
import type { Call } from '../call.ts';
import type { Applied, Decision, Zone } from '../contract.ts';
import type { Descriptor } from '../descriptor.ts';
import { ifFound } from '../provider-error.ts';
import { applyChange } from './apply-change.ts';
import { writeEach } from './record-by-record.ts';
import { mergeSets, recordsOfSet, type RecordSet, type SetWrite, type ValueCodec } from './record-sets.ts';
import { writeSets } from './write-sets.ts';
import type { ZoneLock } from './zone-lock.ts';

/** What one call of `apply` is about. */
export interface ApplyRequest {
  descriptor: Descriptor;
  zoneLock: ZoneLock;
  zone: Zone;
  change: ZoneChange | Decision;
  call: Call | undefined;
  publish?(): Promise<void>;
}

/**
 * `apply` for providers with one call for each record, inside the zone's lock: most of them create a value twice if asked
 * twice. A record that another program removed since it was read is gone, as was wanted; if it was the whole zone that
 * went, reading back tells.
 */
export const applyByRecord = (
  { descriptor, zoneLock, zone, change, call, publish }: ApplyRequest,
  api: {
    read(hosts: readonly string[]): Promise<readonly ZoneRecord[]>;
    create(record: Addition): Promise<unknown>;
    remove(record: ZoneRecord): Promise<unknown>;
  },
): Promise<Applied> =>
  zoneLock.run(
    lockOf(descriptor, zone),
    (lease) =>
      applyChange(descriptor, zone, change, {
        lease,
        read: api.read,
        recordsOf: (records) => records,
        write: (left) =>
          writeEach(left, { lease, create: api.create, remove: (one) => ifFound(() => api.remove(one)) }),
        ...(publish && { publish }),
      }),
    call,
  );

/** `apply` for providers that replace whole sets and compare nothing, inside the zone's lock, one call for each set. */
export const applyBySet = <Value, Set extends RecordSet<Value>>(
  { descriptor, zoneLock, zone, change, call, publish }: ApplyRequest,
  api: {
    codec: ValueCodec<Value>;
    read(hosts: readonly string[]): Promise<readonly Set[]>;
    recordsOf?(set: Set): ZoneRecord[];
    put(write: SetWrite<Value, Set>): Promise<unknown>;
    remove(set: Set): Promise<unknown>;
    extraOf?(set: Set): Extra;
  },
): Promise<Applied> =>
  zoneLock.run(
    lockOf(descriptor, zone),
    (lease) =>
      applyChange(descriptor, zone, change, {
        lease,
        read: api.read,
        recordsOf: (sets) => sets.flatMap((set) => api.recordsOf?.(set) ?? recordsOfSet(set, api.codec)),
        write: (left, sets) =>
          writeSets(mergeSets(left, sets, api.codec), {
            ...api,
            remove: (set) => ifFound(() => api.remove(set)),
            lease,
          }),
        ...(publish && { publish }),
      }),
    call,
  );

const lockOf = ({ slug }: Descriptor, { id }: Zone): string => `${slug} ${id}`;
