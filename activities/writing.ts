import { getApplication } from '../src/db/applications.ts';
import type { ConnectionRow } from '../src/db/connection-row.ts';
import { coveringCredential } from '../src/db/credentials.ts';
import { challengeOf } from '../src/db/subject.ts';
import { remain, transition, type Change } from '../src/db/transitions.ts';
import type { Trigger } from '../src/domain/connection.ts';
import { isUntried, recent } from '../src/domain/due-work.ts';
import type { ConnectionSnapshot } from '../src/domain/snapshot.ts';
import type { DnsRecord } from '../src/domain/record.ts';
import { WRITE_DEADLINE } from '../src/domain/schedule.ts';
import { removeWritten } from '../src/provisioning/remove.ts';
import { writeRecords as writeToZone, type WriteOutcome } from '../src/provisioning/write.ts';
import { attempt, heartbeating } from './attempt.ts';
import type { Deps } from './deps.ts';
import { snapshotOf, workFactsOf } from './snapshot.ts';
import { lookAgain } from './look-again.ts';
import { movedRow, readRow, withRow } from './rows.ts';

export function writingActivities(deps: Deps) {
  /** Proved: write the records if a credential covers the name, else somebody sets them by hand. */
  async function chooseSetup(id: string): Promise<ConnectionSnapshot> {
    const { now } = attempt();
    const row = await withRow(deps.pool, id, async (tx, before) => {
      if (before.state !== 'verified') return before;
      const credential = await coveringCredential(tx, before.application_id, before.hostname);
      const writes =
        isUntried(workFactsOf(before), { credential: credential?.id ?? null }) ||
        (credential !== null && before.setup_type === 'automatic');
      const at = { now: new Date(now), next_check_at: new Date(now) };
      return movedRow(
        await (writes
          ? transition(tx, before, 'credentialFound', { ...at, setup_type: 'automatic' })
          : transition(tx, before, 'recordsByHand', { ...at, setup_type: 'manual' })),
      );
    });
    return snapshotOf(deps.pool, row, now);
  }

  /** Writes what the connection's state asks for. What fails for the moment is tried again; what is refused is left to people. */
  async function writeRecords(id: string): Promise<ConnectionSnapshot> {
    const { now, signal } = attempt();
    const row = await readRow(deps.pool, id);
    const records = recordsFor(row);
    if (records === undefined) return snapshotOf(deps.pool, row, now);
    const outcome = await heartbeating(() => write(row, records, now, signal));
    const after = await withRow(deps.pool, id, async (tx, fresh) => {
      if (fresh.state !== row.state) return fresh;
      const { trigger, change } = consequence(fresh, outcome, now);
      return movedRow(await (trigger === null ? remain(tx, fresh, change) : transition(tx, fresh, trigger, change)));
    });
    if (outcome.outcome === 'later' && after.state === 'dns_writing')
      throw lookAgain(outcome.sentence, outcome.retryAfterMs);
    return snapshotOf(deps.pool, after, now);
  }

  async function write(
    row: ConnectionRow,
    records: DnsRecord[],
    now: number,
    signal: AbortSignal,
  ): Promise<WriteOutcome & { credentialId?: string | null }> {
    const application = await getApplication(deps.pool, row.application_id);
    const credential = await coveringCredential(deps.pool, row.application_id, row.hostname);
    const policy = application?.conflict_policy ?? 'refuse';
    return {
      credentialId: credential?.id ?? null,
      ...(await writeToZone(deps.providerAccess, row, records, { policy, now: new Date(now), signal })),
    };
  }

  /** Nothing of ours is left in the zone when this returns, unless the tenant wants it kept or it cannot be removed. */
  async function removeWhatWeWrote(id: string): Promise<void> {
    const { now, signal } = attempt();
    const row = await readRow(deps.pool, id);
    const application = await getApplication(deps.pool, row.application_id);
    const keeps = application?.offboarding === 'keep_records';
    const result = keeps
      ? ({ outcome: 'removed', values: 0 } as const)
      : await heartbeating(() => removeWritten(deps.providerAccess, id, signal));
    if (result.outcome === 'later') throw lookAgain(result.sentence, result.retryAfterMs);
    const cleanup = result.outcome === 'impossible' ? 'failed' : 'done';
    const reason = result.outcome === 'impossible' ? { reason: result.sentence } : {};
    await withRow(deps.pool, id, async (tx, fresh) =>
      movedRow(await remain(tx, fresh, { now: new Date(now), cleanup, ...reason })),
    );
  }

  return { chooseSetup, writeRecords, removeWhatWeWrote };
}

/** Before the proof only the challenge; after it everything at once, the challenge included, should somebody have taken it away. */
function recordsFor(row: ConnectionRow): DnsRecord[] | undefined {
  switch (row.state) {
    case 'pending_ownership':
    case 'verifying':
      return [challengeOf(row)];
    case 'dns_writing':
    case 'propagating':
    case 'stalled':
      return [challengeOf(row), ...row.desired_records];
    case 'drifted':
      return row.desired_records;
    default:
      return undefined;
  }
}

function consequence(
  row: ConnectionRow,
  outcome: WriteOutcome & { credentialId?: string | null },
  nowMs: number,
): { trigger: Trigger | null; change: Change } {
  const now = new Date(nowMs);
  const writing = row.state === 'dns_writing';
  switch (outcome.outcome) {
    case 'written':
      return {
        trigger: writing ? 'written' : null,
        change: {
          now,
          reason: 'The records are written.',
          setup_type: 'automatic',
          error_code: null,
          findings: [],
          credential_id: outcome.credentialId ?? row.credential_id,
          next_check_at: now,
          ...(row.state === 'drifted'
            ? { repaired_at: [now, ...recent(workFactsOf(row).repairedAt, nowMs).map((at) => new Date(at))] }
            : {}),
        },
      };
    case 'not_ours':
      return { trigger: writing ? 'writeRefused' : null, change: { now, setup_type: 'manual', next_check_at: now } };
    case 'refused':
      return {
        trigger: writing ? 'writeRefused' : null,
        change: {
          now,
          reason: outcome.sentence,
          setup_type: 'manual',
          error_code: outcome.errorCode,
          findings: outcome.findings,
          credential_id: outcome.credentialId,
          next_check_at: now,
        },
      };
    case 'later': {
      const waited = nowMs - (row.phase_started_at ?? now).getTime();
      const timedOut = writing && waited >= WRITE_DEADLINE;
      const failing = !writing || timedOut;
      return {
        trigger: timedOut ? 'writeTimedOut' : null,
        change: {
          now,
          reason: outcome.sentence,
          setup_type: 'automatic',
          next_check_at: new Date(nowMs + outcome.retryAfterMs),
          ...(failing ? { error_code: 'dns_write_failed' as const, credential_id: outcome.credentialId ?? null } : {}),
        },
      };
    }
  }
}
