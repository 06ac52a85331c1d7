import { getApplication } from '../src/db/applications.ts';
import type { ConnectionRow } from '../src/db/connection-row.ts';
import { coveringCredential } from '../src/db/credentials.ts';
import type { Queryable } from '../src/db/pool.ts';
import { dueWork, type Means, type WorkFacts } from '../src/domain/due-work.ts';
import type { Glimpse } from '../src/domain/glimpse.ts';

/** Little enough to stand in a history for years, and nothing in it that is secret. */
export async function glimpseOf(db: Queryable, row: ConnectionRow, now: number): Promise<Glimpse> {
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
    due: dueWork(workFactsOf(row), await meansOf(db, row), now),
  };
}

export const workFactsOf = (row: ConnectionRow): WorkFacts => ({
  state: row.state,
  setupType: row.setup_type,
  errorCode: row.error_code,
  triedCredential: row.credential_id,
  repairedAt: row.repaired_at?.map((at) => at.getTime()) ?? [],
});

export async function meansOf(db: Queryable, row: ConnectionRow): Promise<Means> {
  const credential = await coveringCredential(db, row.application_id, row.hostname);
  if (credential === null) return { credential: null, driftPolicy: 'notify' };
  const application = await getApplication(db, row.application_id);
  return { credential: credential.id, driftPolicy: application?.drift_policy ?? 'notify' };
}
