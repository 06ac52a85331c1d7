import { z } from 'zod';
import { sql, type Queryable } from '../pool.ts';

const DeliveryRef = z.object({
  id: z.uuid(),
  tenant_id: z.uuid(),
  endpoint_id: z.uuid(),
  event_id: z.uuid(),
  event_type: z.string(),
  connection_id: z.uuid().nullable(),
  created_at: z.date(),
});
/** Facts from which a delivery's workflow id and search attributes are made. */
export type DeliveryRef = z.infer<typeof DeliveryRef>;

const columns = sql.fragment`id, tenant_id, endpoint_id, event_id, event_type, connection_id, created_at`;
const PAGE = 200;

export const deliveryRefs = (db: Queryable, ids: readonly string[]): Promise<readonly DeliveryRef[]> =>
  db.any(sql.type(DeliveryRef)`
    SELECT ${columns} FROM webhook_deliveries WHERE id = ANY(${sql.array([...ids], 'uuid')})
  `);

/** Whether no message to Temporal is queued for the delivery. */
const unannounced = sql.fragment`NOT EXISTS (
  SELECT FROM outbox WHERE outbox.aggregate_kind = 'delivery' AND outbox.aggregate_id = webhook_deliveries.id)`;

export const findPending = (db: Queryable, after: string | null): Promise<readonly DeliveryRef[]> =>
  db.any(sql.type(DeliveryRef)`
    SELECT ${columns} FROM webhook_deliveries
    WHERE status = 'pending' AND ${unannounced} AND (${after}::uuid IS NULL OR id > ${after})
    ORDER BY id LIMIT ${PAGE}
  `);

/** Returns deliveries whose attempt is overdue: no workflow runs for them. */
export const findOverdueDeliveries = (db: Queryable, after: string | null): Promise<readonly DeliveryRef[]> =>
  db.any(sql.type(DeliveryRef)`
    SELECT ${columns} FROM webhook_deliveries
    WHERE status = 'pending' AND next_attempt_at < now() - interval '2 minutes' AND ${unannounced}
      AND (${after}::uuid IS NULL OR id > ${after})
    ORDER BY id LIMIT ${PAGE}
  `);
