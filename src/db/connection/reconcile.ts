import { ENDED } from '../../domain/connection/state-sets.ts';
import { inStates } from '../state-list.ts';
import { z } from 'zod';
import { ERROR_CODES, STATES } from '../../domain/connection/connection.ts';
import type { AggregateKind } from '../outbox.ts';
import { sql, type Fragment, type Pool, type Queryable } from '../pool.ts';

const ConnectionRef = z.object({
  id: z.uuid(),
  tenant_id: z.uuid(),
  hostname: z.string(),
  environment: z.enum(['test', 'live']),
  state: z.enum(STATES),
  provider: z.string().nullable(),
  error_code: z.enum(ERROR_CODES).nullable(),
  phase_started_at: z.date().nullable(),
  application_id: z.uuid(),
  external_id: z.string().nullable(),
});
/** Facts from which a connection's workflow id, search attributes and memo are made. */
export type ConnectionRef = z.infer<typeof ConnectionRef>;

const TracedRef = ConnectionRef.extend({
  /** `traceparent` of the span that created the connection. */
  trace_context: z.string().nullable(),
});
export type TracedRef = z.infer<typeof TracedRef>;

const ref = sql.fragment`
  id, tenant_id, hostname, environment, state, provider, error_code, phase_started_at, application_id, external_id`;
const PAGE = 200;

/** Connections that need a workflow: all but ended ones, and archived ones whose clean-up is not finished. */
const unfinished = sql.fragment`(NOT state ${inStates(ENDED)} OR cleanup = 'pending')`;

/** Time after which a due check or clean-up counts as overdue. */
const LATE = sql.fragment`interval '2 minutes'`;

/** Whether no message for the connection is queued, and no start is held. */
const unannounced = (id: Fragment) => sql.fragment`
  NOT EXISTS (SELECT FROM outbox WHERE outbox.aggregate_kind = 'connection' AND outbox.aggregate_id = ${id})
  AND NOT EXISTS (SELECT FROM held_starts WHERE held_starts.connection_id = ${id} AND released_at IS NULL)`;

export const connectionRefs = (db: Queryable, ids: readonly string[]): Promise<readonly TracedRef[]> =>
  db.any(sql.type(TracedRef)`
    SELECT ${ref}, trace_context FROM connections WHERE id = ANY(${sql.array([...ids], 'uuid')})
  `);

/** A row with its position in the list, from which the next page continues. */
const PositionedRef = ConnectionRef.extend({ position: z.string() });
export type PositionedRef = z.infer<typeof PositionedRef>;

export const findUnfinished = (db: Queryable, after: string | null): Promise<readonly PositionedRef[]> =>
  db.any(sql.type(PositionedRef)`
    SELECT ${ref}, id::text AS position FROM connections
    WHERE ${unfinished} AND ${unannounced(sql.fragment`connections.id`)}
      AND ${after === null ? sql.fragment`true` : sql.fragment`id > ${after}::uuid`}
    ORDER BY id LIMIT ${PAGE}
  `);

/** Returns connections whose check or clean-up is overdue, longest first. Each half walks along an index. */
export function findOverdue(db: Queryable, after: string | null): Promise<readonly PositionedRef[]> {
  const unchecked = late(after, {
    rows: sql.fragment`checks`,
    which: sql.fragment`due_at IS NOT NULL`,
    since: sql.fragment`due_at`,
    id: sql.fragment`checks.connection_id`,
  });
  const uncleaned = late(after, {
    rows: sql.fragment`connections`,
    which: sql.fragment`cleanup = 'pending'`,
    since: sql.fragment`archived_at`,
    id: sql.fragment`connections.id`,
  });
  return db.any(sql.type(PositionedRef)`
    SELECT ${ref}, to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.USZ') || ' ' || id AS position
    FROM (${unchecked} UNION ALL ${uncleaned}) AS late JOIN connections USING (id)
    WHERE ${unfinished}
    ORDER BY since, id LIMIT ${PAGE}
  `);
}

function late(after: string | null, { rows, which, since, id }: Record<'rows' | 'which' | 'since' | 'id', Fragment>) {
  const [time, last] = after?.split(' ') ?? [];
  const beyond =
    time === undefined || last === undefined
      ? sql.fragment`true`
      : sql.fragment`(${since}, ${id}) > (${time}::timestamptz, ${last}::uuid)`;
  return sql.fragment`(
    SELECT ${id} AS id, ${since} AS since FROM ${rows}
    WHERE ${which} AND ${since} < now() - ${LATE} AND ${beyond} AND ${unannounced(id)}
    ORDER BY ${since}, ${id} LIMIT ${PAGE})`;
}

export const isOverdue = sql.fragment`id IN (
  SELECT connection_id FROM checks WHERE due_at < now() - ${LATE}
  UNION ALL
  SELECT id FROM connections WHERE cleanup = 'pending' AND archived_at < now() - ${LATE}
) AND ${unfinished}`;

/** Queues starts, unless another process has just done so: every worker reconciles. */
export async function enqueueMissing(
  pool: Pool,
  { aggregate, workflow }: { aggregate: AggregateKind; workflow: string },
  missing: readonly { id: string; tenant_id: string }[],
): Promise<number> {
  if (missing.length === 0) return 0;
  const rows = missing.map(({ id, tenant_id }) => [id, tenant_id]);
  const { rowCount } = await pool.query(sql.type(z.object({ id: z.number() }))`
    INSERT INTO outbox (tenant_id, environment, aggregate_kind, aggregate_id, workflow, kind)
    SELECT tenant_id, (SELECT environment FROM connections WHERE id = missing.id),
      ${aggregate}, missing.id, ${workflow}, 'start'
    FROM ${sql.unnest(rows, ['uuid', 'uuid'])} AS missing (id, tenant_id)
    WHERE NOT EXISTS (
      SELECT FROM outbox WHERE outbox.aggregate_kind = ${aggregate} AND outbox.aggregate_id = missing.id)
    RETURNING id
  `);
  return rowCount;
}
