import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { performance } from 'node:perf_hooks';
import type { ConnectionSnapshot } from '../src/domain/snapshot.ts';
import { DAY, MINUTE } from '../src/domain/schedule.ts';
import type { Deps } from './deps.ts';
import { snapshotOf } from './snapshot.ts';
import { lookAgain } from './look-again.ts';
import type { Settled } from './settle.ts';

/** The attempt's own time. Deadlines and schedules know no other clock, so time-skipping tests and restarts agree. */
export function attempt() {
  const { currentAttemptScheduledTimestampMs: now, scheduledTimestampMs, attempt: number } = activityInfo();
  const began = performance.now();
  return {
    now,
    first: number === 1,
    signal: cancellationSignal(),
    tookMs: () => performance.now() - began,
    roundMs: now - scheduledTimestampMs,
  };
}

/** Where a write or a repair waits for its next chance, the poll ends early, so that the workflow can give it one. */
const BUSY_ROUND = 15 * MINUTE;

/**
 * A look that moved its connection on returns it; one that did not fails with the time of the next look. A poll returns
 * once a day even if nothing happened, so that its workflow can take up new code.
 */
export async function endLook(
  deps: Deps,
  { row, waitMs }: Settled,
  waiting: ReadonlySet<string>,
  sentence: string,
  { now, roundMs }: { now: number; roundMs: number },
): Promise<ConnectionSnapshot> {
  const snapshot = await snapshotOf(deps.pool, row, now);
  const roundIsOver = roundMs >= (snapshot.due === null ? DAY : BUSY_ROUND);
  if (waitMs === null || !waiting.has(row.state) || roundIsOver) return snapshot;
  throw lookAgain(sentence, waitMs);
}

/** Tells the server every few seconds that we are alive, which is also how a cancellation reaches us. */
export async function heartbeating<T>(body: () => Promise<T>): Promise<T> {
  const beat = setInterval(() => heartbeat(), 5_000);
  try {
    return await body();
  } finally {
    clearInterval(beat);
  }
}
