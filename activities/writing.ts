import { getApplication } from '../src/db/tenant/applications.ts';
import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import { coveringCredential, type CoveringCredential } from '../src/db/zone/credentials.ts';
import { challengeOf } from '../src/db/observation/subject.ts';
import { HOUR, MINUTE } from '../src/domain/duration.ts';
import { writtenRecords } from '../src/domain/connection/edge-addresses.ts';
import { purposesToRemove } from '../src/domain/connection/offboarding.ts';
import { plainRecord, type DnsRecord } from '../src/domain/record.ts';
import { hostsOf } from '../src/domain/zone/zone-record.ts';
import { afterChangeWritten } from '../src/domain/connection/record-change.ts';
import { AWAITS_PROOF } from '../src/domain/connection/state-sets.ts';
import type { ConnectionSnapshot } from '../src/domain/connection/snapshot.ts';
import {
  consequenceOf,
  recordsFor,
  untilRepetition,
  type RefusedWrite,
  type WriteOutcome,
  type WritingConnection,
} from '../src/domain/zone/write-outcome.ts';
import { otherWriters, type OtherWriters } from '../src/db/connection/rivals.ts';
import { save } from '../src/db/connection/save.ts';
import { rivalFindings } from '../src/domain/zone/rivals.ts';
import { ensureOrder } from '../src/ordering/ensure.ts';
import { removeAll } from '../src/provisioning/remove.ts';
import { writeToZone } from '../src/provisioning/write.ts';
import { attempt, heartbeating, type Attempt } from './attempt.ts';
import { chosenSetup, setupFacts } from './choose-setup.ts';
import type { Deps } from './deps.ts';
import { stillProved } from './cname-proof.ts';
import { snapshotOf, workFactsOf } from './snapshot.ts';
import { retryCheck } from './retry-check.ts';
import { readRow } from '../src/db/connection/rows.ts';
import type { Step } from './settle.ts';

/** The end of an order wakes the connection, so these only bridge a lost message. */
const ORDER_CHECK = MINUTE / 2;
const HOLD_CHECK = HOUR;
const CUTOVER_CHECK = MINUTE / 2;
/** Time in which a write that was refused for a moment is repeated before anything else happens. */
const QUICK_ROUND = MINUTE / 4;

/** A write that needs no further attempt. */
const done = (row: ConnectionRow): Step => ({ row, waitMs: null, sentence: '' });

export function writingActivities(deps: Deps) {
  async function chooseSetup(id: string, now = attempt().now): Promise<ConnectionSnapshot> {
    const row = await readRow(deps.pool, id);
    return snapshotOf(deps.pool, await choose(row, now), now);
  }

  async function choose(row: ConnectionRow, now: number, known?: CoveringCredential | null): Promise<ConnectionRow> {
    const facts = await setupFacts(deps.pool, row, known);
    return save(deps.pool, row, (fresh) => {
      const chosen = chosenSetup(fresh, now, facts);
      return chosen && { moves: [chosen] };
    });
  }

  async function writeRecords(id: string): Promise<ConnectionSnapshot> {
    const at = attempt();
    const row = await stillProved(deps, await readRow(deps.pool, id), at);
    const { row: after, waitMs, sentence } = await heartbeating(() => write(row, at));
    // In `dns_writing` Temporal retries this activity. In other states the write is retried along with the checks.
    if (waitMs !== null) throw retryCheck(sentence, waitMs);
    return snapshotOf(deps.pool, after, at.now);
  }

  /**
   * Writes the challenge until ownership is proved, and the desired records afterwards. A write that fails temporarily
   * is retried. If the provider refuses the write, the customer adds the records.
   */
  async function write(row: ConnectionRow, at: Attempt, known?: CoveringCredential | null): Promise<Step> {
    const { now, roundMs } = at;
    const records = recordsFor(
      row.state,
      challengeOf(row),
      writtenRecords(row.desired_records, deps.providerAccess.edge),
      row.record_change !== null,
    );
    if (records === undefined) return done(row);
    const others = AWAITS_PROOF.has(row.state) ? null : await otherWriters(deps.pool, row);
    const obstacle = await obstacleTo(row, at, others);
    if (obstacle !== null) return row.state === 'dns_writing' ? { row, ...obstacle } : done(row);
    const outcome = (await refusedByRival(row, others, known)) ?? (await writeInZone(row, records, at, known));
    const waitMs = outcome.outcome === 'later' ? untilRepetition(outcome.retryAfterMs, roundMs, deps.random()) : 0;
    // Nothing is recorded for a refusal that passes in a moment.
    if (outcome.outcome === 'later' && roundMs + waitMs < QUICK_ROUND)
      return { row, waitMs, sentence: outcome.sentence };
    const after = await save(deps.pool, row, (fresh) => {
      if (fresh.state !== row.state) return undefined;
      const { trigger, change } = consequenceOf(outcome, writingOf(fresh), now);
      const isSame = fresh.record_changed_at?.getTime() === row.record_changed_at?.getTime();
      const changed = outcome.outcome === 'later' || !isSame ? {} : afterChangeWritten(fresh);
      return { moves: [{ trigger, change: { ...change, ...changed, now: new Date(now) } }] };
    });
    const mustWait = outcome.outcome === 'later' && after.state === 'dns_writing';
    return mustWait ? { row: after, waitMs, sentence: outcome.sentence } : done(after);
  }

  /** Returns what keeps the desired records from being written now: a cutover in progress, or a missing certificate. */
  async function obstacleTo(
    row: ConnectionRow,
    at: Attempt,
    others: OtherWriters | null,
  ): Promise<Omit<Step, 'row'> | null> {
    if (others === null) return null;
    // The cutover wakes the connection when it has written the records or has ended.
    if (others.cutover) return { sentence: 'A cutover is in progress.', waitMs: CUTOVER_CHECK };
    return notReady(row, at);
  }

  /** Returns the wait for the certificate of a connection that wants it first, or for the cutover of one that holds. */
  async function notReady(row: ConnectionRow, at: Attempt): Promise<Omit<Step, 'row'> | null> {
    if (row.state !== 'dns_writing' || !row.before_dns) return null;
    const readiness = await ensureOrder(deps.ordering, row, at);
    if (readiness.kind === 'waits') return { sentence: readiness.sentence, waitMs: ORDER_CHECK };
    if (row.point === 'hold' && (readiness.kind === 'ready' || row.ready_to_point))
      return { sentence: 'The certificate is there. The records wait for a cutover.', waitMs: HOLD_CHECK };
    return null;
  }

  /** Refuses a write where an earlier connection wants another record: two connections must not undo each other's work. */
  async function refusedByRival(
    row: ConnectionRow,
    others: OtherWriters | null,
    known: CoveringCredential | null | undefined,
  ): Promise<RefusedWrite | null> {
    const findings = rivalFindings(row.desired_records, others?.wantedEarlier ?? []);
    const [first] = findings;
    if (first === undefined) return null;
    const credential =
      known === undefined ? await coveringCredential(deps.pool, row.application_id, row.hostname) : known;
    const credentialId = credential?.id ?? null;
    return { outcome: 'refused', errorCode: 'record_conflict', sentence: first.message, findings, credentialId };
  }

  function writeInZone(
    row: ConnectionRow,
    records: readonly DnsRecord[],
    { now, signal }: Attempt,
    known: CoveringCredential | null | undefined,
  ): Promise<WriteOutcome> {
    const isProved = !AWAITS_PROOF.has(row.state);
    // A cutover may have begun since, and two writers would undo each other's work.
    const duringCutover = () => retryCheck('A cutover is in progress.', CUTOVER_CHECK);
    const old = isProved ? row.retiring_records.map(plainRecord) : [];
    const hosts = hostsOf([...records, ...old]);
    // Our old values stay until the new ones are seen.
    const keeps = row.record_change === 'remove' ? [] : old;
    return writeToZone(deps.providerAccess, row, records, {
      now: new Date(now),
      signal,
      hosts,
      keeps,
      known: known ?? undefined,
      ...(isProved && { duringCutover }),
    });
  }

  /**
   * Removes our records from the zone, except those that the tenant wants to keep. The column `cleanup` stores whether
   * the removal succeeded.
   */
  async function removeWhatWeWrote(id: string): Promise<void> {
    const { now, signal } = attempt();
    const row = await readRow(deps.pool, id);
    const application = await getApplication(deps.pool, row.application_id);
    const purposes = purposesToRemove(application ?? undefined);
    const at = { now: new Date(now), signal };
    const result = await heartbeating(() => removeAll(deps.providerAccess, id, purposes, at));
    if (result.outcome === 'later') throw retryCheck(result.sentence, result.retryAfterMs);
    const cleanup = result.outcome === 'impossible' ? 'failed' : 'done';
    const reason = result.outcome === 'impossible' ? { reason: result.sentence } : {};
    await save(deps.pool, row, () => ({
      moves: [{ trigger: null, change: { now: new Date(now), cleanup, ...reason } }],
    }));
  }

  return { chooseSetup, choose, writeRecords, removeWhatWeWrote, write };
}

/** Returns the facts that decide what a write changes. A phase is a stage of the workflow, such as setup. */
const writingOf = (row: ConnectionRow): WritingConnection => ({
  ...workFactsOf(row),
  phaseStartedAt: row.phase_started_at?.getTime() ?? null,
});
