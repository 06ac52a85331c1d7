import { subjectOf } from '../src/db/observation/subject.ts';
import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import { remain, transition } from '../src/db/connection/transitions.ts';
import type { ChallengeCheck } from '../src/domain/observation/check.ts';
import { HOLDS_CLAIM, type State } from '../src/domain/connection/connection.ts';
import { afterChallenge } from '../src/domain/connection/consequence.ts';
import type { ConnectionSnapshot, ReportedStatus, VerifyOutcome } from '../src/domain/connection/snapshot.ts';
import { FAST_FOR } from '../src/domain/connection/schedule.ts';
import { verifyOutcome } from '../src/domain/connection/verify-outcome.ts';
import { untilEveryCopyKnows } from '../src/edge/barrier.ts';
import { attempt, checking, endCheck } from './attempt.ts';
import type { Deps } from './deps.ts';
import { snapshotOf } from './snapshot.ts';
import { movedRow, withRow } from './rows.ts';
import { settle, type Settled } from './settle.ts';

const UNPROVED: ReadonlySet<State> = new Set<State>(['pending_ownership', 'verifying']);
const PROVABLE: ReadonlySet<State> = new Set<State>([...UNPROVED, 'failed']);

type Attempt = ReturnType<typeof attempt>;

export function ownershipActivities(deps: Deps) {
  /**
   * One check of the challenge. Checking again is the server's work, not ours: the failure carries when, and its message
   * is the status line that operators read while the connection waits.
   */
  async function lookForChallenge(
    id: string,
    touched: boolean,
    told?: ReportedStatus,
    now?: number,
  ): Promise<ConnectionSnapshot> {
    const at = attempt(now);
    const row = await beginCheck(id, new Date(at.now), UNPROVED);
    if (!UNPROVED.has(row.state)) return snapshotOf(deps.pool, row, at.now);
    const check = await checkChallenge(row, at);
    const settled = await settleChallenge(id, check, at, touched && at.isFirst);
    return endCheck(deps, settled, UNPROVED, check.sentence, { ...at, told });
  }

  /** A demand to check at once, from any state: proves what is unproved, and only reports where the claim is held already. */
  async function verifyNow(id: string): Promise<{ outcome: VerifyOutcome; row: ConnectionSnapshot }> {
    const at = attempt();
    const row = await beginCheck(id, new Date(at.now), PROVABLE);
    const checkedAt = new Date(at.now).toISOString();
    const snapshot = (after: ConnectionRow) => snapshotOf(deps.pool, after, at.now);
    if (row.state === 'archived')
      return { outcome: { outcome: 'archived', observed: [], checkedAt }, row: await snapshot(row) };
    const check = await checkChallenge(row, at);
    const after = HOLDS_CLAIM.has(row.state)
      ? await watchClosely(id, new Date(at.now))
      : (await settleChallenge(id, check, at, true)).row;
    const outcome = verifyOutcome(check, after.state);
    return { outcome: { outcome, observed: check.observed, checkedAt }, row: await snapshot(after) };
  }

  async function checkChallenge(row: ConnectionRow, { now, signal }: Attempt): Promise<ChallengeCheck> {
    const check = await checking(() => deps.checkerFor(row).challenge(subjectOf(row), now, signal));
    deps.recordCheck('challenge', check.verdict);
    return check;
  }

  const settleChallenge = async (
    id: string,
    check: ChallengeCheck,
    at: Attempt,
    touched: boolean,
  ): Promise<Settled> => {
    const moment = at.moment(touched, deps.random());
    const settled = await settle(deps.pool, id, { purpose: 'challenge', check, now: at.now }, (row) =>
      afterChallenge(row, check, moment),
    );
    // The claim may have been another connection's: what we report as proved is served for no other any more.
    if (settled.row.state === 'verified') await untilEveryCopyKnows(deps.pool, { connectionId: id });
    return settled;
  };

  /** A caller who asks to verify what is proved already waits for something else, so the checks for that become fast too. */
  const watchClosely = (id: string, now: Date): Promise<ConnectionRow> =>
    withRow(deps.pool, id, async (tx, row) =>
      HOLDS_CLAIM.has(row.state)
        ? movedRow(await remain(tx, row, { now, fast_until: new Date(now.getTime() + FAST_FOR) }))
        : row,
    );

  /** Moves to `verifying`, the state of a check under way, if the connection is in one of the given states. */
  const beginCheck = (id: string, now: Date, from: ReadonlySet<State>): Promise<ConnectionRow> =>
    withRow(deps.pool, id, async (tx, row) => {
      if (!from.has(row.state) || row.state === 'verifying') return row;
      return movedRow(await transition(tx, row, row.state === 'failed' ? 'verifyRequested' : 'checkStarted', { now }));
    });

  return { lookForChallenge, verifyNow };
}
