import type { Trigger } from './connection.ts';
import type { Verdict } from './look.ts';
import {
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

/**
 * When the phase began, for deadlines. They count only time in which somebody could be asked, so a look that could not
 * ask pushes the beginning forward by the time since the look before it.
 */
export function phaseStart(startedAt: number | null, lastLookAt: number | null, verdict: Verdict, now: number): number {
  if (startedAt === null) return now;
  if (verdict !== 'unknown') return startedAt;
  return startedAt + Math.max(0, now - Math.max(lastLookAt ?? startedAt, startedAt));
}

export function judgeOwnership(verdict: Verdict, waitedMs: number, fast: boolean): Judgement {
  const waitMs = untilNextLook(waitedMs, fast);
  if (verdict === 'match') return { moves: ['challengeSeen'], waitMs };
  if (verdict === 'mismatch' && waitedMs >= OWNERSHIP_DEADLINE)
    return { moves: ['challengeAbsent', 'ownershipTimedOut'], waitMs };
  return { moves: ['challengeAbsent'], waitMs };
}

export function judgePropagation(
  state: 'propagating' | 'stalled',
  verdict: Verdict,
  waitedMs: number,
  fast: boolean,
): Judgement {
  const waitMs = untilNextLook(waitedMs, fast);
  if (verdict === 'match') return { moves: ['recordsSeen'], waitMs };
  if (verdict === 'unknown') return { moves: [], waitMs };
  if (state === 'propagating') return { moves: waitedMs >= STALL_AFTER ? ['propagationSlow'] : [], waitMs };
  return { moves: waitedMs >= STALL_AFTER + PROPAGATION_DEADLINE ? ['propagationTimedOut'] : [], waitMs };
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

/** Looks in a row that saw a mismatch: a match ends the row, and not having been able to ask changes nothing. */
export const mismatchesAfter = (before: number, verdict: Verdict): number =>
  verdict === 'match' ? 0 : verdict === 'mismatch' ? before + 1 : before;
