import { z } from 'zod';
import type { Environment } from '../../domain/connection/connection.ts';
import type { Counted, DayCounted } from '../../domain/connection/counts.ts';
import { none, sql, type Pool, type Queryable, type Tx } from '../pool.ts';

/** Counts for tenants. Triggers on `connections` maintain them (0065): see ADR "Add up changes to count connections". */

export interface CountFilter {
  environments: readonly Environment[];
  application_id?: string | undefined;
}

const ofFilter = ({ environments, application_id }: CountFilter) => sql.fragment`
  environment = ANY(${sql.array([...environments], 'text')})
  AND ${application_id === undefined ? sql.fragment`true` : sql.fragment`application_id = ${application_id}`}`;

const CountedRow = z.object({ kind: z.string(), count: z.number() });

/** Returns the counts of now. Refused credentials and disabled endpoints are few, so an index is counted. */
export const readCounts = (db: Queryable, filter: CountFilter): Promise<readonly Counted[]> =>
  db.any(sql.type(CountedRow)`
    SELECT kind, sum(quantity)::bigint AS count FROM connection_counts
    WHERE day = 'infinity' AND ${ofFilter(filter)} GROUP BY kind
    UNION ALL
    SELECT 'refused_credentials', count(*) FROM (
      SELECT application_id, environment FROM credentials JOIN applications ON applications.id = application_id
      WHERE status = 'invalid') AS refused
    WHERE ${ofFilter(filter)}
    UNION ALL
    SELECT 'disabled_endpoints', count(*) FROM webhook_endpoints WHERE disabled_at IS NOT NULL AND ${ofFilter(filter)}
  `);

/** Returns the counts of each day from the first to the last. */
export const readSeries = (
  db: Queryable,
  filter: CountFilter,
  { first, last }: { first: string; last: string },
): Promise<readonly DayCounted[]> =>
  db.any(sql.type(CountedRow.extend({ day: z.string() }))`
    SELECT day::text AS day, kind, sum(quantity)::bigint AS count FROM connection_counts
    WHERE day BETWEEN ${first}::date AND ${last}::date AND ${ofFilter(filter)} GROUP BY day, kind
  `);

const ROWS_PER_FOLD = 20_000;

/** Replaces the rows of each count by their sum. Returns the number of new rows that it has folded. */
export async function foldCounts(pool: Pool): Promise<number> {
  let total = 0;
  let folded: number;
  do total += folded = await pool.transaction(foldSome);
  while (folded === ROWS_PER_FOLD);
  return total;
}

async function foldSome(tx: Tx): Promise<number> {
  await lockCounts(tx);
  return tx.oneFirst(sql.type(z.object({ folded: z.number() }))`
    WITH fresh AS (
      DELETE FROM connection_counts WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM connection_counts WHERE NOT folded LIMIT ${ROWS_PER_FOLD}))
      RETURNING tenant_id, application_id, environment, kind, day, quantity
    ), sums AS (
      DELETE FROM connection_counts AS counted USING (
        SELECT DISTINCT tenant_id, application_id, environment, kind, day FROM fresh) AS of
      WHERE counted.folded AND counted.tenant_id = of.tenant_id AND counted.day = of.day
        AND counted.application_id = of.application_id AND counted.environment = of.environment AND counted.kind = of.kind
      RETURNING counted.tenant_id, counted.application_id, counted.environment, counted.kind, counted.day, quantity
    ), saved AS (
      INSERT INTO connection_counts (tenant_id, application_id, environment, kind, day, quantity, folded)
      SELECT tenant_id, application_id, environment, kind, day, sum(quantity), true
      FROM (SELECT * FROM fresh UNION ALL SELECT * FROM sums) AS taken
      GROUP BY tenant_id, application_id, environment, kind, day HAVING sum(quantity) <> 0
    )
    SELECT count(*) AS folded FROM fresh
  `);
}

/** Waits for a fold that runs elsewhere. A fold would otherwise save sums of rows that a removal is deleting. */
export async function lockCounts(tx: Tx): Promise<void> {
  await tx.query(sql.type(none)`SELECT FROM pg_advisory_xact_lock(hashtextextended('connection counts', 0))`);
}
