import { z } from 'zod';
import { Envelope } from '../envelope.ts';
import { enqueueMessage } from '../outbox.ts';
import { none, sql, type Queryable, type Tx } from '../pool.ts';

export const AcmeOrderRow = z.object({
  id: z.uuid(),
  tenant_id: z.uuid(),
  connection_id: z.uuid(),
  directory: z.string(),
  names: z.tuple([z.string()], z.string()),
  replaces: z.string().nullable(),
  url: z.string().nullable(),
  outcome: z.enum(['issued', 'failed']).nullable(),
  ...Envelope.shape,
  created_at: z.date(),
});
export type AcmeOrderRow = z.infer<typeof AcmeOrderRow>;

const columns = sql.fragment`
  id, tenant_id, connection_id, directory, names, replaces, url, outcome, key_id, wrapped_key, ciphertext, created_at
`;

/** Saves a new order and starts its workflow. Returns false if the connection has one in progress. */
export async function addOrder(tx: Tx, row: Omit<AcmeOrderRow, 'url' | 'outcome'>): Promise<boolean> {
  const { rowCount } = await tx.query(sql.type(none)`
    INSERT INTO acme_orders
      (id, tenant_id, connection_id, directory, names, replaces, key_id, wrapped_key, ciphertext, created_at)
    VALUES (${row.id}, ${row.tenant_id}, ${row.connection_id}, ${row.directory}, ${sql.array(row.names, 'text')},
      ${row.replaces}, ${row.key_id}, ${sql.binary(row.wrapped_key)}, ${sql.binary(row.ciphertext)},
      ${sql.timestamp(row.created_at)})
    ON CONFLICT (connection_id) DO NOTHING
  `);
  if (rowCount === 0) return false;
  await enqueueMessage(tx, {
    aggregate: { kind: 'certificate_order', id: row.id, tenant_id: row.tenant_id },
    workflow: 'certificateOrder',
    kind: 'start',
  });
  return true;
}

export const getOrder = (db: Queryable, id: string): Promise<AcmeOrderRow | null> =>
  db.maybeOne(sql.type(AcmeOrderRow)`SELECT ${columns} FROM acme_orders WHERE id = ${id}`);

export const orderOfConnection = (db: Queryable, connectionId: string): Promise<AcmeOrderRow | null> =>
  db.maybeOne(sql.type(AcmeOrderRow)`SELECT ${columns} FROM acme_orders WHERE connection_id = ${connectionId}`);

export async function saveOrderUrl(db: Queryable, id: string, url: string): Promise<void> {
  await db.query(sql.type(none)`UPDATE acme_orders SET url = ${url} WHERE id = ${id}`);
}

export async function endOrder(db: Queryable, id: string, outcome: 'issued' | 'failed'): Promise<void> {
  await db.query(sql.type(none)`UPDATE acme_orders SET outcome = ${outcome} WHERE id = ${id}`);
}

export async function deleteOrder(db: Queryable, id: string): Promise<void> {
  await db.query(sql.type(none)`DELETE FROM acme_orders WHERE id = ${id}`);
}

const ChallengeRow = z.object({ host: z.string(), value: z.string(), published_at: z.string().nullable() });
export type ChallengeRow = z.infer<typeof ChallengeRow>;

/** Saves a value before it is published, so that it is removed even after a crash. */
export async function saveChallenge(db: Queryable, orderId: string, { host, value, published_at }: ChallengeRow) {
  await db.query(sql.type(none)`
    INSERT INTO acme_challenges (order_id, host, value, published_at)
    VALUES (${orderId}, ${host}, ${value}, ${published_at})
    ON CONFLICT (order_id, host, value) DO UPDATE SET published_at = excluded.published_at
  `);
}

export const challengesOf = (db: Queryable, orderId: string): Promise<readonly ChallengeRow[]> =>
  db.any(sql.type(ChallengeRow)`
    SELECT host, value, published_at FROM acme_challenges WHERE order_id = ${orderId} ORDER BY host, value
  `);

const OrderRef = z.object({
  id: z.uuid(),
  tenant_id: z.uuid(),
  connection_id: z.uuid(),
  hostname: z.string(),
  /** `traceparent` of the span that created the connection. */
  trace_context: z.string().nullable(),
  position: z.string(),
});
export type OrderRef = z.infer<typeof OrderRef>;

const refs = sql.fragment`
  SELECT acme_orders.id, acme_orders.tenant_id, connection_id, hostname, trace_context,
    acme_orders.id::text AS position
  FROM acme_orders JOIN connections ON connections.id = connection_id`;

export const orderRefs = (db: Queryable, ids: readonly string[]): Promise<readonly OrderRef[]> =>
  db.any(sql.type(OrderRef)`${refs} WHERE acme_orders.id = ANY(${sql.array([...ids], 'uuid')})`);

const PAGE = 500;

/** Returns orders in progress that have no message in the outbox, page by page. */
export const findOrders = (db: Queryable, after: string | null): Promise<readonly OrderRef[]> =>
  db.any(sql.type(OrderRef)`
    ${refs}
    WHERE acme_orders.id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
      AND NOT EXISTS (
        SELECT FROM outbox WHERE aggregate_kind = 'certificate_order' AND aggregate_id = acme_orders.id)
    ORDER BY acme_orders.id LIMIT ${PAGE}
  `);
