import type { Trigger } from './connection.ts';
import type { Verdict } from './verdict.ts';
import {
  confirmsFrom,
  LOOKS_TO_DRIFT,
  OWNERSHIP_DEADLINE,
  PROPAGATION_DEADLINE,
  STALL_AFTER,
  untilConfirmation,
  untilNextLook,
  untilNextRound,
} from './schedule.ts';

/** What a look means for the connection: the moves to make, in order, and how long to wait when it stays where it is. */
export interface Judgement {
  moves: Trigger[];
  waitMs: number;
}

/** How long a phase has lasted: all of it sets the pace of the looks, what counts brings the deadline nearer. */
export interface Waited {
  elapsedMs: number;
  countedMs: number;
  /** Somebody is watching. */
  fast: boolean;
}

/**
 * Time in which nobody could be asked, this look's part included. Deadlines count only time in which somebody could be
 * asked, so a look that could not ask takes the time since the look before it out of the count.
 */
export function unaskedAfter(
  before: number,
  startedAt: number,
  lastLookAt: number | null,
  verdict: Verdict,
  now: number,
): number {
  if (verdict !== 'unknown') return before;
  return before + Math.max(0, now - Math.max(lastLookAt ?? startedAt, startedAt));
}

export function judgeOwnership(verdict: Verdict, { elapsedMs, countedMs, fast }: Waited): Judgement {
  const waitMs = untilNextLook(elapsedMs, fast);
  if (verdict === 'match') return { moves: ['challengeSeen'], waitMs };
  if (verdict === 'mismatch' && countedMs >= OWNERSHIP_DEADLINE)
    return { moves: ['challengeAbsent', 'ownershipTimedOut'], waitMs };
  return { moves: ['challengeAbsent'], waitMs };
}

export function judgePropagation(
  state: 'propagating' | 'stalled',
  verdict: Verdict,
  { elapsedMs, countedMs, fast }: Waited,
): Judgement {
  const waitMs = untilNextLook(elapsedMs, fast);
  if (verdict === 'match') return { moves: ['recordsSeen'], waitMs };
  if (verdict === 'unknown') return { moves: [], waitMs };
  if (state === 'propagating') return { moves: countedMs >= STALL_AFTER ? ['propagationSlow'] : [], waitMs };
  return { moves: countedMs >= STALL_AFTER + PROPAGATION_DEADLINE ? ['propagationTimedOut'] : [], waitMs };
}

/** `mismatches` counts looks in a row that saw a mismatch, this one included; one that could not ask leaves it alone. */
export function judgeWatch(
  state: 'live' | 'drifted',
  verdict: Verdict,
  mismatches: number,
  liveForMs: number,
  fast: boolean,
): Judgement {
  const waitMs = untilNextRound(liveForMs, fast);
  if (state === 'drifted') return { moves: verdict === 'match' ? ['recordsRestored'] : [], waitMs };
  if (verdict !== 'mismatch') return { moves: [], waitMs: mismatches > 0 ? untilConfirmation(mismatches) : waitMs };
  if (mismatches >= LOOKS_TO_DRIFT) return { moves: ['recordsDrifted'], waitMs };
  return { moves: [], waitMs: untilConfirmation(mismatches) };
}

/**
 * Looks that confirmed a mismatch: a match ends the row, not having been able to ask changes nothing, and neither does
 * a look that came before its time because somebody asked for it.
 */
export function mismatchesAfter(before: number, verdict: Verdict, sinceFirstMs: number): number {
  if (verdict === 'match') return 0;
  if (verdict === 'unknown') return before;
  return sinceFirstMs >= confirmsFrom(before) ? before + 1 : before;
}
