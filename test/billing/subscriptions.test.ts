import { reportMeters } from '../../src/billing/meters.ts';
import { openBilling, type Billing } from '../../src/billing/stripe.ts';
import { none, sql } from '../../src/db/pool.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { ApiUser } from '../support/fixtures/api-user.ts';
import { startStripeDouble, type DoubleSubscription, type StripeDouble } from '../support/doubles/stripe-double.ts';
import { startStripeMock } from './stripe-mock.ts';

let stripe: StripeDouble;
let billing: Billing;
let api: TestApi;
beforeAll(async () => {
  stripe = await startStripeDouble();
  const meters = new Map([['connect', 'domain_connects'], ['active_domain', 'domains']] as const); // prettier-ignore
  billing = openBilling({
    secretKey: 'sk_test_double',
    webhookSecret: stripe.webhookSecret,
    apiUrl: stripe.url,
    meters,
  });
  api = await startTestApi({ billing });
  for (const plan of ['starter', 'growth'])
    await api.deps.pool.query(sql.type(none)`UPDATE plans SET stripe_price_id = ${`price_${plan}`} WHERE id = ${plan}`);
});
afterAll(async () => {
  await api.stop();
  await stripe.stop();
});

async function someTenant(): Promise<{ tenant: NewTenant; user: ApiUser }> {
  const tenant = await api.tenant();
  await api.deps.pool.query(sql.type(none)`UPDATE tenants SET plan_id = 'free' WHERE id = ${tenant.tenant_id}`);
  return { tenant, user: new ApiUser(api.baseUrl, tenant.live) };
}

const choose = (user: ApiUser, plan: string) => user.call('POST', '/subscriptions', { plan });
const current = async (user: ApiUser) => (await user.call('GET', '/subscriptions')).body;

interface EventOptions {
  at?: Date;
  /** Replaces the event's own signature, or is computed from it. */
  signature?: string | ((own: string) => string);
}
async function sendEvent(type: string, object: object, { signature, at }: EventOptions = {}) {
  const event = stripe.event(type, object, at);
  const sent = typeof signature === 'function' ? signature(event.signature) : (signature ?? event.signature);
  const response = await fetch(`${api.baseUrl}/v1/webhooks/stripe`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': sent },
    body: event.body,
  });
  return response.status;
}

/** Creates a paid subscription that the service knows of. */
async function paid(user: ApiUser, plan = 'starter'): Promise<DoubleSubscription> {
  const { status, body } = await choose(user, plan);
  expect(status).toBe(201);
  const subscription = stripe.pay(String(body['checkout_url']));
  expect(await sendEvent('checkout.session.completed', { customer: subscription.customer })).toBe(200);
  return subscription;
}

test('without a subscription the tenant has its assigned plan', async () => {
  const { user } = await someTenant();
  expect(await current(user)).toEqual({
    id: null,
    plan: 'free',
    status: 'active',
    current_period_start: null,
    current_period_end: null,
    cancel_at_period_end: false,
  });
});

test('a paid checkout changes the plan, with the period of its item', async () => {
  const { user } = await someTenant();
  const subscription = await paid(user);
  expect(await current(user)).toMatchObject({
    id: subscription.id,
    plan: 'starter',
    status: 'active',
    current_period_start: new Date(1_790_000_000_000).toISOString(),
  });
});

test('choosing a plan changes an existing subscription, and opens no second checkout', async () => {
  const { user } = await someTenant();
  const subscription = await paid(user);
  const { status, body } = await choose(user, 'growth');

  expect(status).toBe(201);
  expect(body).toMatchObject({ id: subscription.id, plan: 'growth', checkout_url: null });
  expect([...stripe.subscriptions.values()].filter(({ customer }) => customer === subscription.customer)).toHaveLength(
    1,
  );
});

test('a tenant that has just paid gets no second checkout, even before the webhook arrives', async () => {
  const { user } = await someTenant();
  const { body } = await choose(user, 'starter');
  stripe.pay(String(body['checkout_url']));
  expect((await choose(user, 'growth')).body).toMatchObject({ plan: 'growth', checkout_url: null });
});

test('a new checkout expires the open ones, also when two are requested at the same time', async () => {
  const { user } = await someTenant();
  const answers = await Promise.all([1, 2, 3, 4].map(() => choose(user, 'starter')));
  expect(answers.map(({ status }) => status).every((status) => status === 201 || status === 503)).toBe(true);
  const last = await choose(user, 'starter');
  const { customer } = [...stripe.sessions.values()].find(({ url }) => url === last.body['checkout_url'])!;
  const open = [...stripe.sessions.values()].filter((one) => one.customer === customer && one.status === 'open');
  expect(open).toHaveLength(1);
});

test('events in any order and repeated end in the state at Stripe', async () => {
  const { user } = await someTenant();
  const subscription = await paid(user);
  const stale = structuredClone(subscription);
  subscription.status = 'past_due';
  expect(await sendEvent('invoice.payment_failed', { customer: subscription.customer })).toBe(200);
  expect(await current(user)).toMatchObject({ plan: 'starter', status: 'past_due' });

  subscription.status = 'canceled';
  await Promise.all([
    sendEvent('customer.subscription.deleted', subscription),
    sendEvent('customer.subscription.updated', stale),
    sendEvent('customer.subscription.deleted', subscription),
  ]);
  await sendEvent('customer.subscription.created', stale);
  expect(await current(user)).toMatchObject({ plan: 'free', status: 'canceled' });

  expect((await choose(user, 'starter')).body['checkout_url']).toMatch(/^https:/);
});

test('a cancellation keeps the plan until the end of the period, and choosing a plan reverts it', async () => {
  const { user } = await someTenant();
  const subscription = await paid(user);
  subscription.cancel_at_period_end = true;
  await sendEvent('customer.subscription.updated', subscription);
  expect(await current(user)).toMatchObject({ plan: 'starter', cancel_at_period_end: true });
  expect((await choose(user, 'starter')).body).toMatchObject({ plan: 'starter', cancel_at_period_end: false });
});

test('an event without a valid, recent signature is refused', async () => {
  const { user } = await someTenant();
  const subscription = await paid(user);
  subscription.status = 'canceled';
  const before = stripe.requests.length;
  for (const signature of ['', 'nonsense', 't=1,v1=00', `t=${Math.floor(Date.now() / 1_000)},v1=${'0'.repeat(64)}`])
    expect(await sendEvent('customer.subscription.deleted', subscription, { signature })).toBe(400);
  expect(await sendEvent('customer.subscription.deleted', subscription, { at: new Date(Date.now() - 3_600_000) })).toBe(
    400,
  );
  expect(stripe.requests.length).toBe(before);
  expect(await current(user)).toMatchObject({ status: 'active' });
});

test('a-key-must-go.md: while two secrets overlap, Stripe signs with both, and we may know either', async () => {
  const { user } = await someTenant();
  const subscription = await paid(user);
  const ofTheOtherSecret = `v1=${'0'.repeat(64)}`;
  for (const signature of [
    (own: string) => `${own},${ofTheOtherSecret}`,
    (own: string) => own.replace(',', `,${ofTheOtherSecret},`),
  ])
    expect(await sendEvent('customer.subscription.updated', subscription, { signature })).toBe(200);
});

test('an event fails if Stripe does not answer about its subscription, so that Stripe sends it again', async () => {
  const { user } = await someTenant();
  const subscription = await paid(user);
  stripe.failNext(/subscriptions/, 500);
  expect(await sendEvent('customer.subscription.updated', subscription)).toBe(502);
  expect(await sendEvent('customer.subscription.updated', { customer: 'cus_of_nobody' })).toBe(200);
});

test('unknown plans, plans that are not for sale, test keys, and all plans without Stripe are refused', async () => {
  const { tenant, user } = await someTenant();
  expect((await choose(user, 'golden')).status).toBe(400);
  expect((await choose(user, 'scale')).status).toBe(400);
  expect((await choose(new ApiUser(api.baseUrl, tenant.test), 'starter')).status).toBe(403);
  const bare = await startTestApi({ databaseUrl: api.databaseUrl });
  try {
    const { status, body } = await choose(new ApiUser(bare.baseUrl, tenant.live), 'starter');
    expect({ status, body }).toMatchObject({ status: 502, body: { error: { code: 'billing_unavailable' } } });
  } finally {
    await bare.stop();
  }
});

test('each use is reported to the meters once, even if an answer is lost', async () => {
  const { tenant, user } = await someTenant();
  await paid(user);
  const connect = async (name: string) => user.connect(`${name}.meter-${tenant.tenant_id.slice(-8)}.com`);
  const now = new Date();
  const reported = () =>
    [...stripe.meterEvents.values()]
      .filter(({ event_name }) => event_name === 'domain_connects')
      .map(({ value }) => value);

  await connect('one');
  await connect('two');
  stripe.failNext(/meter_events/, 500);
  await expect(reportMeters(billing, api.deps.pool, now)).rejects.toThrow();
  await connect('three');
  await reportMeters(billing, api.deps.pool, now);
  await reportMeters(billing, api.deps.pool, now);
  await reportMeters(billing, api.deps.pool, now);
  expect(reported()).toEqual(['2', '1']);
});

test("Stripe's own mock accepts every request of the tests above, and refuses one with an unknown field", async () => {
  const mock = await startStripeMock();
  try {
    const kinds = new Set(stripe.calls.map(({ method, target }) => `${method} ${target.replace(/[?].*|_\w+/g, '')}`));
    expect(kinds.size).toBeGreaterThanOrEqual(7);
    expect(new Set(await Promise.all(stripe.calls.map((call) => mock.judge(call))))).toEqual(new Set(['ok']));
    expect(await mock.judge({ method: 'POST', target: '/v1/customers', body: 'plan=starter' })).toContain(
      'not allowed',
    );
  } finally {
    await mock.stop();
  }
});
