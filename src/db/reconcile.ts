import { z } from 'zod';
import { STATES } from '../domain/connection.ts';
import type { AggregateKind } from './outbox.ts';
import { sql, type Pool, type Queryable } from './pool.ts';

const ConnectionRef = z.object({
  id: z.uuid(),
  tenant_id: z.uuid(),
  hostname: z.string(),
  environment: z.enum(['test', 'live']),
  state: z.enum(STATES),
  provider: z.string().nullable(),
});
/** What a connection's workflow id and labels are made from. */
export type ConnectionRef = z.infer<typeof ConnectionRef>;

const ref = sql.fragment`id, tenant_id, hostname, environment, state, provider`;
const PAGE = 200;

/** Should have a workflow: everything that is neither resting nor done, and archives whose clean-up is not finished. */
const unfinished = sql.fragment`(state NOT IN ('failed', 'archived') OR cleanup = 'pending')`;

/**
 * Their next look, or their clean-up, was due minutes ago, so no workflow looks after them. In the shape of the indexes
 * connections_due and connections_to_clean, because every worker asks every minute.
 */
export const isOverdue = sql.fragment`(
  state NOT IN ('failed', 'archived') AND next_check_at < now() - interval '2 minutes'
  OR state NOT IN ('failed', 'archived') AND next_check_at IS NULL AND created_at < now() - interval '2 minutes'
  OR cleanup = 'pending' AND archived_at < now() - interval '2 minutes')`;

/** Nothing is on its way to them either, nor held until there is room for it. */
const unannounced = sql.fragment`NOT EXISTS (
  SELECT FROM outbox WHERE outbox.aggregate_kind = 'connection' AND outbox.aggregate_id = connections.id)
  AND NOT EXISTS (SELECT FROM held_starts WHERE held_starts.connection_id = connections.id)`;

export const connectionRefs = (db: Queryable, ids: readonly string[]): Promise<readonly ConnectionRef[]> =>
  db.any(sql.type(ConnectionRef)`
    SELECT ${ref} FROM connections WHERE id = ANY(${sql.array([...ids], 'uuid')})
  `);

export const findUnfinished = (db: Queryable, after: string | null): Promise<readonly ConnectionRef[]> =>
  db.any(sql.type(ConnectionRef)`
    SELECT ${ref} FROM connections
    WHERE ${unfinished} AND ${unannounced} AND (${after}::uuid IS NULL OR id > ${after})
    ORDER BY id LIMIT ${PAGE}
  `);

export const findOverdue = (db: Queryable, after: string | null): Promise<readonly ConnectionRef[]> =>
  db.any(sql.type(ConnectionRef)`
    SELECT ${ref} FROM connections
    WHERE ${isOverdue} AND ${unannounced} AND (${after}::uuid IS NULL OR id > ${after})
    ORDER BY id LIMIT ${PAGE}
  `);

/** Asks for a start unless another process just did: reconcilers run in every worker. */
export async function enqueueMissing(
  pool: Pool,
  { aggregate, workflow, taskQueue }: { aggregate: AggregateKind; workflow: string; taskQueue: string | null },
  missing: readonly { id: string; tenant_id: string }[],
): Promise<number> {
  if (missing.length === 0) return 0;
  const rows = missing.map(({ id, tenant_id }) => [id, tenant_id]);
  const { rowCount } = await pool.query(sql.type(z.object({ id: z.number() }))`
    INSERT INTO outbox (tenant_id, aggregate_kind, aggregate_id, workflow, task_queue, kind)
    SELECT tenant_id, ${aggregate}, missing.id, ${workflow}, ${taskQueue}, 'start'
    FROM ${sql.unnest(rows, ['uuid', 'uuid'])} AS missing (id, tenant_id)
    WHERE NOT EXISTS (
      SELECT FROM outbox WHERE outbox.aggregate_kind = ${aggregate} AND outbox.aggregate_id = missing.id)
    RETURNING id
  `);
  return rowCount;
}
