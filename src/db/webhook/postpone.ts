import { currentTrace } from '../../telemetry/tracing.ts';
import { none, sql, type Queryable } from '../pool.ts';

/** A delivery at which no attempt was made. */
export interface Postponed {
  id: string;
  /** Time until the next attempt. */
  waitMs: number;
  /** The attempt that was not made: its identity, and its time by Temporal's clock. */
  by: string;
  now: number;
}

/** Ends the leases of deliveries without an attempt, and dates the next one. */
export async function postpone(db: Queryable, deliveries: readonly Postponed[]): Promise<void> {
  await db.query(sql.type(none)`${postponing(deliveries)}`);
}

/** Postpones deliveries, which start again together when they are due. They keep this order. */
export async function restart(db: Queryable, deliveries: readonly Postponed[]): Promise<void> {
  const due = sql.fragment`clock_timestamp() + wait_ms * interval '1 millisecond'`;
  await db.query(sql.type(none)`
    WITH postponed AS (
      ${postponing(deliveries)}
      RETURNING delivery.id, delivery.tenant_id, given.wait_ms, given.trace_context, given.place
    )
    INSERT INTO outbox (
      tenant_id, aggregate_kind, aggregate_id, workflow, kind, trace_context, created_at, next_attempt_at)
    SELECT tenant_id, 'delivery', id, 'webhookDelivery', 'start', trace_context, ${due}, ${due}
    FROM postponed ORDER BY place
  `);
}

const postponing = (deliveries: readonly Postponed[]) => sql.fragment`
  UPDATE webhook_deliveries AS delivery SET
    next_attempt_at = given.next_attempt_at,
    claimed_by = CASE WHEN claimed_by = given.by THEN NULL ELSE claimed_by END,
    claimed_until = CASE WHEN claimed_by = given.by THEN NULL ELSE claimed_until END
  FROM ${sql.unnest(
    deliveries.map(({ id, waitMs, by, now }, place) => [
      id,
      by,
      waitMs,
      new Date(now + waitMs).toISOString(),
      currentTrace(id),
      place,
    ]),
    ['uuid', 'text', 'float8', 'timestamptz', 'text', 'int4'],
  )} AS given (id, by, wait_ms, next_attempt_at, trace_context, place)
  WHERE delivery.id = given.id AND delivery.status = 'pending'`;
