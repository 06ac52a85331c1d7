import { MINUTE } from '../duration.ts';
import { FAST_FOR } from './schedule.ts';
import type { Verdict } from '../observation/verdict.ts';

/** Duration of a phase. `elapsedMs` sets the pace of the checks; `countedMs` counts towards the deadline. */
export interface Waited {
  elapsedMs: number;
  countedMs: number;
  /** Time since the phase began, or since the last touch if that was later. */
  sinceTouchMs: number;
  /** Whether a recent touch keeps the checks fast, because a person is waiting. */
  fast: boolean;
}

export interface CheckTime {
  now: number;
  verdict: Verdict;
  touched: boolean;
}

export interface TimeFacts {
  phase_started_at: Date | null;
  unasked_ms: number;
  fast_until: Date | null;
  last_checked_at: Date | null;
}

/** Returns the duration of the phase at a check, and the times to store. Times in the future count as now. */
export function timeAt(row: TimeFacts, { now, verdict, touched }: CheckTime) {
  const isFirst = row.last_checked_at === null;
  const started = isFirst ? now : Math.min(row.phase_started_at?.getTime() ?? now, now);
  const unasked = unaskedAfter(row.unasked_ms, started, row.last_checked_at?.getTime() ?? null, verdict, now);
  const fastUntil = touched ? new Date(now + FAST_FOR) : row.fast_until;
  const fastFor = (fastUntil?.getTime() ?? now) - now;
  const elapsedMs = now - started;
  const fast = fastFor > 0 && fastFor <= FAST_FOR;
  const sinceTouchMs = Math.min(elapsedMs, fastUntil === null || fastFor > FAST_FOR ? elapsedMs : FAST_FOR - fastFor);
  const waited: Waited = { elapsedMs, countedMs: elapsedMs - unasked, sinceTouchMs, fast };
  return { waited, stored: { phase_started_at: new Date(started), unasked_ms: unasked, fast_until: fastUntil } };
}

/** Returns the time in which no name server answered, which deadlines exclude. */
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

/** Longer than any check lasts. A check that is dated further ahead was dated before the clock was set back. */
const LONGEST_CHECK = MINUTE;

/** Whether a later check has been saved already. An older check that found nothing must not undo a later match. */
export function isOutrun({ last_checked_at }: Pick<TimeFacts, 'last_checked_at'>, now: number): boolean {
  const ahead = (last_checked_at?.getTime() ?? now) - now;
  return ahead > 0 && ahead <= LONGEST_CHECK;
}
