import { subjectOf } from '../src/db/observation/subject.ts';
import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import { remain, transition } from '../src/db/connection/transitions.ts';
import type { ChallengeCheck } from '../src/domain/observation/check.ts';
import type { State } from '../src/domain/connection/connection.ts';
import { AWAITS_PROOF, HOLDS_CLAIM } from '../src/domain/connection/state-sets.ts';
import { afterChallenge } from '../src/domain/connection/consequence.ts';
import {
  verifyOutcome,
  type ConnectionSnapshot,
  type ReportedStatus,
  type VerifyOutcome,
} from '../src/domain/connection/snapshot.ts';
import { FAST_FOR } from '../src/domain/connection/schedule.ts';
import { untilEveryCopyKnows } from '../src/edge/barrier.ts';
import { attempt, checking, endCheck } from './attempt.ts';
import type { Deps } from './deps.ts';
import { snapshotOf } from './snapshot.ts';
import { movedRow, withRow } from './rows.ts';
import { settle, type Settled } from './settle.ts';

type Attempt = ReturnType<typeof attempt>;

export function ownershipActivities(deps: Deps) {
  /** Checks the challenge once. The failure's message is the status line that operators read. */
  async function lookForChallenge(
    id: string,
    touched: boolean,
    reported?: ReportedStatus,
  ): Promise<ConnectionSnapshot> {
    const at = attempt();
    const row = await beginCheck(id, new Date(at.now), (state) => AWAITS_PROOF.has(state));
    if (!AWAITS_PROOF.has(row.state)) return snapshotOf(deps.pool, row, at.now);
    const check = await checkChallenge(row, at);
    const settled = await settleChallenge(id, check, at, touched && at.isFirst);
    return endCheck(deps, settled, AWAITS_PROOF, check.sentence, { ...at, reported });
  }

  /** Checks immediately, in any state. Proves an unproved hostname; for a proved one it only reports the result. */
  async function verifyNow(id: string): Promise<{ outcome: VerifyOutcome; row: ConnectionSnapshot }> {
    const at = attempt();
    const row = await beginCheck(id, new Date(at.now), (state) => AWAITS_PROOF.has(state) || state === 'failed');
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
      afterChallenge(row, check, moment, deps.checkerFor(row).paceOf(subjectOf(row))),
    );
    // Another connection may have held the claim. Before we report the proof, every edge must serve this one.
    if (settled.row.state === 'verified') await untilEveryCopyKnows(deps.pool, { connectionId: id });
    return settled;
  };

  /** Speeds up the current phase's checks: a caller who verifies a proved hostname waits for what comes next. */
  const watchClosely = (id: string, now: Date): Promise<ConnectionRow> =>
    withRow(deps.pool, id, async (tx, row) =>
      HOLDS_CLAIM.has(row.state)
        ? movedRow(await remain(tx, row, { now, fast_until: new Date(now.getTime() + FAST_FOR) }))
        : row,
    );

  /** Moves the connection to `verifying`, the state of a check in progress, if `isProvable` accepts its state. */
  const beginCheck = (id: string, now: Date, isProvable: (state: State) => boolean): Promise<ConnectionRow> =>
    withRow(deps.pool, id, async (tx, row) => {
      if (!isProvable(row.state) || row.state === 'verifying') return row;
      return movedRow(await transition(tx, row, row.state === 'failed' ? 'verifyRequested' : 'checkStarted', { now }));
    });

  return { lookForChallenge, verifyNow };
}
