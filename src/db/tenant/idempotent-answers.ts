import { z } from 'zod';
import { jsonOf, none, sql, type Tx } from '../pool.ts';

export interface RequestScope {
  tenant_id: string;
  operation: string;
  key: string;
}

const StoredAnswer = z.object({ body_hash: z.instanceof(Buffer), status: z.number(), body: z.unknown() });
export type StoredAnswer = z.infer<typeof StoredAnswer>;

/** Locks the request until commit. Returns false immediately if it is locked: waiting would use up the pool. */
export const lockRequest = (tx: Tx, { tenant_id, operation, key }: RequestScope): Promise<boolean> =>
  tx.oneFirst(sql.type(z.object({ locked: z.boolean() }))`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${[tenant_id, operation, key].join('\n')}, 0)) AS locked
  `);

export const findAnswer = (
  tx: Tx,
  { tenant_id, operation, key }: RequestScope,
  now: Date,
): Promise<StoredAnswer | null> =>
  tx.maybeOne(sql.type(StoredAnswer)`
    SELECT body_hash, status, body FROM idempotent_answers
    WHERE tenant_id = ${tenant_id} AND operation = ${operation} AND key = ${key}
      AND created_at > ${sql.timestamp(now)} - interval '24 hours'
  `);

/** Stores the response for a day, and deletes some older ones. */
export async function keepAnswer(tx: Tx, { tenant_id, operation, key }: RequestScope, answer: StoredAnswer, now: Date) {
  const at = sql.timestamp(now);
  await tx.query(sql.type(none)`
    WITH swept AS (
      DELETE FROM idempotent_answers WHERE (tenant_id, operation, key) IN (
        SELECT tenant_id, operation, key FROM idempotent_answers
        WHERE tenant_id = ${tenant_id} AND created_at < ${at} - interval '25 hours' AND (operation, key) <> (${operation}, ${key})
        LIMIT 20 FOR UPDATE SKIP LOCKED)
    )
    INSERT INTO idempotent_answers (tenant_id, operation, key, body_hash, status, body, created_at)
    VALUES (${tenant_id}, ${operation}, ${key}, ${sql.binary(answer.body_hash)}, ${answer.status},
            ${sql.json(jsonOf(answer.body))}, ${at})
    ON CONFLICT (tenant_id, operation, key) DO UPDATE
      SET body_hash = excluded.body_hash, status = excluded.status, body = excluded.body, created_at = excluded.created_at
  `);
}
