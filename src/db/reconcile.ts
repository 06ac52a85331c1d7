import { z } from 'zod';
import { sql, type Pool } from './pool.ts';

const Candidate = z.object({ id: z.uuid(), tenant_id: z.uuid(), hostname: z.string() });
export type Candidate = z.infer<typeof Candidate>;

const PAGE = 200;

/** Should have a workflow: everything that is neither resting nor done, and archives whose clean-up is not finished. */
const unfinished = sql.fragment`(state NOT IN ('failed', 'archived') OR cleanup = 'pending')`;

/** Nothing is on its way to them either. */
const unannounced = sql.fragment`NOT EXISTS (SELECT FROM outbox WHERE outbox.connection_id = connections.id)`;

export const findUnfinished = (pool: Pool, after: string | null): Promise<readonly Candidate[]> =>
  pool.any(sql.type(Candidate)`
    SELECT id, tenant_id, hostname FROM connections
    WHERE ${unfinished} AND ${unannounced} AND (${after}::uuid IS NULL OR id > ${after})
    ORDER BY id LIMIT ${PAGE}
  `);

/** Their next look was due minutes ago, so whoever should have looked is not there. */
export const findOverdue = (pool: Pool, after: string | null): Promise<readonly Candidate[]> =>
  pool.any(sql.type(Candidate)`
    SELECT id, tenant_id, hostname FROM connections
    WHERE ${unfinished} AND ${unannounced} AND (${after}::uuid IS NULL OR id > ${after})
      AND coalesce(next_check_at, archived_at, created_at) < now() - interval '2 minutes'
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
