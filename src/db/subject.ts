import { challengeName } from '../domain/constants.ts';
import type { Subject } from '../domain/look.ts';
import type { ConnectionRow } from './connection-row.ts';

/** What a look needs to know of a row. */
export const subjectOf = (row: ConnectionRow): Subject => ({
  tenantId: row.tenant_id,
  hostname: row.hostname,
  challenge: { name: challengeName(row.hostname), value: row.challenge_token },
  desiredRecords: row.desired_records,
  liveAt: row.live_at?.getTime() ?? null,
  nameservers: row.nameservers,
});
