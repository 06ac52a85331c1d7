import type { ConnectionRow } from '../src/db/connection-row.ts';
import type { Glimpse } from '../src/domain/glimpse.ts';

/** Little enough to stand in a history for years, and nothing in it that is secret. */
export const glimpseOf = (row: ConnectionRow): Glimpse => ({
  id: row.id,
  tenantId: row.tenant_id,
  hostname: row.hostname,
  environment: row.environment,
  provider: row.provider,
  state: row.state,
  errorCode: row.error_code,
  since: row.phase_started_at?.toISOString() ?? null,
  status: row.findings[0]?.message ?? null,
});
