import type { RecordsObservation } from '../domain/observation/observation.ts';
import { judgeRecords, type WantedRecord } from '../domain/observation/verdict.ts';
import { BoundedMap } from '../net/bounded-map.ts';
import { SHARED_MS } from './shared-answers.ts';

const MAX_ENTRIES = 1_000;

/** Remembers for some seconds which records were right everywhere. Steps that follow a check need not repeat it. */
export function createRightRecords(now: () => number) {
  const right = new BoundedMap<string, { seen: RecordsObservation; until: number }>(MAX_ENTRIES);
  const keyOf = (hostname: string, wanted: WantedRecord[]) => JSON.stringify([hostname, wanted]);
  return {
    get(hostname: string, wanted: WantedRecord[]): RecordsObservation | undefined {
      const known = right.get(keyOf(hostname, wanted));
      return known !== undefined && known.until > now() ? known.seen : undefined;
    },
    /** Saves an observation, or deletes the one before if a required record is no longer right. */
    set(wanted: WantedRecord[], seen: RecordsObservation): void {
      const key = keyOf(seen.hostname, wanted);
      if (isRight(seen, wanted)) right.set(key, { seen, until: now() + SHARED_MS });
      else right.delete(key);
    },
  };
}

const isRight = (seen: RecordsObservation, wanted: WantedRecord[]): boolean =>
  judgeRecords(seen, wanted).every(({ isRequired, settled }) => settled || !isRequired);
