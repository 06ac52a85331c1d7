import { z } from 'zod';
import { PAID_STATUS } from '../../domain/billing/subscription.ts';
import { none, sql, type Fragment, type Queryable } from '../pool.ts';

const PlanRow = z.object({
  id: z.string(),
  name: z.string(),
  connects_per_period: z.number().nullable(),
  price_amount: z.number().nullable(),
  price_currency: z.string().nullable(),
  price_interval: z.string().nullable(),
  stripe_price_id: z.string().nullable(),
  features: z.array(z.string()),
});
export type PlanRow = z.infer<typeof PlanRow>;

const columns = sql.fragment`
  plans.id, plans.name, connects_per_period, price_amount, price_currency, price_interval, stripe_price_id, features
`;

export const listPlans = (db: Queryable): Promise<readonly PlanRow[]> =>
  db.any(sql.type(PlanRow)`SELECT ${columns} FROM plans ORDER BY position, id`);

export const findPlan = (db: Queryable, id: string): Promise<PlanRow | null> =>
  db.maybeOne(sql.type(PlanRow)`SELECT ${columns} FROM plans WHERE id = ${id}`);

/** Returns a plan that no other process changes until the transaction ends. */
export const lockPlan = (tx: Queryable, id: string): Promise<PlanRow | null> =>
  tx.maybeOne(sql.type(PlanRow)`SELECT ${columns} FROM plans WHERE id = ${id} FOR UPDATE`);

/** Saves limit and price. A changed limit applies to the tenants of the plan immediately. */
export async function updatePlan(
  tx: Queryable,
  { id, connects_per_period, price_amount, price_currency, price_interval, stripe_price_id }: PlanRow,
): Promise<void> {
  await tx.query(sql.type(none)`
    UPDATE plans SET connects_per_period = ${connects_per_period}, price_amount = ${price_amount},
      price_currency = ${price_currency}, price_interval = ${price_interval}, stripe_price_id = ${stripe_price_id}
    WHERE id = ${id}
  `);
}

/** The plan of a tenant as `plans`: the one that it pays for, or else its assigned one. */
export const planOf = (tenantId: Fragment): Fragment => sql.fragment`
  tenants
    LEFT JOIN subscriptions ON subscriptions.tenant_id = tenants.id
      AND subscriptions.status = ANY(${sql.array([...PAID_STATUS], 'text')})
    JOIN plans ON plans.id = coalesce(subscriptions.plan_id, tenants.plan_id)
  WHERE tenants.id = ${tenantId}`;

export const planOfTenant = (db: Queryable, tenantId: string): Promise<PlanRow> =>
  db.one(sql.type(PlanRow)`SELECT ${columns} FROM ${planOf(sql.fragment`${tenantId}`)}`);

/** Assigns a plan, which applies while the tenant pays for none. Returns false if the tenant does not exist. */
export async function setTenantPlan(db: Queryable, tenantId: string, planId: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.type(none)`UPDATE tenants SET plan_id = ${planId} WHERE id = ${tenantId}`);
  return rowCount > 0;
}
