import type { ChallengeCheck, RecordsCheck } from '../../domain/observation/check.ts';
import type { ConnectionRow } from '../connection/connection-row.ts';
import { jsonOf, none, sql, type Tx } from '../pool.ts';

export type CheckKind = 'challenge' | 'records';

/** Saves an observation. Equal observations in a row share one row. */
export async function recordObservation(
  tx: Tx,
  row: ConnectionRow,
  purpose: CheckKind,
  check: ChallengeCheck | RecordsCheck,
  now: Date,
): Promise<void> {
  const seen = sql.jsonb(jsonOf(check));
  const at = sql.timestamp(now);
  await tx.query(sql.type(none)`
    WITH latest AS (
      SELECT id, seen FROM observations
      WHERE connection_id = ${row.id} AND purpose = ${purpose}
      ORDER BY id DESC LIMIT 1
    ), same AS (
      UPDATE observations o SET last_at = ${at}, looks = o.looks + 1, seen = ${seen}
      FROM latest WHERE o.id = latest.id AND latest.seen - 'evidence' = ${seen} - 'evidence'
      RETURNING o.id
    )
    INSERT INTO observations (tenant_id, connection_id, purpose, verdict, first_at, last_at, seen)
    SELECT ${row.tenant_id}, ${row.id}, ${purpose}, ${check.verdict}, ${at}, ${at}, ${seen}
    WHERE NOT EXISTS (SELECT FROM same)
  `);
}
