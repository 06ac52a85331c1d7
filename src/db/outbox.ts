import { z } from 'zod';
import { none, sql, type Queryable, type Tx } from './pool.ts';

export const MESSAGE_KINDS = ['start', 'touch', 'credentials_changed', 'archive'] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** A message for a connection's workflow, with what its id and labels are made from. */
const OutboxMessage = z.object({
  id: z.number(),
  kind: z.enum(MESSAGE_KINDS),
  attempts: z.number(),
  connection_id: z.uuid(),
  tenant_id: z.uuid(),
  hostname: z.string(),
});
export type OutboxMessage = z.infer<typeof OutboxMessage>;

/** Part of the transaction that makes the message true: it is sent exactly if that commits. */
export async function enqueue(
  tx: Queryable,
  connection: { id: string; tenant_id: string },
  kind: MessageKind,
): Promise<void> {
  await tx.query(sql.type(none)`
    INSERT INTO outbox (tenant_id, connection_id, kind) VALUES (${connection.tenant_id}, ${connection.id}, ${kind})
  `);
}

/**
 * Takes due messages for as long as the transaction lives, at most one per connection and that its oldest, so that
 * several relays side by side keep each connection's order. A relay that dies gives them back by dying.
 */
export function takeDue(tx: Tx, limit: number): Promise<readonly OutboxMessage[]> {
  return tx.any(sql.type(OutboxMessage)`
    SELECT o.id, o.kind, o.attempts, o.connection_id, c.tenant_id, c.hostname
    FROM outbox o JOIN connections c ON c.id = o.connection_id
    WHERE o.next_attempt_at <= now()
      AND NOT EXISTS (SELECT FROM outbox older WHERE older.connection_id = o.connection_id AND older.id < o.id)
    ORDER BY o.id
    LIMIT ${limit}
    FOR UPDATE OF o SKIP LOCKED
  `);
}

export async function markSent(tx: Tx, ids: number[]): Promise<void> {
  await tx.query(sql.type(none)`DELETE FROM outbox WHERE id = ANY(${sql.array(ids, 'int8')})`);
}

/**
 * Two seconds, doubling to a minute, from the failure on and not from when the try began: Temporal being away is a matter
 * of minutes, and the reconciler stands behind.
 */
export async function markFailed(tx: Tx, ids: number[]): Promise<void> {
  await tx.query(sql.type(none)`
    UPDATE outbox
    SET attempts = attempts + 1,
      next_attempt_at = clock_timestamp() + least(60, 2 ^ least(attempts + 1, 6)) * interval '1 second'
    WHERE id = ANY(${sql.array(ids, 'int8')})
  `);
}

/** Age in seconds of the oldest message that has not been sent, due or not; zero when there is none. */
export const oldestUnsent = (db: Queryable): Promise<number> =>
  db.oneFirst(sql.type(z.object({ age: z.number() }))`
    SELECT coalesce(
      (SELECT greatest(0, extract(epoch FROM now() - created_at)) FROM outbox ORDER BY id LIMIT 1), 0)::float8 AS age
  `);
