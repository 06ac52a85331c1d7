import type { Extra, ZoneRecord } from '../../domain/zone/zone-record.ts';
import { ProviderError } from '../provider-error.ts';
import type { RecordSet, SetWrite } from './record-sets.ts';
import type { Lease } from './zone-lock.ts';

export interface SetCalls<Value, Set extends RecordSet<Value>> {
  /** Writes the set with exactly these values. */
  put(write: SetWrite<Value, Set>): Promise<unknown>;
  remove(set: Set): Promise<unknown>;
  /** Returns the data that the provider keeps with a set, for a set that is put back. */
  extraOf?(set: Set): Extra;
  /** Puts back a set whose replacement failed, by adding its values to newer ones. */
  restore?(write: SetWrite<Value, Set>): Promise<unknown>;
  lease?: Lease;
}

/** Writes a change set by set. A set that replaces another one comes last; if it fails, the other is put back. */
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
  const isLeaving = ({ values, before }: SetWrite<Value, Set>) => values.length === 0 && before !== undefined;
  const needsRemoval = ({ host, values }: SetWrite<Value, Set>) =>
    values.length > 0 && writes.some((other) => isLeaving(other) && other.host === host);
  const done: SetWrite<Value, Set>[] = [];
  const send = async (write: SetWrite<Value, Set>): Promise<void> => {
    await call(() => (write.values.length === 0 && write.before ? remove(write.before) : put(write)));
    done.push(write);
  };
  try {
    for (const write of writes.filter((one) => one.values.length > 0 && !needsRemoval(one))) await send(write);
    for (const write of writes.filter(isLeaving)) await send(write);
    for (const write of writes.filter(needsRemoval)) await send(write);
    return true;
  } catch (error) {
    const isFor = (write: SetWrite<Value, Set>) => (other: SetWrite<Value, Set>) =>
      needsRemoval(other) && other.host === write.host;
    const lost = done.filter((write) => isLeaving(write) && writes.some(isFor(write)));
    const gone: ZoneRecord[] = done.filter((write) => !lost.includes(write)).flatMap(({ leaving }) => leaving);
    for (const { before, leaving } of lost) {
      if (!before) continue;
      const { host, type, ttl, values } = before;
      const back = { host, type, ttl, values, before: undefined, leaving: [], extra: extraOf?.(before) ?? null };
      const isBack = await call(() => restore(back)).then(() => true, () => false); // prettier-ignore
      if (!isBack) gone.push(...leaving);
    }
    throw calls > 1 && error instanceof ProviderError ? error.afterChange(gone) : error;
  }
}
