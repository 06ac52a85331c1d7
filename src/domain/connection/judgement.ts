import type { Trigger } from './connection.ts';
import type { AWAITS_RECORDS, SERVING, StateIn } from './state-sets.ts';
import type { Waited } from './elapsed.ts';
import type { Verdict } from '../observation/verdict.ts';
import {
  confirmsFrom,
  OWNERSHIP_DEADLINE,
  PROPAGATION_DEADLINE,
  STALL_AFTER,
  untilConfirmation,
  untilNextCheck,
  untilNextRound,
  type Pace,
} from './schedule.ts';

/** What a check means for the connection: the moves to make, in order, and how long to wait when it stays where it is. */
export interface Judgement {
  moves: Trigger[];
  waitMs: number;
}

export function judgeOwnership(verdict: Verdict, { elapsedMs, countedMs, fast }: Waited): Judgement {
  const waitMs = untilNextCheck(elapsedMs, fast);
  if (verdict === 'match') return { moves: ['challengeSeen'], waitMs };
  if (verdict === 'mismatch' && countedMs >= OWNERSHIP_DEADLINE)
    return { moves: ['challengeAbsent', 'ownershipTimedOut'], waitMs };
  return { moves: ['challengeAbsent'], waitMs };
}

export function judgePropagation(
  state: StateIn<typeof AWAITS_RECORDS>,
  verdict: Verdict,
  { elapsedMs, countedMs, fast }: Waited,
): Judgement {
  const waitMs = untilNextCheck(elapsedMs, fast);
  if (verdict === 'match') return { moves: ['recordsSeen'], waitMs };
  if (verdict === 'unknown') return { moves: [], waitMs };
  if (state === 'propagating') return { moves: countedMs >= STALL_AFTER ? ['propagationSlow'] : [], waitMs };
  return { moves: countedMs >= STALL_AFTER + PROPAGATION_DEADLINE ? ['propagationTimedOut'] : [], waitMs };
}

/** `mismatches` counts checks in a row that saw a mismatch, this one included; one that could not ask leaves it alone. */
export function judgeWatch(
  state: StateIn<typeof SERVING>,
  verdict: Verdict,
  mismatches: number,
  { liveForMs, fast, pace }: { liveForMs: number; fast: boolean; pace: Pace },
): Judgement {
  const waitMs = untilNextRound(liveForMs, fast, pace);
  if (state === 'drifted') return { moves: verdict === 'match' ? ['recordsRestored'] : [], waitMs };
  if (verdict !== 'mismatch')
    return { moves: [], waitMs: mismatches > 0 ? untilConfirmation(mismatches, pace) : waitMs };
  if (mismatches > pace.confirmations.length) return { moves: ['recordsDrifted'], waitMs };
  return { moves: [], waitMs: untilConfirmation(mismatches, pace) };
}

/**
 * Checks that confirmed a mismatch: a match ends the row, not having been able to ask changes nothing, and neither does
 * a check that came before its time because of a touch.
 */
export function mismatchesAfter(before: number, verdict: Verdict, sinceFirstMs: number, pace: Pace): number {
  if (verdict === 'match') return 0;
  if (verdict === 'unknown') return before;
  return sinceFirstMs >= confirmsFrom(before, pace) ? before + 1 : before;
}
