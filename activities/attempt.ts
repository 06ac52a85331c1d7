import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { performance } from 'node:perf_hooks';
import type { Moment } from '../src/domain/connection/consequence.ts';
import { DAY, MINUTE, SECOND } from '../src/domain/duration.ts';
import type { ConnectionSnapshot, ReportedStatus } from '../src/domain/connection/snapshot.ts';
import type { StateSet } from '../src/domain/connection/state-sets.ts';
import { statusLine } from '../src/domain/connection/outlook.ts';
import { TooManyChecks } from '../src/domain/observation/check.ts';
import type { Deps } from './deps.ts';
import { retryCheck } from './retry-check.ts';
import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import type { Settled } from './settle.ts';
import { snapshotOf } from './snapshot.ts';

/** A check ends after eight seconds, and saving it takes a moment. */
const LONGEST_CHECK = 9 * SECOND;

/** Times of an attempt by Temporal's clock, so that time-skipping tests and restarts agree. */
export interface Attempt {
  now: number;
  signal: AbortSignal;
  /**
   * Returns the time and the duration of this attempt's check. Call this function when the check has ended.
   * `touched`: a touch caused the check. `random`, from 0 to 1, spreads the next checks over time.
   */
  moment(touched: boolean, random: number): Moment;
  isFirst: boolean;
  /** Time since the workflow scheduled the activity. A round is the activity with all of its attempts. */
  roundMs: number;
  /** Time for which the attempt can wait before one more check, which must end within the attempt. */
  spareMs(): number;
  /** Returns the same attempt at the present time, for one more check or the next of several steps. */
  later(): Attempt;
}

/** Returns the running attempt. `began` is the time of this process's clock at which it began. */
export function attempt(began = performance.now()): Attempt {
  const info = activityInfo();
  const elapsedMs = () => performance.now() - began;
  const now = info.currentAttemptScheduledTimestampMs + Math.round(elapsedMs());
  const checkBegan = performance.now();
  return {
    now,
    signal: cancellationSignal(),
    moment: (touched, random) => ({ now, tookMs: performance.now() - checkBegan, touched, random }),
    isFirst: info.attempt === 1,
    roundMs: now - info.scheduledTimestampMs,
    spareMs: () => info.startToCloseTimeoutMs - LONGEST_CHECK - elapsedMs(),
    later: () => attempt(began),
  };
}

/** Maximum length of a round while a write is due, so that the workflow can start the write after the round. */
const BUSY_ROUND = 15 * MINUTE;

/** Minimum time between two reports of a changed status, because frequent checks may each find another status. */
const REPORT_AFTER = 2 * MINUTE;

/** Whether the activity should return to report a changed status to the workflow, where operators read the status. */
export const isNews = (reported: ReportedStatus | undefined, now: ReportedStatus, roundMs: number): boolean =>
  reported !== undefined &&
  roundMs >= REPORT_AFTER &&
  (reported.errorCode !== now.errorCode || reported.provider !== now.provider);

/** Leaves a connection that was just checked alone until its next check. */
export function waitUntilDue(row: ConnectionRow, { now }: Attempt): void {
  const waitMs = (row.next_check_at?.getTime() ?? now) - now;
  if (waitMs > 0 && row.last_checked_at !== null)
    throw retryCheck(statusLine(row.findings[0]?.message ?? 'Checked a moment ago.', row), waitMs);
}

/**
 * Ends a check. Returns a snapshot if the connection no longer waits for this check, its reported status changed, or
 * the round is over. Otherwise throws a failure that Temporal retries after `waitMs`.
 */
export async function endCheck(
  deps: Deps,
  { row, waitMs }: Settled,
  /** States in which a connection waits for this check. */
  waiting: StateSet,
  /** Result of the check, for operators. */
  sentence: string,
  { now, roundMs, reported }: { now: number; roundMs: number; reported: ReportedStatus | undefined },
): Promise<ConnectionSnapshot> {
  const snapshot = await snapshotOf(deps.pool, row, now);
  const roundIsOver = roundMs >= (snapshot.due === null ? DAY : BUSY_ROUND) || isNews(reported, snapshot, roundMs);
  if (waitMs === null || !waiting.has(row.state)) return snapshot;
  if (roundIsOver)
    return snapshot.due === null ? { ...snapshot, seenUntil: new Date(now + waitMs).toISOString() } : snapshot;
  throw retryCheck(statusLine(sentence, row), waitMs);
}

/** Runs a check with heartbeats. If the tenant has too many concurrent checks, Temporal retries the check later. */
export async function checking<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await heartbeating(check);
  } catch (error) {
    throw error instanceof TooManyChecks ? retryCheck(error.message, error.retryAfterMs) : error;
  }
}

/** Sends a heartbeat every two seconds, which also delivers cancellations and reveals a killed worker. */
export async function heartbeating<T>(body: () => Promise<T>): Promise<T> {
  if (activityInfo().isLocal) return body(); // a local activity ends with its workflow task
  const beat = setInterval(() => heartbeat(), 2_000);
  try {
    return await body();
  } finally {
    clearInterval(beat);
  }
}
