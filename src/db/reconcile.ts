import { z } from 'zod';
import { sql, type Pool, type Queryable } from './pool.ts';

const Candidate = z.object({ id: z.uuid(), tenant_id: z.uuid(), hostname: z.string() });
export type Candidate = z.infer<typeof Candidate>;

const PAGE = 200;

/** Should have a workflow: everything that is neither resting nor done, and archives whose clean-up is not finished. */
const unfinished = sql.fragment`(state NOT IN ('failed', 'archived') OR cleanup = 'pending')`;

/**
 * Their next look, or their clean-up, was due minutes ago, so whoever should have done it is not there. In the shape of
 * the indexes connections_due and connections_to_clean, because every worker asks every minute.
 */
export const isOverdue = sql.fragment`(
  state NOT IN ('failed', 'archived') AND next_check_at < now() - interval '2 minutes'
  OR state NOT IN ('failed', 'archived') AND next_check_at IS NULL AND created_at < now() - interval '2 minutes'
  OR cleanup = 'pending' AND archived_at < now() - interval '2 minutes')`;

/** Nothing is on its way to them either. */
const unannounced = sql.fragment`NOT EXISTS (SELECT FROM outbox WHERE outbox.connection_id = connections.id)`;

export const findUnfinished = (pool: Pool, after: string | null): Promise<readonly Candidate[]> =>
  pool.any(sql.type(Candidate)`
    SELECT id, tenant_id, hostname FROM connections
    WHERE ${unfinished} AND ${unannounced} AND (${after}::uuid IS NULL OR id > ${after})
    ORDER BY id LIMIT ${PAGE}
  `);

export const findOverdue = (db: Queryable, after: string | null): Promise<readonly Candidate[]> =>
  db.any(sql.type(Candidate)`
    SELECT id, tenant_id, hostname FROM connections
    WHERE ${isOverdue} AND ${unannounced} AND (${after}::uuid IS NULL OR id > ${after})
    ORDER BY id LIMIT ${PAGE}
  `);

/** Asks for a start unless somebody else just did: reconcilers run in every worker. */
export async function enqueueMissing(pool: Pool, connections: readonly Candidate[]): Promise<number> {
  if (connections.length === 0) return 0;
  const { rowCount } = await pool.query(sql.type(z.object({ id: z.number() }))`
    INSERT INTO outbox (tenant_id, connection_id, kind)
    SELECT tenant_id, id, 'start' FROM connections
    WHERE id = ANY(${sql.array(
      connections.map(({ id }) => id),
      'uuid',
    )}) AND ${unannounced}
    RETURNING id
  `);
  return rowCount;
}
