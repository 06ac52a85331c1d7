import { z } from 'zod';
import { none, sql, timestampOrNull, type Queryable } from '../pool.ts';

const SubscriptionRow = z.object({
  tenant_id: z.uuid(),
  customer_id: z.string(),
  subscription_id: z.string().nullable(),
  plan_id: z.string().nullable(),
  status: z.string().nullable(),
  current_period_start: z.date().nullable(),
  current_period_end: z.date().nullable(),
  cancel_at_period_end: z.boolean(),
});
export type SubscriptionRow = z.infer<typeof SubscriptionRow>;

export const findSubscription = (db: Queryable, tenantId: string): Promise<SubscriptionRow | null> =>
  db.maybeOne(sql.type(SubscriptionRow)`
    SELECT tenant_id, customer_id, subscription_id, plan_id, status, current_period_start, current_period_end,
      cancel_at_period_end
    FROM subscriptions WHERE tenant_id = ${tenantId}
  `);

/** Saves the tenant's Stripe customer. If another request has saved one first, that one stays and is returned. */
export async function keepCustomer(db: Queryable, tenantId: string, customerId: string): Promise<string> {
  await db.query(sql.type(none)`
    INSERT INTO subscriptions (tenant_id, customer_id) VALUES (${tenantId}, ${customerId}) ON CONFLICT DO NOTHING
  `);
  return db.oneFirst(sql.type(z.object({ customer_id: z.string() }))`
    SELECT customer_id FROM subscriptions WHERE tenant_id = ${tenantId}
  `);
}

/** Returns the database's time, which all processes share. A later read from Stripe is at least as new. */
export const timeOfReading = (db: Queryable): Promise<Date> =>
  db.oneFirst(sql.type(z.object({ at: z.date() }))`SELECT clock_timestamp() AS at`);

export const planOfPrice = (db: Queryable, priceId: string): Promise<string | null> =>
  db.maybeOneFirst(sql.type(z.object({ id: z.string() }))`SELECT id FROM plans WHERE stripe_price_id = ${priceId}`);

/** Saves a subscription, unless the stored one was read later. */
export async function storeSubscription(
  db: Queryable,
  tenantId: string,
  readAt: Date,
  read: Omit<SubscriptionRow, 'tenant_id' | 'customer_id'>,
): Promise<void> {
  await db.query(sql.type(none)`
    UPDATE subscriptions SET
      subscription_id = ${read.subscription_id},
      plan_id = ${read.plan_id},
      status = ${read.status},
      current_period_start = ${timestampOrNull(read.current_period_start)},
      current_period_end = ${timestampOrNull(read.current_period_end)},
      cancel_at_period_end = ${read.cancel_at_period_end},
      read_at = ${sql.timestamp(readAt)}
    WHERE tenant_id = ${tenantId} AND read_at <= ${sql.timestamp(readAt)}
  `);
}

/** Whether this request may change the tenant's subscription now. The right expires, in case the request dies. */
export async function takeChange(db: Queryable, tenantId: string, ms: number): Promise<boolean> {
  const { rowCount } = await db.query(sql.type(none)`
    UPDATE subscriptions SET busy_until = clock_timestamp() + ${ms} * interval '1 millisecond'
    WHERE tenant_id = ${tenantId} AND busy_until < clock_timestamp()
  `);
  return rowCount > 0;
}

export async function endChange(db: Queryable, tenantId: string): Promise<void> {
  await db.query(sql.type(none)`UPDATE subscriptions SET busy_until = '-infinity' WHERE tenant_id = ${tenantId}`);
}

/** Returns the tenant of a Stripe customer, because Stripe's events do not name our tenants. */
export const tenantOfCustomer = (db: Queryable, customerId: string): Promise<string | null> =>
  db.oneFirst(sql.type(z.object({ tenant: z.uuid().nullable() }))`SELECT tenant_of_customer(${customerId}) AS tenant`);
