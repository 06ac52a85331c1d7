import { choosePlan } from '../../billing/subscriptions.ts';
import { getApplication } from '../../db/tenant/applications.ts';
import { findPlan, listPlans, planOfTenant, type PlanRow } from '../../db/billing/plans.ts';
import { findSubscription } from '../../db/billing/subscriptions.ts';
import type { Tx } from '../../db/pool.ts';
import { readUsage } from '../../db/billing/usage.ts';
import { invalid, ServiceError } from '../../domain/errors.ts';
import { periodAt, periodNamed, USAGE_KINDS } from '../../domain/billing/usage.ts';
import { reachApplication } from '../caller.ts';
import { route } from '../route.ts';
import {
  ChooseSubscription,
  PlanList,
  Subscription,
  SubscriptionChosen,
  Usage,
  UsageQuery,
} from '../schemas/billing.ts';

const usage = route({
  method: 'get',
  path: '/usage',
  summary: 'Retrieve the usage of a month, and the limits of the plan',
  needs: ['usage:read', 'connections:read'],
  query: UsageQuery,
  replies: { 200: Usage },
  errors: ['not_found'],
  async handle({ caller, query, tx, now }) {
    const { tenantId } = caller;
    const application =
      query.application_id === undefined
        ? null
        : reachApplication(caller, await getApplication(tx, query.application_id));
    const period = query.period === undefined ? periodAt(now) : periodNamed(query.period);
    const plan = await planOfTenant(tx, tenantId);
    const used = await readUsage(tx, { tenantId, applicationId: application?.id ?? null, period, now });
    return {
      status: 200,
      body: {
        period_start: period.start.toISOString(),
        period_end: period.end.toISOString(),
        plan: plan.id,
        data: USAGE_KINDS.map((kind) => ({
          kind,
          quantity: used[kind],
          counted: kind === 'connect' ? used.connect + used.test_connect : null,
          limit: kind === 'connect' ? plan.connects_per_period : null,
        })),
      },
    };
  },
});

const plans = route({
  method: 'get',
  path: '/plans',
  summary: 'List plans',
  needs: [],
  replies: { 200: PlanList },
  errors: [],
  async handle({ tx }) {
    return { status: 200, body: { data: (await listPlans(tx)).map(presentPlan) } };
  },
});

const read = route({
  method: 'get',
  path: '/subscriptions',
  summary: "Retrieve the tenant's plan and subscription",
  needs: ['apps:admin'],
  replies: { 200: Subscription },
  errors: [],
  async handle({ caller, tx }) {
    return { status: 200, body: await presentSubscription(tx, caller.tenantId) };
  },
});

const choose = route({
  method: 'post',
  path: '/subscriptions',
  summary: 'Choose a plan. Changes the existing subscription, or opens a checkout for the first one.',
  needs: ['apps:admin'],
  idempotent: { secrets: [] },
  audit: 'subscription.chosen',
  body: ChooseSubscription,
  replies: { 201: SubscriptionChosen },
  errors: ['billing_unavailable', 'provider_error', 'unavailable'],
  async prepare({ caller, body, deps, inTransaction }) {
    if (caller.environment !== 'live')
      throw new ServiceError('forbidden', 'Only a live key can change the subscription.');
    const plan = await inTransaction((tx) => findPlan(tx, body.plan));
    if (plan === null) throw unknownPlan(await inTransaction((tx) => listPlans(tx)));
    if (deps.billing === null)
      throw new ServiceError('billing_unavailable', 'This service has no billing provider configured.');
    const { stripe_price_id } = plan;
    if (stripe_price_id === null) throw badPlan(`The plan ${plan.id} is not for sale.`);
    return choosePlan(deps.billing, inTransaction, {
      tenantId: caller.tenantId,
      plan: { ...plan, stripe_price_id },
      successUrl: body.success_url ?? deps.upgradeUrl,
      cancelUrl: body.cancel_url ?? deps.upgradeUrl,
    });
  },
  async handle({ caller, tx, prepared: checkout_url }) {
    const body = { ...(await presentSubscription(tx, caller.tenantId)), checkout_url };
    return { status: 201, body, audited: { id: caller.tenantId, environment: 'live' } };
  },
});

export const billingRoutes = [usage, plans, read, choose];

const badPlan = (message: string) => invalid([{ path: 'body.plan', code: 'plan', message: `body.plan: ${message}` }]);

const unknownPlan = (known: readonly PlanRow[]) => badPlan(`must be one of ${known.map(({ id }) => id).join(', ')}.`);

const presentPlan = (plan: PlanRow) => ({
  id: plan.id,
  name: plan.name,
  price:
    plan.price_amount === null
      ? null
      : { amount: plan.price_amount, currency: plan.price_currency, interval: plan.price_interval },
  limits: { connects_per_period: plan.connects_per_period },
  features: plan.features,
});

/** Without a subscription, the tenant has the plan that the operator assigned, and it does not expire. */
async function presentSubscription(tx: Tx, tenantId: string) {
  const plan = await planOfTenant(tx, tenantId);
  const row = await findSubscription(tx, tenantId);
  return {
    id: row?.subscription_id ?? null,
    plan: plan.id,
    status: row?.status ?? 'active',
    current_period_start: row?.current_period_start?.toISOString() ?? null,
    current_period_end: row?.current_period_end?.toISOString() ?? null,
    cancel_at_period_end: row?.cancel_at_period_end ?? false,
  };
}
