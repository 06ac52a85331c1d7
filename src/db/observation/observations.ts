import type { ChallengeCheck, RecordsCheck } from '../../domain/observation/check.ts';
import type { ConnectionRow } from '../connection/connection-row.ts';
import { jsonOf, none, sql, type Fragment, type Tx } from '../pool.ts';

export type CheckKind = 'challenge' | 'records';

/** A check as it is stored. */
export interface Observation {
  purpose: CheckKind;
  check: ChallengeCheck | RecordsCheck;
  now: Date;
}

/** Saves an observation. Equal observations in a row share one row. */
export async function recordObservation(
  tx: Tx,
  row: Pick<ConnectionRow, 'id' | 'tenant_id'>,
  purpose: CheckKind,
  check: ChallengeCheck | RecordsCheck,
  now: Date,
): Promise<void> {
  await tx.query(sql.type(none)`
    WITH moved AS (SELECT ${row.id}::uuid AS id, ${row.tenant_id}::uuid AS tenant_id),
      ${observationOfMoved(row.id, { purpose, check, now })}
    SELECT
  `);
}

/** Part of a statement whose part `moved` is the connection, if the observation counts: saves the observation. */
export function observationOfMoved(connectionId: string, { purpose, check, now }: Observation): Fragment {
  const at = sql.timestamp(now);
  return sql.fragment`
    checked AS (
      SELECT moved.id, moved.tenant_id, ${sql.jsonb(jsonOf(check))} AS seen FROM moved
    ), latest AS (
      SELECT o.id, o.seen FROM observations o, checked
      WHERE o.connection_id = ${connectionId} AND o.purpose = ${purpose}
      ORDER BY o.id DESC LIMIT 1
    ), same AS (
      UPDATE observations o SET last_at = ${at}, looks = o.looks + 1, seen = checked.seen
      FROM latest, checked WHERE o.id = latest.id AND latest.seen - 'evidence' = checked.seen - 'evidence'
      RETURNING o.id
    ), observed AS (
      INSERT INTO observations (tenant_id, connection_id, purpose, verdict, first_at, last_at, seen)
      SELECT tenant_id, id, ${purpose}, ${check.verdict}, ${at}, ${at}, seen
      FROM checked WHERE NOT EXISTS (SELECT FROM same)
    )`;
}
