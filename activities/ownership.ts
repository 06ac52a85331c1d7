import { subjectOf } from '../src/db/subject.ts';
import type { ConnectionRow } from '../src/db/connection-row.ts';
import { remain, transition } from '../src/db/transitions.ts';
import { HOLDS_CLAIM, type State } from '../src/domain/connection.ts';
import { isWriteRetryDue } from '../src/domain/due-work.ts';
import type { ConnectionSnapshot, VerifyOutcome } from '../src/domain/snapshot.ts';
import { judgeOwnership, type Waited } from '../src/domain/judgement.ts';
import type { ChallengeCheck } from '../src/domain/check.ts';
import { FAST_FOR } from '../src/domain/schedule.ts';
import type { Verdict } from '../src/domain/verdict.ts';
import { untilEveryCopyKnows } from '../src/edge/barrier.ts';
import { attempt, endLook } from './attempt.ts';
import type { Deps } from './deps.ts';
import { snapshotOf, workFactsOf } from './snapshot.ts';
import { movedRow, withRow } from './rows.ts';
import { settle, type Settled } from './settle.ts';

const UNPROVED: ReadonlySet<State> = new Set<State>(['pending_ownership', 'verifying']);

const ERROR_OF = {
  match: null,
  mismatch: 'ownership_not_found',
  unknown: 'nameserver_unreachable',
} as const satisfies Record<Verdict, unknown>;

export function ownershipActivities(deps: Deps) {
  /**
   * One look at the challenge. Looking again is the server's work, not ours: the failure carries when, and its message
   * is the status line that operators read while the connection waits.
   */
  async function lookForChallenge(id: string, touched: boolean): Promise<ConnectionSnapshot> {
    const { now, first, roundMs, ...time } = attempt();
    const row = await beginLook(id, new Date(now), UNPROVED);
    if (!UNPROVED.has(row.state)) return snapshotOf(deps.pool, row, now);
    const look = await deps.checkerFor(row).challenge(subjectOf(row), now, time.signal);
    deps.noteLook('challenge', look.verdict);
    const settled = await settleChallenge(id, look, { now, tookMs: time.tookMs(), touched: touched && first });
    return endLook(deps, settled, UNPROVED, look.sentence, { now, roundMs });
  }

  /** A demand to look at once, from any state: proves what is unproved, and only reports where the claim is held already. */
  async function verifyNow(id: string): Promise<{ outcome: VerifyOutcome; row: ConnectionSnapshot }> {
    const { now, ...time } = attempt();
    const row = await beginLook(id, new Date(now), new Set<State>([...UNPROVED, 'failed']));
    const checkedAt = new Date(now).toISOString();
    if (row.state === 'archived')
      return { outcome: { outcome: 'archived', observed: [], checkedAt }, row: await snapshotOf(deps.pool, row, now) };
    const look = await deps.checkerFor(row).challenge(subjectOf(row), now, time.signal);
    deps.noteLook('challenge', look.verdict);
    const { row: after } = HOLDS_CLAIM.has(row.state)
      ? { row: await watchClosely(id, new Date(now)) }
      : await settleChallenge(id, look, { now, tookMs: time.tookMs(), touched: true });
    return {
      outcome: { outcome: outcomeOf(look, after), observed: look.observed, checkedAt },
      row: await snapshotOf(deps.pool, after, now),
    };
  }

  /** Whoever asks to verify what is proved already waits for something else, so the looks for that become fast too. */
  const watchClosely = (id: string, now: Date): Promise<ConnectionRow> =>
    withRow(deps.pool, id, async (tx, row) =>
      HOLDS_CLAIM.has(row.state)
        ? movedRow(await remain(tx, row, { now, fast_until: new Date(now.getTime() + FAST_FOR) }))
        : row,
    );

  /** Moves to `verifying`, the state of a look under way, if the connection is in one of the given states. */
  const beginLook = (id: string, now: Date, from: ReadonlySet<State>): Promise<ConnectionRow> =>
    withRow(deps.pool, id, async (tx, row) => {
      if (!from.has(row.state) || row.state === 'verifying') return row;
      return movedRow(await transition(tx, row, row.state === 'failed' ? 'verifyRequested' : 'lookStarted', { now }));
    });

  async function settleChallenge(
    id: string,
    look: ChallengeCheck,
    seen: { now: number; tookMs: number; touched: boolean },
  ): Promise<Settled> {
    const judge = (row: ConnectionRow, waited: Waited) => {
      if (!UNPROVED.has(row.state)) return undefined;
      const { moves, waitMs } = judgeOwnership(look.verdict, waited);
      const retryDue = look.verdict !== 'match' && isWriteRetryDue(workFactsOf(row));
      const error_code = moves.includes('ownershipTimedOut')
        ? ('ownership_timeout' as const)
        : retryDue
          ? ('dns_write_failed' as const)
          : ERROR_OF[look.verdict];
      return {
        moves: row.state === 'verifying' ? moves : ['lookStarted' as const, ...moves],
        waitMs,
        change: { error_code },
      };
    };
    const settled = await settle(deps.pool, id, { purpose: 'challenge', look, random: deps.random(), ...seen }, judge);
    // The claim may have been another connection's: what we report as proved is served for no other any more.
    if (settled.row.state === 'verified') await untilEveryCopyKnows(deps.pool, { connectionId: id });
    return settled;
  }

  return { lookForChallenge, verifyNow };
}

function outcomeOf(look: ChallengeCheck, after: ConnectionRow): VerifyOutcome['outcome'] {
  if (after.state === 'archived') return 'archived';
  if (look.verdict === 'unknown') return 'unknown';
  if (look.verdict === 'match') return HOLDS_CLAIM.has(after.state) ? 'verified' : 'conflict';
  return look.observed.length > 0 ? 'mismatch' : 'missing';
}
