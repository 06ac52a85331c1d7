import { EVERY_EVENT } from '../../domain/webhook/events.ts';
import { z } from 'zod';
import type { EndpointRow } from './endpoints.ts';
import type { DeliveryRow } from './deliveries.ts';
import { currentTrace } from '../../telemetry/tracing.ts';
import { none, sql, type Tx } from '../pool.ts';
import { enqueueMessage } from '../outbox.ts';

/** Starts a new round of attempts, immediately. The row must be locked. */
export async function replayDelivery(tx: Tx, locked: DeliveryRow, now: Date): Promise<void> {
  await tx.query(sql.type(none)`
    UPDATE webhook_deliveries SET
      status = 'pending', reason = NULL, round = round + 1, round_attempts = 0, next_attempt_at = ${sql.timestamp(now)}
    WHERE id = ${locked.id}
  `);
  await enqueueMessage(tx, {
    aggregate: { kind: 'delivery', id: locked.id, tenant_id: locked.tenant_id },
    workflow: 'webhookDelivery',
    kind: 'replay',
  });
}

/** Maximum number of deliveries in one call. The caller repeats the call for the rest. */
export const RECOVERED_PER_CALL = 1_000;

/** Sends what this endpoint missed since a time, oldest first: failed deliveries, and events while it was inactive. */
export async function recoverEndpoint(
  tx: Tx,
  endpoint: Pick<EndpointRow, 'id' | 'tenant_id' | 'application_id' | 'events'>,
  since: Date,
  now: Date,
): Promise<number> {
  const { rowCount } = await tx.query(sql.type(z.object({ id: z.number() }))`
    WITH missed AS (
      SELECT event.id, event.type, event.connection_id FROM events AS event
      LEFT JOIN webhook_deliveries AS delivery ON delivery.event_id = event.id AND delivery.endpoint_id = ${endpoint.id}
      WHERE event.tenant_id = ${endpoint.tenant_id} AND event.application_id = ${endpoint.application_id}
        AND ${sql.array([...endpoint.events], 'text')} && ARRAY[event.type, ${EVERY_EVENT}]
        AND event.created_at >= ${sql.timestamp(since)}
        AND (delivery.id IS NULL OR delivery.status = 'failed')
      ORDER BY event.created_at, event.id LIMIT ${RECOVERED_PER_CALL}
    ), queued AS (
      INSERT INTO webhook_deliveries (id, tenant_id, endpoint_id, event_id, event_type, connection_id, next_attempt_at)
      SELECT uuid_v7(), ${endpoint.tenant_id}::uuid, ${endpoint.id}::uuid, id, type, connection_id, ${sql.timestamp(now)}
      FROM missed
      ON CONFLICT (event_id, endpoint_id) DO UPDATE SET
        status = 'pending', reason = NULL, round = webhook_deliveries.round + 1, round_attempts = 0,
        next_attempt_at = excluded.next_attempt_at
      WHERE webhook_deliveries.status = 'failed'
      RETURNING id, tenant_id
    )
    INSERT INTO outbox (tenant_id, aggregate_kind, aggregate_id, workflow, kind, trace_context)
    SELECT tenant_id, 'delivery', id, 'webhookDelivery', 'start', ${currentTrace()}::text FROM queued
    RETURNING id
  `);
  return rowCount;
}
