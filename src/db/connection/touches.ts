import { currentTrace } from '../../telemetry/tracing.ts';
import { none, sql, type Queryable } from '../pool.ts';

/** Makes workflows check immediately, and often for a while. Touches within thirty seconds count once. */
export async function touchConnections(
  tx: Queryable,
  connections: readonly { id: string; tenant_id: string }[],
  now: Date,
): Promise<void> {
  if (connections.length === 0) return;
  const ids = connections.map(({ id, tenant_id }) => [id, tenant_id]);
  await tx.query(sql.type(none)`
    WITH due AS (
      INSERT INTO touches (connection_id, tenant_id, touched_at)
      SELECT id, tenant_id, ${sql.timestamp(now)} FROM ${sql.unnest(ids, ['uuid', 'uuid'])} AS touched (id, tenant_id)
      ORDER BY id
      ON CONFLICT (connection_id) DO UPDATE SET touched_at = excluded.touched_at
        WHERE touches.touched_at <= excluded.touched_at - interval '30 seconds'
      RETURNING connection_id, tenant_id
    )
    INSERT INTO outbox (tenant_id, aggregate_kind, aggregate_id, workflow, kind, trace_context)
    SELECT tenant_id, 'connection', connection_id, 'connection', 'touch', ${currentTrace()}::text FROM due
  `);
}

export const touchConnection = (
  tx: Queryable,
  connection: { id: string; tenant_id: string },
  now: Date,
): Promise<void> => touchConnections(tx, [connection], now);
