import { getApplication } from '../src/db/tenant/applications.ts';
import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import type { Tx } from '../src/db/pool.ts';
import { cutoverInProgress } from '../src/db/zone/cutovers.ts';
import { hasConsented } from '../src/db/zone/domain-connect.ts';
import { coveringCredential } from '../src/db/zone/credentials.ts';
import { challengeOf } from '../src/db/observation/subject.ts';
import { remain, transition } from '../src/db/connection/transitions.ts';
import { HOUR, MINUTE } from '../src/domain/duration.ts';
import { writtenRecords } from '../src/domain/connection/edge-addresses.ts';
import { isSetupByUs } from '../src/domain/connection/due-work.ts';
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
import { recordsWantedEarlier } from '../src/db/connection/rivals.ts';
import { rivalFindings } from '../src/domain/zone/rivals.ts';
import { ensureOrder } from '../src/ordering/ensure.ts';
import { removeAll } from '../src/provisioning/remove.ts';
import { writeToZone } from '../src/provisioning/write.ts';
import { attempt, heartbeating } from './attempt.ts';
import type { Deps } from './deps.ts';
import { stillProved } from './cname-proof.ts';
import { snapshotOf, workFactsOf } from './snapshot.ts';
import { retryCheck } from './retry-check.ts';
import { movedRow, readRow, withRow } from './rows.ts';

/** The end of an order wakes the connection, so these only bridge a lost message. */
const ORDER_CHECK = MINUTE / 2;
const HOLD_CHECK = HOUR;
const CUTOVER_CHECK = MINUTE / 2;
/** Time in which a write that was refused for a moment is repeated before anything else happens. */
const QUICK_ROUND = MINUTE / 4;

export function writingActivities(deps: Deps) {
  /**
   * Chooses who adds the records: the service if the application has a credential for the hostname's zone, otherwise
   * the customer. A credential that the provider refused before does not count.
   */
  async function chooseSetup(id: string, now = attempt().now): Promise<ConnectionSnapshot> {
    const row = await withRow(deps.pool, id, async (tx, before) => {
      if (before.state !== 'verified') return before;
      const credential = await coveringCredential(tx, before.application_id, before.hostname);
      const serviceWrites = isSetupByUs(workFactsOf(before), { credential: credential?.id ?? null });
      const setup_type = serviceWrites || (await hasConsented(tx, before)) ? 'automatic' : 'manual';
      const trigger = serviceWrites ? 'credentialFound' : 'recordsAddedManually';
      return movedRow(
        await transition(tx, before, trigger, { now: new Date(now), next_check_at: new Date(now), setup_type }),
      );
    });
    return snapshotOf(deps.pool, row, now);
  }

  /**
   * Writes the challenge until ownership is proved, and the desired records afterwards. A write that fails temporarily
   * is retried. If the provider refuses the write, the customer adds the records.
   */
  async function writeRecords(id: string): Promise<ConnectionSnapshot> {
    const { now, signal, roundMs } = attempt();
    const row = await stillProved(deps, await readRow(deps.pool, id), { now, signal });
    const records = recordsFor(
      row.state,
      challengeOf(row),
      writtenRecords(row.desired_records, deps.providerAccess.edge),
      row.record_change !== null,
    );
    if (records === undefined) return snapshotOf(deps.pool, row, now);
    if (!AWAITS_PROOF.has(row.state) && (await cutoverInProgress(deps.pool, id)) !== null)
      return afterCutover(row, now);
    await untilReady(row, { now, signal });
    const outcome = (await refusedByRival(row)) ?? (await heartbeating(() => write(row, records, now, signal)));
    const waitMs = outcome.outcome === 'later' ? untilRepetition(outcome.retryAfterMs, roundMs, deps.random()) : 0;
    // Nothing is recorded for a refusal that passes in a moment.
    if (outcome.outcome === 'later' && roundMs + waitMs < QUICK_ROUND) throw retryCheck(outcome.sentence, waitMs);
    const after = await withRow(deps.pool, id, async (tx, fresh) => {
      if (fresh.state !== row.state) return fresh;
      // A trigger causes a transition. Without a trigger, `remain` saves the change and keeps the state.
      const { trigger, change } = consequenceOf(outcome, writingOf(fresh), now);
      const isSame = fresh.record_changed_at?.getTime() === row.record_changed_at?.getTime();
      const changed = outcome.outcome === 'later' || !isSame ? {} : afterChangeWritten(fresh);
      const update = { ...change, ...changed, now: new Date(now) };
      return movedRow(await (trigger === null ? remain(tx, fresh, update) : transition(tx, fresh, trigger, update)));
    });
    // In `dns_writing` Temporal retries this activity. In other states the write is retried along with the checks.
    if (outcome.outcome === 'later' && after.state === 'dns_writing') throw retryCheck(outcome.sentence, waitMs);
    return snapshotOf(deps.pool, after, now);
  }

  /** Leaves the records to the cutover in progress, which wakes the connection when it has written them or has ended. */
  function afterCutover(row: ConnectionRow, now: number): Promise<ConnectionSnapshot> {
    if (row.state === 'dns_writing') throw retryCheck('A cutover is in progress.', CUTOVER_CHECK);
    return snapshotOf(deps.pool, row, now);
  }

  /** Waits for the certificate of a connection that wants it before its records change, and for the cutover if it holds. */
  async function untilReady(row: ConnectionRow, at: { now: number; signal: AbortSignal }): Promise<void> {
    if (row.state !== 'dns_writing' || !row.before_dns) return;
    const readiness = await heartbeating(() => ensureOrder(deps.ordering, row, at));
    if (readiness.kind === 'waits') throw retryCheck(readiness.sentence, ORDER_CHECK);
    if (row.point === 'hold' && (readiness.kind === 'ready' || row.ready_to_point))
      throw retryCheck('The certificate is there. The records wait for a cutover.', HOLD_CHECK);
  }

  /** Refuses a write where an earlier connection wants another record: two connections must not undo each other's work. */
  async function refusedByRival(row: ConnectionRow): Promise<RefusedWrite | null> {
    if (AWAITS_PROOF.has(row.state)) return null;
    const findings = rivalFindings(row.desired_records, await recordsWantedEarlier(deps.pool, row));
    const [first] = findings;
    if (first === undefined) return null;
    const credential = await coveringCredential(deps.pool, row.application_id, row.hostname);
    const credentialId = credential?.id ?? null;
    return { outcome: 'refused', errorCode: 'record_conflict', sentence: first.message, findings, credentialId };
  }

  async function write(
    row: ConnectionRow,
    records: readonly DnsRecord[],
    now: number,
    signal: AbortSignal,
  ): Promise<WriteOutcome> {
    const application = await getApplication(deps.pool, row.application_id);
    const policy = application?.conflict_policy ?? 'refuse';
    // A cutover may have begun since, and two writers would undo each other's work.
    const guard = async (tx: Tx) => {
      if (!AWAITS_PROOF.has(row.state) && (await cutoverInProgress(tx, row.id)) !== null)
        throw retryCheck('A cutover is in progress.', CUTOVER_CHECK);
    };
    const old = AWAITS_PROOF.has(row.state) ? [] : row.retiring_records.map(plainRecord);
    const hosts = hostsOf([...records, ...old]);
    // Our old values stay until the new ones are seen.
    const keeps = row.record_change === 'remove' ? [] : old;
    return writeToZone(deps.providerAccess, row, records, { policy, now: new Date(now), signal, guard, hosts, keeps });
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
    await withRow(deps.pool, id, async (tx, fresh) =>
      movedRow(await remain(tx, fresh, { now: new Date(now), cleanup, ...reason })),
    );
  }

  return { chooseSetup, writeRecords, removeWhatWeWrote };
}

/** Returns the facts that decide what a write changes. A phase is a stage of the workflow, such as setup. */
const writingOf = (row: ConnectionRow): WritingConnection => ({
  ...workFactsOf(row),
  phaseStartedAt: row.phase_started_at?.getTime() ?? null,
});
