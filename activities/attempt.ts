import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { performance } from 'node:perf_hooks';
import { NoTurn } from '../src/domain/observation/check.ts';
import type { Moment } from '../src/domain/connection/consequence.ts';
import type { ConnectionSnapshot, ReportedStatus } from '../src/domain/connection/snapshot.ts';
import { DAY, MINUTE } from '../src/domain/connection/schedule.ts';
import { statusLine } from '../src/domain/connection/status-line.ts';
import type { Deps } from './deps.ts';
import { snapshotOf } from './snapshot.ts';
import { retryCheck } from './retry-check.ts';
import type { Settled } from './settle.ts';

/**
 * The attempt's own time. Deadlines and schedules know no other clock, so time-skipping tests and restarts agree. A
 * workflow that has the attempt made at once gives its own time, because the server does not know of it.
 */
export function attempt(given?: number) {
  const { currentAttemptScheduledTimestampMs, scheduledTimestampMs, attempt: number } = activityInfo();
  const now = given ?? currentAttemptScheduledTimestampMs;
  const began = performance.now();
  return {
    now,
    signal: cancellationSignal(),
    /** The check that this attempt made, once it is made. */
    moment: (touched: boolean, random: number): Moment => ({
      now,
      tookMs: performance.now() - began,
      touched,
      random,
    }),
    isFirst: number === 1,
    roundMs: given === undefined ? now - scheduledTimestampMs : 0,
  };
}

/** Where a write or a repair waits for its next chance, the poll ends early, so that the workflow can give it one. */
const BUSY_ROUND = 15 * MINUTE;

/** A round is at least so long before it ends for news: at the fastest pace each check may see something else. */
const NEWS_AFTER = 2 * MINUTE;

/** Whether the workflow should hear of it, because operators read there what it was told last. */
export const isNews = (told: ReportedStatus | undefined, now: ReportedStatus, roundMs: number): boolean =>
  told !== undefined && roundMs >= NEWS_AFTER && (told.errorCode !== now.errorCode || told.provider !== now.provider);

/**
 * A check that moved its connection on returns it, and so does one that found another reason to wait; any other fails
 * with the time of the next check. A poll returns once a day even if nothing happened, so that its workflow can take up
 * new code. Runs from before `told` was written hear of moves only.
 */
export async function endCheck(
  deps: Deps,
  { row, waitMs }: Settled,
  waiting: ReadonlySet<string>,
  sentence: string,
  { now, roundMs, told }: { now: number; roundMs: number; told: ReportedStatus | undefined },
): Promise<ConnectionSnapshot> {
  const snapshot = await snapshotOf(deps.pool, row, now);
  const roundIsOver = roundMs >= (snapshot.due === null ? DAY : BUSY_ROUND) || isNews(told, snapshot, roundMs);
  if (waitMs === null || !waiting.has(row.state) || roundIsOver) return snapshot;
  throw retryCheck(statusLine(sentence, row), waitMs);
}

/** Makes a check while the server is told that we are alive; one that got no turn is tried again when it may have one. */
export async function checking<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await heartbeating(check);
  } catch (error) {
    throw error instanceof NoTurn ? retryCheck(error.message, error.retryAfterMs) : error;
  }
}

/**
 * Tells the server every two seconds that we are alive, which is also how a cancellation reaches us. A worker that was
 * killed falls silent, and the server gives its work to another one after the heartbeat timeout.
 */
export async function heartbeating<T>(body: () => Promise<T>): Promise<T> {
  if (activityInfo().isLocal) return body(); // the workflow task that it is part of has a limit of its own
  const beat = setInterval(() => heartbeat(), 2_000);
  try {
    return await body();
  } finally {
    clearInterval(beat);
  }
}
