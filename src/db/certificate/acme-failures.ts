import { z } from 'zod';
import type { Finding } from '../../domain/observation/finding.ts';
import { StoredFinding } from '../connection/connection-row.ts';
import { jsonOf, none, sql, type Queryable } from '../pool.ts';

const AcmeFailure = z.object({ retry_at: z.date(), falls_back: z.boolean(), finding: StoredFinding });
export type AcmeFailure = z.infer<typeof AcmeFailure>;

/** Saves why the connection's newest order failed, and when to try again. */
export async function saveFailure(
  db: Queryable,
  connection: { id: string; tenant_id: string },
  { retry_at, falls_back, finding }: Omit<AcmeFailure, 'finding'> & { finding: Finding },
  now: Date,
): Promise<void> {
  await db.query(sql.type(none)`
    INSERT INTO acme_failures (connection_id, tenant_id, failed_at, retry_at, falls_back, finding)
    VALUES (${connection.id}, ${connection.tenant_id}, ${sql.timestamp(now)}, ${sql.timestamp(retry_at)}, ${falls_back},
      ${sql.jsonb(jsonOf(finding))})
    ON CONFLICT (connection_id) DO UPDATE SET
      failed_at = excluded.failed_at, retry_at = excluded.retry_at, falls_back = excluded.falls_back,
      finding = excluded.finding
  `);
}

export const failureOf = (db: Queryable, connectionId: string): Promise<AcmeFailure | null> =>
  db.maybeOne(sql.type(AcmeFailure)`
    SELECT retry_at, falls_back, finding FROM acme_failures WHERE connection_id = ${connectionId}
  `);

export async function clearFailure(db: Queryable, connectionId: string): Promise<void> {
  await db.query(sql.type(none)`DELETE FROM acme_failures WHERE connection_id = ${connectionId}`);
}
