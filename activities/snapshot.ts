import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import { coveringCredential, type CoveringCredential } from '../src/db/zone/credentials.ts';
import type { Queryable } from '../src/db/pool.ts';
import { dueWork, mayBeDue, type WriteAccess, type WorkFacts } from '../src/domain/connection/due-work.ts';
import type { ConnectionSnapshot } from '../src/domain/connection/snapshot.ts';

/** Returns the few facts that a workflow keeps. They stay in its history for years, so none of them is secret. */
export async function snapshotOf(db: Queryable, row: ConnectionRow, now: number): Promise<ConnectionSnapshot> {
  const facts = workFactsOf(row);
  return {
    id: row.id,
    tenantId: row.tenant_id,
    hostname: row.hostname,
    environment: row.environment,
    provider: row.provider,
    state: row.state,
    errorCode: row.error_code,
    since: row.phase_started_at?.toISOString() ?? null,
    status: row.findings[0]?.message ?? null,
    due: mayBeDue(facts) ? dueWork(facts, await writeAccessOf(db, row), now) : null,
  };
}

export const workFactsOf = (row: ConnectionRow): WorkFacts => ({
  state: row.state,
  setupType: row.setup_type,
  errorCode: row.error_code,
  triedCredential: row.credential_id,
  repairedAt: row.repaired_at?.map((at) => at.getTime()) ?? [],
  recordChange: row.record_change === 'see' ? null : row.record_change,
});

export async function writeAccessOf(db: Queryable, row: ConnectionRow): Promise<WriteAccess> {
  return accessBy(await coveringCredential(db, row.application_id, row.hostname));
}

/** Returns what a credential allows; without one, nothing. */
export const accessBy = (credential: CoveringCredential | null): WriteAccess =>
  credential === null
    ? { credential: null, driftPolicy: 'notify' }
    : { credential: credential.id, driftPolicy: credential.drift_policy };
