import { setTimeout as pause } from 'node:timers/promises';
import { subjectOf } from '../src/db/observation/subject.ts';
import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import { save, type Move } from '../src/db/connection/save.ts';
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
import { chosenSetup, setupFacts } from './choose-setup.ts';
import type { Deps } from './deps.ts';
import { checkTarget } from './cname-proof.ts';
import { snapshotOf } from './snapshot.ts';
import { readRow } from '../src/db/connection/rows.ts';
import { settle, type Settled, type Step } from './settle.ts';

/** A check that lasts longer is stored as the state `verifying`. */
const SHOWN_AFTER = 500;

const isAwaited = (state: State): boolean => AWAITS_PROOF.has(state);

/** A check of the proof, and the kind of proof that it is about. */
type ProofCheck = ChallengeCheck & { proof: Proof };

type SaveCheck = (row: ConnectionRow, check: ProofCheck, at: Attempt, touched: boolean) => Promise<Settled>;

export function ownershipActivities(deps: Deps) {
  /** Checks the challenge once. The failure's message is the status line that operators read. */
  async function lookForChallenge(
    id: string,
    touched: boolean,
    reported?: ReportedStatus,
  ): Promise<ConnectionSnapshot> {
    const at = attempt();
    const row = await beginCheck(await readRow(deps.pool, id), new Date(at.now), isAwaited);
    if (!AWAITS_PROOF.has(row.state)) return snapshotOf(deps.pool, row, at.now);
    const settled = await checkAndWatch(row, at, touched && at.isFirst, settleChallenge);
    return endCheck(deps, settled, AWAITS_PROOF, settled.sentence, { ...at, reported });
  }

  /** Checks for the proof. Saves with it who adds the records of a connection that is proved now. */
  function prove(
    row: ConnectionRow,
    at: Attempt,
    touched: boolean,
    credential: CoveringCredential | null | undefined,
  ): Promise<Step> {
    const saveAndChoose: SaveCheck = async (checked, check, when, isTouched) => {
      if (check.verdict !== 'match') return saveChallenge(checked, check, when, isTouched);
      const facts = await setupFacts(deps.pool, checked, credential);
      return saveChallenge(checked, check, when, isTouched, (moved) => chosenSetup(moved, when.now, facts));
    };
    return checkAndWatch(row, at, touched, saveAndChoose);
  }

  /** Checks, and watches for a missing challenge while checks are frequent. A sighting is followed by a whole check. */
  async function checkAndWatch(row: ConnectionRow, at: Attempt, touched: boolean, saveCheck: SaveCheck): Promise<Step> {
    const { check, row: checked } = await checkVisibly(row, at);
    const settled = await saveCheck(checked, check, at, touched);
    const { waitMs } = settled;
    if (check.verdict !== 'mismatch' || waitMs === null || !isFrequent(waitMs))
      return { ...settled, sentence: check.sentence };
    const began = performance.now();
    const forMs = Math.min(WATCH_FOR, at.spareMs());
    if (!(await heartbeating(() => deps.awaitChallenge(settled.row, forMs, at.signal)))) {
      const leftMs = Math.max(SECOND / 2, waitMs - (performance.now() - began));
      return { ...settled, waitMs: Math.round(leftMs), sentence: check.sentence };
    }
    const later = at.later();
    const next = await checkVisibly(settled.row, later);
    return { ...(await saveCheck(next.row, next.check, later, false)), sentence: next.check.sentence };
  }

  /** Checks for the proof. The state is `verifying` while a check lasts longer than a moment. */
  async function checkVisibly(row: ConnectionRow, at: Attempt): Promise<{ check: ProofCheck; row: ConnectionRow }> {
    const ended = new AbortController();
    const shown = pause(SHOWN_AFTER, undefined, { signal: ended.signal })
      .then(() => beginCheck(row, new Date(at.now), isAwaited))
      .catch(() => row);
    const check = await checkProof(row, at).finally(() => ended.abort());
    return { check, row: await shown };
  }

  /** Checks immediately, in any state. Proves an unproved hostname; for a proved one it only reports the result. */
  async function verifyNow(id: string): Promise<{ outcome: VerifyOutcome; row: ConnectionSnapshot }> {
    const at = attempt();
    const read = await readRow(deps.pool, id);
    const row = await beginCheck(read, new Date(at.now), (state) => AWAITS_PROOF.has(state) || state === 'failed');
    const checkedAt = new Date(at.now).toISOString();
    const snapshot = (after: ConnectionRow) => snapshotOf(deps.pool, after, at.now);
    if (row.state === 'archived')
      return { outcome: { outcome: 'archived', observed: [], checkedAt }, row: await snapshot(row) };
    const check = await checkProof(row, at);
    const after = PROVED.has(row.state)
      ? await watchClosely(row, new Date(at.now), check.verdict === 'match' ? { proof: check.proof } : {})
      : (await settleChallenge(row, check, at, true)).row;
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
    row: ConnectionRow,
    { proof, ...check }: ProofCheck,
    at: Attempt,
    touched: boolean,
    further?: (row: ConnectionRow) => Move | undefined,
  ): Promise<Settled> => {
    const moment = at.moment(touched, deps.random());
    const checked = { purpose: 'challenge' as const, check, now: at.now };
    const decide = (fresh: ConnectionRow) => {
      const consequence = afterChallenge(fresh, check, moment, deps.checkerFor(fresh).paceOf(subjectOf(fresh)));
      const proved = { proof, proof_checked_at: new Date(at.now), proof_missing_since: null };
      return consequence && { ...consequence, also: fresh.proof !== 'txt' && check.verdict === 'match' ? proved : {} };
    };
    return settle(deps.pool, row, checked, decide, further);
  };

  const settleChallenge: SaveCheck = async (row, check, at, touched) => {
    const settled = await saveChallenge(row, check, at, touched);
    // Another connection may have held the claim. Before we report the proof, every edge must serve this one.
    if (settled.row.state === 'verified') await untilEveryCopyKnows(deps.pool, { connectionId: row.id });
    return settled;
  };

  /** Speeds up the current phase's checks: a caller who verifies a proved hostname waits for what comes next. */
  const watchClosely = (row: ConnectionRow, now: Date, proved: { proof?: Proof }): Promise<ConnectionRow> => {
    const change = { now, ...proved, fast_until: new Date(now.getTime() + FAST_FOR) };
    return save(deps.pool, row, ({ state }) =>
      PROVED.has(state) ? { moves: [{ trigger: null, change }] } : undefined,
    );
  };

  /** Moves the connection to `verifying`, the state of a check in progress, if `isProvable` accepts its state. */
  const beginCheck = (row: ConnectionRow, now: Date, isProvable: (state: State) => boolean): Promise<ConnectionRow> =>
    save(deps.pool, row, ({ state }) => {
      if (!isProvable(state) || state === 'verifying') return undefined;
      return { moves: [{ trigger: state === 'failed' ? 'verifyRequested' : 'checkStarted', change: { now } }] };
    });

  return { lookForChallenge, verifyNow, prove };
}
