import { setTimeout as pause } from 'node:timers/promises';
import { subjectOf } from '../src/db/observation/subject.ts';
import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import type { Tx } from '../src/db/pool.ts';
import { remain, transition } from '../src/db/connection/transitions.ts';
import type { CoveringCredential } from '../src/db/zone/credentials.ts';
import type { ChallengeCheck } from '../src/domain/observation/check.ts';
import type { Proof } from '../src/domain/connection/cname-proof.ts';
import type { State } from '../src/domain/connection/connection.ts';
import { AWAITS_PROOF, PROVED } from '../src/domain/connection/state-sets.ts';
import { afterChallenge } from '../src/domain/connection/consequence.ts';
import {
  verifyOutcome,
  type ConnectionSnapshot,
  type ReportedStatus,
  type VerifyOutcome,
} from '../src/domain/connection/snapshot.ts';
import { FAST_FOR, isFrequent, WATCH_FOR } from '../src/domain/connection/schedule.ts';
import { SECOND } from '../src/domain/duration.ts';
import { untilEveryCopyKnows } from '../src/edge/barrier.ts';
import { attempt, checking, endCheck, heartbeating, type Attempt } from './attempt.ts';
import { chooseSetupOf } from './choose-setup.ts';
import type { Deps } from './deps.ts';
import { checkTarget } from './cname-proof.ts';
import { snapshotOf } from './snapshot.ts';
import { movedRow, withRow } from './rows.ts';
import { settle, type Settled, type Step } from './settle.ts';

/** A check that lasts longer is stored as the state `verifying`. */
const SHOWN_AFTER = 500;

const isAwaited = (state: State): boolean => AWAITS_PROOF.has(state);

/** A check of the proof, and the kind of proof that it is about. */
type ProofCheck = ChallengeCheck & { proof: Proof };

export function ownershipActivities(deps: Deps) {
  /** Checks the challenge once. The failure's message is the status line that operators read. */
  async function lookForChallenge(
    id: string,
    touched: boolean,
    reported?: ReportedStatus,
  ): Promise<ConnectionSnapshot> {
    const at = attempt();
    const row = await beginCheck(id, new Date(at.now), isAwaited);
    if (!AWAITS_PROOF.has(row.state)) return snapshotOf(deps.pool, row, at.now);
    const settled = await checkAndWatch(row, at, touched && at.isFirst, (...saved) => settleChallenge(id, ...saved));
    return endCheck(deps, settled, AWAITS_PROOF, settled.sentence, { ...at, reported });
  }

  /** Checks for the proof, and has the setup of a proved connection chosen in the same transaction. */
  function prove(
    row: ConnectionRow,
    at: Attempt,
    touched: boolean,
    credential: CoveringCredential | null | undefined,
  ): Promise<Step> {
    const save = (check: ProofCheck, when: Attempt, isTouched: boolean) =>
      saveChallenge(row.id, check, when, isTouched, (tx, moved) => chooseSetupOf(tx, moved, when.now, credential));
    return checkAndWatch(row, at, touched, save);
  }

  /** Checks, and watches for a missing challenge while checks are frequent. A sighting is followed by a whole check. */
  async function checkAndWatch(
    row: ConnectionRow,
    at: Attempt,
    touched: boolean,
    save: (check: ProofCheck, at: Attempt, touched: boolean) => Promise<Settled>,
  ): Promise<Step> {
    const check = await checkVisibly(row, at);
    const settled = await save(check, at, touched);
    const { waitMs } = settled;
    if (check.verdict !== 'mismatch' || waitMs === null || !isFrequent(waitMs))
      return { ...settled, sentence: check.sentence };
    const began = performance.now();
    const forMs = Math.min(WATCH_FOR, at.spareMs());
    if (!(await heartbeating(() => deps.awaitChallenge(row, forMs, at.signal)))) {
      const leftMs = Math.max(SECOND / 2, waitMs - (performance.now() - began));
      return { ...settled, waitMs: Math.round(leftMs), sentence: check.sentence };
    }
    const later = at.later();
    const next = await checkVisibly(row, later);
    return { ...(await save(next, later, false)), sentence: next.sentence };
  }

  /** Checks for the proof. The state is `verifying` while a check lasts longer than a moment. */
  async function checkVisibly(row: ConnectionRow, at: Attempt): Promise<ProofCheck> {
    const ended = new AbortController();
    const shown = pause(SHOWN_AFTER, undefined, { signal: ended.signal })
      .then(() => beginCheck(row.id, new Date(at.now), isAwaited))
      .catch(() => undefined);
    const check = await checkProof(row, at).finally(() => ended.abort());
    await shown;
    return check;
  }

  /** Checks immediately, in any state. Proves an unproved hostname; for a proved one it only reports the result. */
  async function verifyNow(id: string): Promise<{ outcome: VerifyOutcome; row: ConnectionSnapshot }> {
    const at = attempt();
    const row = await beginCheck(id, new Date(at.now), (state) => AWAITS_PROOF.has(state) || state === 'failed');
    const checkedAt = new Date(at.now).toISOString();
    const snapshot = (after: ConnectionRow) => snapshotOf(deps.pool, after, at.now);
    if (row.state === 'archived')
      return { outcome: { outcome: 'archived', observed: [], checkedAt }, row: await snapshot(row) };
    const check = await checkProof(row, at);
    const after = PROVED.has(row.state)
      ? await watchClosely(id, new Date(at.now), check.verdict === 'match' ? { proof: check.proof } : {})
      : (await settleChallenge(id, check, at, true)).row;
    const outcome = verifyOutcome(check, after.state);
    return { outcome: { outcome, observed: check.observed, checkedAt }, row: await snapshot(after) };
  }

  /** Checks the TXT record, the better proof, and only without it the CNAME of an imported hostname. */
  async function checkProof(row: ConnectionRow, { now, signal }: Attempt): Promise<ProofCheck> {
    const text = await checking(() => deps.checkerFor(row).challenge(subjectOf(row), now, signal));
    const byCname = row.proof === 'cname_target' && text.verdict === 'mismatch';
    const check = byCname ? await checkTarget(deps, row, { now, signal }) : text;
    deps.recordCheck('challenge', check.verdict);
    return { ...check, proof: byCname ? 'cname_target' : 'txt' };
  }

  const saveChallenge = (
    id: string,
    { proof, ...check }: ProofCheck,
    at: Attempt,
    touched: boolean,
    afterwards?: (tx: Tx, row: ConnectionRow) => Promise<ConnectionRow>,
  ): Promise<Settled> => {
    const moment = at.moment(touched, deps.random());
    const checked = { purpose: 'challenge' as const, check, now: at.now };
    const decide = (row: ConnectionRow) => {
      const consequence = afterChallenge(row, check, moment, deps.checkerFor(row).paceOf(subjectOf(row)));
      const proved = { proof, proof_checked_at: new Date(at.now), proof_missing_since: null };
      return consequence && { ...consequence, also: row.proof !== 'txt' && check.verdict === 'match' ? proved : {} };
    };
    return settle(deps.pool, id, checked, decide, afterwards);
  };

  const settleChallenge = async (id: string, check: ProofCheck, at: Attempt, touched: boolean): Promise<Settled> => {
    const settled = await saveChallenge(id, check, at, touched);
    // Another connection may have held the claim. Before we report the proof, every edge must serve this one.
    if (settled.row.state === 'verified') await untilEveryCopyKnows(deps.pool, { connectionId: id });
    return settled;
  };

  /** Speeds up the current phase's checks: a caller who verifies a proved hostname waits for what comes next. */
  const watchClosely = (id: string, now: Date, proved: { proof?: Proof }): Promise<ConnectionRow> =>
    withRow(deps.pool, id, async (tx, row) =>
      PROVED.has(row.state)
        ? movedRow(await remain(tx, row, { now, ...proved, fast_until: new Date(now.getTime() + FAST_FOR) }))
        : row,
    );

  /** Moves the connection to `verifying`, the state of a check in progress, if `isProvable` accepts its state. */
  const beginCheck = (id: string, now: Date, isProvable: (state: State) => boolean): Promise<ConnectionRow> =>
    withRow(deps.pool, id, async (tx, row) => {
      if (!isProvable(row.state) || row.state === 'verifying') return row;
      return movedRow(await transition(tx, row, row.state === 'failed' ? 'verifyRequested' : 'checkStarted', { now }));
    });

  return { lookForChallenge, verifyNow, prove };
}
