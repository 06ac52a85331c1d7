import { z } from 'zod';
import { lockCounts } from '../connection/tenant-counts.ts';
import { pageOf, type Position } from '../page.ts';
import { none, sql, type Fragment, type Pool, type Queryable, type Tx } from '../pool.ts';

const Belongings = z.object({
  connections: z.number(),
  /** Connections that are not archived. */
  open: z.number(),
  /** Archived connections whose records are still being removed. */
  cleaning: z.number(),
  credentials: z.number(),
  webhook_endpoints: z.number(),
  keys: z.number(),
});
export type Belongings = z.infer<typeof Belongings>;

export const belongingsOf = (db: Queryable, applicationIds: readonly string[]): Promise<Belongings> => {
  const ours = sql.fragment`application_id = ANY(${sql.array([...applicationIds], 'uuid')})`;
  return db.one(sql.type(Belongings)`
    SELECT count(*) AS connections, count(*) FILTER (WHERE state <> 'archived') AS open,
      count(*) FILTER (WHERE cleanup = 'pending') AS cleaning,
      (SELECT count(*) FROM credentials WHERE ${ours}) AS credentials,
      (SELECT count(*) FROM webhook_endpoints WHERE ${ours}) AS webhook_endpoints,
      (SELECT count(*) FROM api_keys WHERE ${ours}) AS keys
    FROM connections WHERE ${ours}
  `);
};

export const applicationsOf = (db: Queryable, tenantId: string): Promise<readonly string[]> =>
  db.anyFirst(
    sql.type(z.object({ id: z.uuid() }))`SELECT id FROM applications WHERE tenant_id = ${tenantId} ORDER BY id`,
  );

const PAGE = 200;

const Open = z.object({ id: z.uuid(), created_at: z.date() });

/** Returns the application's next connections to archive, after a position in the index. */
export const nextOpen = (
  db: Queryable,
  applicationId: string,
  after: Position | null,
): Promise<readonly z.infer<typeof Open>[]> =>
  db.any(sql.type(Open)`
    SELECT id, created_at FROM connections
    WHERE application_id = ${applicationId} AND state <> 'archived' AND ${pageOf({ limit: PAGE, after })}
  `);

/** Tables whose rows belong to a connection. `checks`, `held_starts` and `connection_findings` are deleted by cascade. */
const OF_CONNECTIONS = [
  'cutovers',
  'acme_orders',
  'acme_failures',
  'timeline',
  'events',
  'observations',
  'touches',
  'dns_ledger',
  'dns_displaced',
  'share_links',
  'batch_rows',
  'domain_connect_offers',
  'domain_connect_returns',
  'mail_observations',
  'issued_certificates',
  'certificates',
  'certificate_requests',
];

/** Deletes a few archived, cleaned-up connections with all rows. Returns the number. */
export const removeSome = (pool: Pool, applicationId: string, now: Date): Promise<number> =>
  pool.transaction(async (tx) => {
    const ids = await tx.anyFirst(sql.type(z.object({ id: z.uuid() }))`
      SELECT id FROM connections
      WHERE application_id = ${applicationId} AND state = 'archived' AND cleanup <> 'pending'
      ORDER BY created_at DESC, id DESC LIMIT ${PAGE} FOR UPDATE
    `);
    await removeConnections(tx, ids, now);
    return ids.length;
  });

/** Deletes locked, archived connections with all rows, but for the edges' tombstones. */
export async function removeConnections(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  const these = sql.array([...ids], 'uuid');
  const ofThese = sql.fragment`connection_id = ANY(${these})`;
  const events = sql.fragment`event_id IN (SELECT id FROM events WHERE ${ofThese})`;
  await removeDeliveries(tx, events);
  await tx.query(
    sql.type(none)`DELETE FROM outbox WHERE aggregate_kind = 'connection' AND aggregate_id = ANY(${these})`,
  );
  for (const table of OF_CONNECTIONS)
    await tx.query(sql.type(none)`DELETE FROM ${sql.identifier([table])} WHERE ${ofThese}`);
  await tx.query(sql.type(none)`UPDATE admissions SET removed_at = ${sql.timestamp(now)} WHERE ${ofThese}`);
  await tx.query(sql.type(none)`UPDATE connections SET companion_of = NULL WHERE companion_of = ANY(${these})`);
  await tx.query(sql.type(none)`DELETE FROM connections WHERE id = ANY(${these})`);
}

async function removeDeliveries(tx: Tx, which: Fragment): Promise<void> {
  const ids = await tx.anyFirst(sql.type(z.object({ id: z.uuid() }))`
    SELECT id FROM webhook_deliveries WHERE ${which}
  `);
  const these = sql.array([...ids], 'uuid');
  await tx.query(sql.type(none)`DELETE FROM webhook_attempts WHERE delivery_id = ANY(${these})`);
  await tx.query(sql.type(none)`DELETE FROM outbox WHERE aggregate_kind = 'delivery' AND aggregate_id = ANY(${these})`);
  await tx.query(sql.type(none)`DELETE FROM webhook_deliveries WHERE id = ANY(${these})`);
}

/** In the order of deletion. */
const OF_APPLICATIONS = [
  'edge_secrets',
  'webhook_endpoints',
  'batches',
  'credentials',
  'usage_counters',
  'active_domains',
  'connection_counts',
  'api_keys',
  'admission_origins',
];

/** Deletes the application. Returns false, without deleting, if a connection was created meanwhile. */
export async function removeApplication(tx: Tx, id: string): Promise<boolean> {
  // A transaction that creates a connection for it waits here, then finds no application.
  await tx.query(sql.type(none)`SELECT FROM applications WHERE id = ${id} FOR UPDATE`);
  const isInUse = await tx.exists(sql.type(none)`SELECT FROM connections WHERE application_id = ${id}`);
  if (isInUse) return false;
  const endpoints = sql.fragment`endpoint_id IN (SELECT id FROM webhook_endpoints WHERE application_id = ${id})`;
  await removeDeliveries(tx, endpoints);
  await tx.query(sql.type(none)`
    DELETE FROM batch_rows WHERE batch_id IN (SELECT id FROM batches WHERE application_id = ${id})
  `);
  // Events of a batch belong to no connection. An index finds them by tenant.
  await tx.query(sql.type(none)`
    DELETE FROM events USING applications
    WHERE applications.id = ${id} AND events.tenant_id = applications.tenant_id AND events.application_id = ${id}
  `);
  await lockCounts(tx);
  for (const table of OF_APPLICATIONS)
    await tx.query(sql.type(none)`DELETE FROM ${sql.identifier([table])} WHERE application_id = ${id}`);
  await tx.query(sql.type(none)`DELETE FROM applications WHERE id = ${id}`);
  return true;
}

const OF_TENANTS = [
  'sandbox_records',
  'idempotent_answers',
  'usage_counters',
  'active_domains',
  'metered_usage',
  'subscriptions',
  'cname_targets',
  'console_sessions',
];

/** Deletes a tenant without applications. The audit log stays, and certificate orders, which count towards limits. */
export async function removeTenant(tx: Tx, id: string): Promise<void> {
  await tx.query(sql.type(none)`UPDATE certificate_orders SET tenant_id = NULL WHERE tenant_id = ${id}`);
  for (const table of OF_TENANTS)
    await tx.query(sql.type(none)`DELETE FROM ${sql.identifier([table])} WHERE tenant_id = ${id}`);
  await tx.query(sql.type(none)`DELETE FROM tenants WHERE id = ${id}`);
}
