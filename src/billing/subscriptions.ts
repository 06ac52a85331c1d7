import type Stripe from 'stripe';
import type { PlanRow } from '../db/billing/plans.ts';
import {
  endChange,
  findSubscription,
  keepCustomer,
  planOfPrice,
  storeSubscription,
  takeChange,
  timeOfReading,
} from '../db/billing/subscriptions.ts';
import type { Tx } from '../db/pool.ts';
import { ServiceError } from '../domain/errors.ts';
import { OPEN_STATUS } from '../domain/billing/subscription.ts';
import { asked, type Billing } from './stripe.ts';

/** Runs a transaction that sees only the rows of one tenant. */
export type InTenant = <T>(body: (tx: Tx) => Promise<T>) => Promise<T>;

/** Time for which a request alone may change a subscription. The request's calls to Stripe take less time. */
const CHANGE_MS = 60_000;

/**
 * Reads a tenant's subscription from Stripe and saves it, unless a later read is saved already. Events cause a read
 * because they may arrive in any order, and a read returns the current state.
 */
export async function refreshSubscription(
  { stripe }: Billing,
  inTenant: InTenant,
  tenantId: string,
  customerId: string,
): Promise<Stripe.Subscription | null> {
  const readAt = await inTenant((tx) => timeOfReading(tx));
  // `asked` converts Stripe's errors to messages without secrets.
  const { data } = await asked(() => stripe.subscriptions.list({ customer: customerId, status: 'all', limit: 100 }));
  const current = currentOf(data);
  if (current !== null) await save(inTenant, tenantId, current, readAt);
  return current;
}

/** Returns the newest subscription that can still be changed; if there is none, the newest of all. */
function currentOf(all: readonly Stripe.Subscription[]): Stripe.Subscription | null {
  const newestFirst = all.toSorted((a, b) => b.created - a.created);
  return newestFirst.find(({ status }) => OPEN_STATUS.has(status)) ?? newestFirst[0] ?? null;
}

const save = (inTenant: InTenant, tenantId: string, subscription: Stripe.Subscription, readAt: Date): Promise<void> =>
  inTenant(async (tx) => {
    // The items hold the period; our subscriptions have one item.
    const [item] = subscription.items.data;
    await storeSubscription(tx, tenantId, readAt, {
      subscription_id: subscription.id,
      plan_id: item === undefined ? null : await planOfPrice(tx, item.price.id),
      status: subscription.status,
      current_period_start: item === undefined ? null : new Date(item.current_period_start * 1_000),
      current_period_end: item === undefined ? null : new Date(item.current_period_end * 1_000),
      cancel_at_period_end: subscription.cancel_at_period_end,
    });
  });

export interface PlanChoice {
  tenantId: string;
  plan: PlanRow & { stripe_price_id: string };
  successUrl: string;
  cancelUrl: string;
}

/**
 * Changes the plan of a subscription and returns null; without a subscription, returns the URL of a Stripe checkout. A
 * tenant has at most one such request and one open checkout at a time, so no tenant pays twice.
 */
export async function choosePlan(billing: Billing, inTenant: InTenant, choice: PlanChoice): Promise<string | null> {
  const { stripe } = billing;
  const { tenantId, plan } = choice;
  const customerId = await customerOf(billing, inTenant, tenantId);
  if (!(await inTenant((tx) => takeChange(tx, tenantId, CHANGE_MS))))
    throw new ServiceError('unavailable', 'Another request is changing this subscription. Try again.', {
      retryAfterSeconds: 2,
    });
  try {
    const current = await refreshSubscription(billing, inTenant, tenantId, customerId);
    if (current !== null && OPEN_STATUS.has(current.status)) {
      await changePrice(billing, current, plan.stripe_price_id);
      await refreshSubscription(billing, inTenant, tenantId, customerId);
      return null;
    }
    // An incomplete subscription waits for its first payment. The tenant must not pay for two subscriptions.
    if (current?.status === 'incomplete') await asked(() => stripe.subscriptions.cancel(current.id));
    return await openCheckout(billing, customerId, choice);
  } finally {
    await inTenant((tx) => endChange(tx, tenantId));
  }
}

async function customerOf({ stripe }: Billing, inTenant: InTenant, tenantId: string): Promise<string> {
  const known = await inTenant((tx) => findSubscription(tx, tenantId));
  if (known !== null) return known.customer_id;
  const { id } = await asked(() =>
    stripe.customers.create({ metadata: { tenant_id: tenantId } }, { idempotencyKey: `customer-${tenantId}` }),
  );
  return inTenant((tx) => keepCustomer(tx, tenantId, id));
}

async function changePrice({ stripe }: Billing, current: Stripe.Subscription, price: string): Promise<void> {
  const [item] = current.items.data;
  if (item === undefined) throw new ServiceError('provider_error', 'The subscription at Stripe has no item to change.');
  if (item.price.id === price && !current.cancel_at_period_end) return;
  await asked(() =>
    stripe.subscriptions.update(current.id, {
      items: [{ id: item.id, price }],
      cancel_at_period_end: false,
      proration_behavior: 'create_prorations',
    }),
  );
}

async function openCheckout({ stripe }: Billing, customer: string, choice: PlanChoice): Promise<string> {
  const { data: sessions } = await asked(() => stripe.checkout.sessions.list({ customer, status: 'open', limit: 100 }));
  for (const { id } of sessions) await asked(() => stripe.checkout.sessions.expire(id));
  const { url } = await asked(() =>
    stripe.checkout.sessions.create({
      mode: 'subscription',
      customer,
      client_reference_id: choice.tenantId,
      line_items: [{ price: choice.plan.stripe_price_id, quantity: 1 }],
      subscription_data: { metadata: { tenant_id: choice.tenantId } },
      success_url: choice.successUrl,
      cancel_url: choice.cancelUrl,
    }),
  );
  if (url === null) throw new ServiceError('provider_error', 'Stripe opened a checkout without an address.');
  return url;
}
