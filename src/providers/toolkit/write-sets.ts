import type { Extra } from '../../domain/zone-record.ts';
import { ProviderError } from '../provider-error.ts';
import type { RecordSet, SetWrite } from './record-sets.ts';
import type { Lease } from './zone-lock.ts';

export interface SetCalls<Value, Set extends RecordSet<Value>> {
  /** Makes the set stand with exactly these values. */
  put(write: SetWrite<Value, Set>): Promise<unknown>;
  remove(set: Set): Promise<unknown>;
  /** What the provider keeps beside a set's values, for a set that comes back. */
  extraOf?(set: Set): Extra;
  /** Brings back a set that left for a write that failed, where values can join those that came meanwhile. */
  restore?(write: SetWrite<Value, Set>): Promise<unknown>;
  lease?: Lease;
}

/**
 * Writes a change at a provider with one call for each set. Sets that need no other to go are written first; a set that
 * takes the place of another at its name is written last, and if that fails, what left for it comes back.
 */
export async function writeSets<Value, Set extends RecordSet<Value>>(
  writes: readonly SetWrite<Value, Set>[],
  { put, remove, extraOf, restore = put, lease }: SetCalls<Value, Set>,
): Promise<true> {
  let calls = 0;
  const call = async (task: () => Promise<unknown>): Promise<void> => {
    await lease?.confirm();
    calls++;
    await task();
  };
  const leaving = writes.flatMap(({ values, before }) => (values.length === 0 && before ? [before] : []));
  const needsRoom = ({ host, values }: SetWrite<Value, Set>) =>
    values.length > 0 && leaving.some((set) => set.host === host);
  const removed: Set[] = [];
  try {
    for (const write of writes.filter((one) => one.values.length > 0 && !needsRoom(one))) await call(() => put(write));
    for (const set of leaving) {
      await call(() => remove(set));
      removed.push(set);
    }
    for (const write of writes.filter(needsRoom)) await call(() => put(write));
    return true;
  } catch (error) {
    const lost = removed.filter((set) => writes.some((write) => needsRoom(write) && write.host === set.host));
    for (const set of lost) {
      const { host, type, ttl, values } = set;
      const back = { host, type, ttl, values, before: undefined, extra: extraOf?.(set) ?? null };
      await call(() => restore(back)).catch(() => undefined);
    }
    throw calls > 1 && error instanceof ProviderError ? error.afterChange() : error;
  }
}
