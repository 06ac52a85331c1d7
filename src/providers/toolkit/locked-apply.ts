import type { Addition, Extra, ZoneChange, ZoneRecord } from '../../domain/zone/zone-record.ts';
import type { Call } from '../call.ts';
import type { Applied, Decision, Zone } from '../contract.ts';
import type { Descriptor } from '../descriptor.ts';
import { writeUnlessOvertaken, ProviderError } from '../provider-error.ts';
import { applyChange, type ZoneAccess } from './apply-change.ts';
import { writeEach } from './record-by-record.ts';
import { mergeSets, recordsOfSet, type RecordSet, type SetWrite, type ValueCodec } from './record-sets.ts';
import { writeSets } from './write-sets.ts';
import type { Lease, ZoneLock } from './zone-lock.ts';

export interface ApplyRequest {
  descriptor: Descriptor;
  zoneLock: ZoneLock;
  zone: Zone;
  change: ZoneChange | Decision;
  call: Call | undefined;
  publish?(): Promise<void>;
}

/** Runs `apply` inside the zone lock, for providers without compare-and-swap or with several calls for one change. */
export const applyLocked = <State>(
  { descriptor, zoneLock, zone, change, call, publish }: ApplyRequest,
  accessWith: (lease: Lease) => Omit<ZoneAccess<State>, 'lease' | 'publish'>,
): Promise<Applied> =>
  zoneLock.run(
    `${descriptor.slug} ${zone.id}`,
    (lease) => applyChange(descriptor, zone, change, { ...accessWith(lease), lease, ...(publish && { publish }) }),
    call,
  );

/** Runs `apply` inside the zone lock with one call per record. Most such providers would create duplicates. */
export const applyByRecord = (
  request: ApplyRequest,
  api: {
    read(hosts: readonly string[]): Promise<readonly ZoneRecord[]>;
    create(record: Addition): Promise<unknown>;
    remove(record: ZoneRecord): Promise<unknown>;
  },
): Promise<Applied> =>
  applyLocked(request, (lease) => ({
    read: api.read,
    recordsOf: (records: readonly ZoneRecord[]) => records,
    write: (left) =>
      writeUnlessOvertaken(['record_not_found', 'already_exists'], () =>
        writeEach(left, { lease, create: api.create, remove: (record) => removeOrOvertaken(() => api.remove(record)) }),
      ),
  }));

/** Runs `apply` inside the zone lock with one call per record set, for providers that replace without comparing. */
export const applyBySet = <Value, Set extends RecordSet<Value>>(
  request: ApplyRequest,
  api: {
    codec: ValueCodec<Value>;
    read(hosts: readonly string[]): Promise<readonly Set[]>;
    recordsOf?(set: Set): ZoneRecord[];
    put(write: SetWrite<Value, Set>): Promise<unknown>;
    remove(set: Set): Promise<unknown>;
    extraOf?(set: Set): Extra;
  },
): Promise<Applied> =>
  applyLocked(request, (lease) => ({
    read: api.read,
    recordsOf: (sets: readonly Set[]) => sets.flatMap((set) => api.recordsOf?.(set) ?? recordsOfSet(set, api.codec)),
    write: (left, sets) =>
      writeUnlessOvertaken(['record_not_found', 'already_exists'], () =>
        writeSets(mergeSets(left, sets, api.codec), {
          ...api,
          lease,
          remove: (set) => removeOrOvertaken(() => api.remove(set)),
        }),
      ),
  }));

/** Reports a record that is gone as overtaken. If it counted as ours, undo would restore what its owner removed. */
async function removeOrOvertaken(remove: () => Promise<unknown>): Promise<unknown> {
  try {
    return await remove();
  } catch (error) {
    if (!(error instanceof ProviderError && error.code === 'zone_not_found')) throw error;
    throw new ProviderError('record_not_found', error.message, { mayHaveChanged: error.mayHaveChanged });
  }
}
