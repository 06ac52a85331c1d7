import type { Trigger } from './connection.ts';
import type { AWAITS_RECORDS, SERVING, StateIn } from './state-sets.ts';
import type { Waited } from './elapsed.ts';
import type { Verdict } from '../observation/verdict.ts';
import {
  atSpeed,
  confirmsFrom,
  OWNERSHIP_DEADLINE,
  untilConfirmation,
  untilNextCheck,
  untilNextRound,
  type Pace,
} from './schedule.ts';

/** Decision about a checked connection: transitions in order, and the wait if its state does not change. */
export interface Judgement {
  moves: Trigger[];
  waitMs: number;
}

export function judgeOwnership(
  verdict: Verdict,
  { elapsedMs, countedMs, fast }: Waited,
  { speed }: Pick<Pace, 'speed'>,
): Judgement {
  const waitMs = atSpeed(untilNextCheck(elapsedMs * speed, fast), { speed });
  if (verdict === 'match') return { moves: ['challengeSeen'], waitMs };
  if (verdict === 'mismatch' && countedMs * speed >= OWNERSHIP_DEADLINE)
    return { moves: ['challengeAbsent', 'ownershipTimedOut'], waitMs };
  return { moves: ['challengeAbsent'], waitMs };
}

export function judgePropagation(
  state: StateIn<typeof AWAITS_RECORDS>,
  verdict: Verdict,
  { elapsedMs, countedMs, fast }: Waited,
  { speed, stallAfter, failAfter }: Pace,
): Judgement {
  const waitMs = atSpeed(untilNextCheck(elapsedMs * speed, fast), { speed });
  const counted = countedMs * speed;
  if (verdict === 'match') return { moves: ['recordsSeen'], waitMs };
  if (verdict === 'unknown') return { moves: [], waitMs };
  if (state === 'propagating') return { moves: counted >= stallAfter ? ['propagationSlow'] : [], waitMs };
  return { moves: counted >= stallAfter + failAfter ? ['propagationTimedOut'] : [], waitMs };
}

/** Judges a drift check. `mismatches` counts mismatches in a row; a check without an answer does not change it. */
export function judgeWatch(
  state: StateIn<typeof SERVING>,
  verdict: Verdict,
  mismatches: number,
  { liveForMs, fast, pace }: { liveForMs: number; fast: boolean; pace: Pace },
): Judgement {
  const waitMs = atSpeed(untilNextRound(liveForMs * pace.speed, fast, pace), pace);
  if (state === 'drifted') return { moves: verdict === 'match' ? ['recordsRestored'] : [], waitMs };
  if (verdict !== 'mismatch')
    return { moves: [], waitMs: mismatches > 0 ? untilConfirmation(mismatches, pace) : waitMs };
  if (mismatches > pace.confirmations.length) return { moves: ['recordsDrifted'], waitMs };
  return { moves: [], waitMs: untilConfirmation(mismatches, pace) };
}

/** Returns the number of confirmed mismatches. A match resets it; a missing answer or a too early check leaves it. */
export function mismatchesAfter(before: number, verdict: Verdict, sinceFirstMs: number, pace: Pace): number {
  if (verdict === 'match') return 0;
  if (verdict === 'unknown') return before;
  return sinceFirstMs >= confirmsFrom(before, pace) ? before + 1 : before;
}
