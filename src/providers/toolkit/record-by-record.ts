import { additionOf, excludes, type Addition, type ZoneRecord } from '../../domain/zone/zone-record.ts';
import { ProviderError } from '../provider-error.ts';
import type { RemainingChange } from './remaining-change.ts';
import type { Lease } from './zone-lock.ts';

export interface RecordCalls {
  create(record: Addition): Promise<unknown>;
  remove(record: ZoneRecord): Promise<unknown>;
  /** Lease on the zone lock, if there is one. It is confirmed before each call. */
  lease?: Lease;
}

/** Writes a change record by record, additions first. If one fails, the records removed for it are put back. */
export async function writeEach(
  { add, remove }: RemainingChange,
  { create, remove: removeOne, lease }: RecordCalls,
): Promise<true> {
  let calls = 0;
  const call = async (task: () => Promise<unknown>): Promise<void> => {
    await lease?.confirm();
    calls++;
    await task();
  };
  const removed: ZoneRecord[] = [];
  const created: Addition[] = [];
  const needsRemoval = (record: Addition) => remove.some((other) => excludes(record, other));
  try {
    for (const record of add.filter((one) => !needsRemoval(one))) await call(() => create(record));
    for (const record of remove) {
      await call(() => removeOne(record));
      removed.push(record);
    }
    for (const record of add.filter(needsRemoval)) {
      await call(() => create(record));
      created.push(record);
    }
    return true;
  } catch (error) {
    const isExcludedBy = (record: ZoneRecord, by: readonly Addition[]) => by.some((other) => excludes(other, record));
    const lost = removed.filter((record) => isExcludedBy(record, add) && !isExcludedBy(record, created));
    const gone = removed.filter((record) => !lost.includes(record));
    for (const record of lost) {
      const back = additionOf(record);
      const isBack = back && (await call(() => create(back)).then(() => true, () => false)); // prettier-ignore
      if (!isBack) gone.push(record);
    }
    throw calls > 1 && error instanceof ProviderError ? error.afterChange(gone) : error;
  }
}
