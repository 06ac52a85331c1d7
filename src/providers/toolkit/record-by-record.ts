import { additionOf, excludes, type Addition, type ZoneRecord } from '../../domain/zone-record.ts';
import { ProviderError } from '../provider-error.ts';
import type { RemainingChange } from './remaining-change.ts';
import type { Lease } from './zone-lock.ts';

export interface RecordCalls {
  create(record: Addition): Promise<unknown>;
  remove(record: ZoneRecord): Promise<unknown>;
  /** The zone's lock, where there is one: confirmed before each call. */
  lease?: Lease;
}

/**
 * Writes a change at a provider with one call for each record. Additions that need no removal go first, so that a failure
 * in between leaves more than wanted rather than less. Once a call was made the zone may have changed, whatever a later
 * one answers. If an addition fails for which something was removed, that is put back.
 */
export async function writeEach(
  { add, remove }: RemainingChange,
  { create, remove: take, lease }: RecordCalls,
): Promise<true> {
  let calls = 0;
  const call = async (task: () => Promise<unknown>): Promise<void> => {
    await lease?.confirm();
    calls++;
    await task();
  };
  const removed: ZoneRecord[] = [];
  const needsRemoval = (record: Addition) => remove.some((other) => excludes(record, other));
  try {
    for (const record of add.filter((one) => !needsRemoval(one))) await call(() => create(record));
    for (const record of remove) {
      await call(() => take(record));
      removed.push(record);
    }
    for (const record of add.filter(needsRemoval)) {
      await call(() => create(record));
      removed.splice(0, removed.length, ...removed.filter((other) => !excludes(record, other)));
    }
    return true;
  } catch (error) {
    const lost = removed.filter((record) => add.some((wanted) => excludes(wanted, record)));
    for (const record of lost.map(additionOf)) if (record) await call(() => create(record)).catch(() => undefined);
    throw calls > 1 && error instanceof ProviderError ? error.afterChange() : error;
  }
}
