import { FAST_FOR, MINUTE } from './schedule.ts';
import type { Verdict } from '../observation/verdict.ts';

/** How long a phase has lasted: all of it sets the pace of the checks, what counts brings the deadline nearer. */
export interface Waited {
  elapsedMs: number;
  countedMs: number;
  /** A touch not long ago: a person is watching. */
  fast: boolean;
}

/** When a check was made, by Temporal's clock, and what it found. */
export interface CheckTime {
  now: number;
  verdict: Verdict;
  touched: boolean;
}

/** What a row remembers of time. */
export interface TimeFacts {
  phase_started_at: Date | null;
  unasked_ms: number;
  fast_until: Date | null;
  last_checked_at: Date | null;
}

/**
 * The phase's time at a check, and what the row keeps of it. The API dates a new row by its own machine's clock, so a
 * phase counts from its first check, by Temporal's. A clock that was set back leaves times in the future on the row:
 * they count as now, so that a step of hours costs no more than one wait.
 */
export function timeAt(row: TimeFacts, { now, verdict, touched }: CheckTime) {
  const isFirst = row.last_checked_at === null;
  const started = isFirst ? now : Math.min(row.phase_started_at?.getTime() ?? now, now);
  const unasked = unaskedAfter(row.unasked_ms, started, row.last_checked_at?.getTime() ?? null, verdict, now);
  const fastUntil = touched ? new Date(now + FAST_FOR) : row.fast_until;
  const fastFor = (fastUntil?.getTime() ?? now) - now;
  const elapsedMs = now - started;
  const waited: Waited = {
    elapsedMs,
    countedMs: elapsedMs - unasked,
    fast: fastFor > 0 && fastFor <= FAST_FOR,
  };
  return { waited, stored: { phase_started_at: new Date(started), unasked_ms: unasked, fast_until: fastUntil } };
}

/**
 * Time in which no server could be asked, this check's part included. Deadlines count only time in which one could be
 * asked, so a check that could not ask takes the time since the check before it out of the count.
 */
export function unaskedAfter(
  before: number,
  startedAt: number,
  lastCheckAt: number | null,
  verdict: Verdict,
  now: number,
): number {
  if (verdict !== 'unknown') return before;
  return before + Math.max(0, now - Math.max(lastCheckAt ?? startedAt, startedAt));
}

/** Longer than any check is in flight: a check that is dated further ahead was dated by a clock since set back. */
const LONGEST_CHECK = MINUTE;

/** A later check has judged the row already: one in flight that saw nothing must not undo the one that saw the match. */
export function isOutrun({ last_checked_at }: Pick<TimeFacts, 'last_checked_at'>, now: number): boolean {
  const ahead = (last_checked_at?.getTime() ?? now) - now;
  return ahead > 0 && ahead <= LONGEST_CHECK;
}
