import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import { coveringCredential, type CoveringCredential } from '../src/db/zone/credentials.ts';
import { dueWork, mayBeDue } from '../src/domain/connection/due-work.ts';
import { statusLine } from '../src/domain/connection/outlook.ts';
import type { ConnectionSnapshot, ReportedStatus } from '../src/domain/connection/snapshot.ts';
import { AWAITS_PROOF, AWAITS_RECORDS, phaseOf, shownState } from '../src/domain/connection/state-sets.ts';
import { DAY } from '../src/domain/duration.ts';
import { attempt, heartbeating, isNews, waitUntilDue, type Attempt } from './attempt.ts';
import type { certificateActivities } from './certificate.ts';
import { stillProved } from './cname-proof.ts';
import type { Deps } from './deps.ts';
import type { ownershipActivities } from './ownership.ts';
import type { recordActivities } from './records.ts';
import { retryCheck } from './retry-check.ts';
import { readRow } from '../src/db/connection/rows.ts';
import type { Step } from './settle.ts';
import { accessBy, snapshotOf, workFactsOf } from './snapshot.ts';
import type { writingActivities } from './writing.ts';

type Steps = Pick<ReturnType<typeof ownershipActivities>, 'prove'> &
  Pick<ReturnType<typeof recordActivities>, 'propagate'> &
  Pick<ReturnType<typeof writingActivities>, 'choose' | 'write'> &
  Pick<ReturnType<typeof certificateActivities>, 'secure'>;

/** Facts that a step needs in addition to the row. */
interface Situation {
  touched: boolean;
  /** The credential that may write for the hostname. */
  credential: CoveringCredential | null;
}

/** Most steps of one attempt. A connection that succeeds needs five. */
const MOST_STEPS = 20;

export function setUpActivities(deps: Deps, { prove, propagate, choose, write, secure }: Steps) {
  /**
   * Takes a connection from step to step towards `live`, as far as it can go now. Temporal repeats the step that must
   * wait. The activity returns when the connection has to wait in another state than the workflow shows to operators.
   */
  async function setUp(id: string, touched: boolean, reported: ReportedStatus): Promise<ConnectionSnapshot> {
    const first = attempt();
    const row = await readRow(deps.pool, id);
    const isAwaited = AWAITS_PROOF.has(row.state) || AWAITS_RECORDS.has(row.state);
    if (isAwaited && first.isFirst && !touched) waitUntilDue(row, first);
    return heartbeating(() => proceed(row, first, touched && first.isFirst, reported));
  }

  async function proceed(
    loaded: ConnectionRow,
    first: Attempt,
    touched: boolean,
    reported: ReportedStatus,
  ): Promise<ConnectionSnapshot> {
    let [row, at] = [loaded, first];
    let credential: CoveringCredential | null | undefined;
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      row = await stillProved(deps, row, at);
      // Read once, unless a step failed: a provider may have refused the credential.
      if (credential === undefined || row.error_code !== null)
        credential = await coveringCredential(deps.pool, row.application_id, row.hostname);
      const situation = { touched: touched && steps === 0, credential };
      const present = row;
      const tried = await deps.turns.run(row, first.signal, () => tryStep(present, at, situation));
      first.signal.throwIfAborted();
      if (tried === undefined) break;
      const { waitMs, sentence } = tried;
      if (waitMs !== null && phaseOf(tried.row.state) === phaseOf(row.state))
        return wait(tried.row, { sentence, waitMs }, at, reported);
      [row, at] = [tried.row, at.later()];
    }
    const seenUntil = row.state === 'live' && row !== loaded ? row.next_check_at?.toISOString() : undefined;
    return { ...(await snapshotOf(deps.pool, row, at.now)), seenUntil };
  }

  /** Tries the step that the state needs; undefined where the setup has ended. */
  async function tryStep(
    row: ConnectionRow,
    at: Attempt,
    { touched, credential }: Situation,
  ): Promise<Step | undefined> {
    const { state } = row;
    if (state === 'verified') {
      return { row: await choose(row, at.now, credential), waitMs: null, sentence: '' };
    }
    if (state === 'dns_writing') return write(row, at, credential);
    if (state === 'issuing_cert') return secure(row, at);
    if (!AWAITS_PROOF.has(state) && !AWAITS_RECORDS.has(state)) return undefined;
    const access = accessBy(credential);
    const facts = workFactsOf(row);
    let after = row;
    if (mayBeDue(facts) && dueWork(facts, access, at.now) === 'write') {
      const written = await write(row, at, credential);
      if (written.waitMs !== null || written.row.state !== state) return written;
      after = written.row;
    }
    if (AWAITS_RECORDS.has(state)) return propagate(after, at, touched, access);
    // After a failed write the credential is read again.
    return prove(after, at, touched, after.error_code === null ? credential : undefined);
  }

  /** Ends the attempt. The round, this activity with all of its attempts, ends after a day or to show a new status. */
  function wait(
    row: ConnectionRow,
    { sentence, waitMs }: { sentence: string; waitMs: number },
    { now, roundMs }: Attempt,
    reported: ReportedStatus,
  ): Promise<ConnectionSnapshot> {
    const status = { errorCode: row.error_code, provider: row.provider };
    const isNew = reported.state !== undefined && shownState(row.state) !== shownState(reported.state);
    if (isNew || roundMs >= DAY || isNews(reported, status, roundMs)) return snapshotOf(deps.pool, row, now);
    throw retryCheck(statusLine(sentence, row), waitMs);
  }

  return { setUp };
}
