import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A subscription in Stripe's current API, where the items have the bounds of the period. */
export interface DoubleSubscription {
  id: string;
  object: 'subscription';
  customer: string;
  status: string;
  created: number;
  cancel_at_period_end: boolean;
  metadata: Record<string, string>;
  items: {
    object: 'list';
    data: { id: string; price: { id: string }; current_period_start: number; current_period_end: number }[];
  };
}
interface Session {
  id: string;
  object: 'checkout.session';
  customer: string;
  status: 'open' | 'complete' | 'expired';
  url: string;
  price: string;
}

export interface StripeCall {
  method: string;
  /** Path and query. */
  target: string;
  body: string;
}

/**
 * A double of Stripe. It stores objects, returns one answer per idempotency key, and signs its events as documented.
 */
export interface StripeDouble {
  url: string;
  webhookSecret: string;
  subscriptions: Map<string, DoubleSubscription>;
  sessions: Map<string, Session>;
  customers: string[];
  meterEvents: Map<string, { event_name: string; value: string; customer: string }>;
  /** Requests as method and path. */
  requests: string[];
  /** Complete requests, for other checks. */
  calls: StripeCall[];
  /** Pays in the checkout, as the customer. */
  pay(url: string): DoubleSubscription;
  /** Answers the next request to this path with this status, after its effect has happened. */
  failNext(path: RegExp, status: number): void;
  event(type: string, object: object, at?: Date): { body: string; signature: string };
  stop(): Promise<void>;
}

const id = (kind: string) => `${kind}_${randomBytes(8).toString('hex')}`;

export async function startStripeDouble(): Promise<StripeDouble> {
  const webhookSecret = `whsec_${randomBytes(16).toString('hex')}`;
  const subscriptions = new Map<string, DoubleSubscription>();
  const sessions = new Map<string, Session>();
  const customers: string[] = [];
  const meterEvents: StripeDouble['meterEvents'] = new Map();
  const answers = new Map<string, { status: number; body: object }>();
  const requests: string[] = [];
  const calls: StripeCall[] = [];
  let failure: { path: RegExp; status: number } | null = null;
  let created = 1_700_000_000;

  const list = (data: object[]) => ({ status: 200, body: { object: 'list', data, has_more: false } });
  const refused = (message: string) => ({ status: 400, body: { error: { type: 'invalid_request_error', message } } });

  function act(method: string, path: string, form: URLSearchParams): { status: number; body: object } {
    if (method === 'POST' && path === '/v1/customers') {
      customers.push(id('cus'));
      return { status: 200, body: { id: customers.at(-1), object: 'customer' } };
    }
    if (method === 'GET' && path === '/v1/subscriptions')
      return list([...subscriptions.values()].filter(({ customer }) => customer === form.get('customer')));
    const named = /^\/v1\/subscriptions\/(\w+)$/.exec(path)?.[1];
    const subscription = named === undefined ? undefined : subscriptions.get(named);
    if (subscription && method === 'POST') {
      const [item] = subscription.items.data;
      if (form.get('items[0][id]') !== item?.id) return refused('No such item.');
      item.price = { id: form.get('items[0][price]') ?? '' };
      subscription.cancel_at_period_end = form.get('cancel_at_period_end') === 'true';
      return { status: 200, body: subscription };
    }
    if (subscription && method === 'DELETE') {
      subscription.status = 'canceled';
      return { status: 200, body: subscription };
    }
    if (method === 'GET' && path === '/v1/checkout/sessions')
      return list([...sessions.values()].filter(({ customer, status }) => customer === form.get('customer') && status === form.get('status'))); // prettier-ignore
    const expired = /^\/v1\/checkout\/sessions\/(\w+)\/expire$/.exec(path)?.[1];
    if (expired !== undefined) {
      const session = sessions.get(expired);
      if (session?.status !== 'open') return refused('Only open sessions can be expired.');
      session.status = 'expired';
      return { status: 200, body: session };
    }
    if (method === 'POST' && path === '/v1/checkout/sessions') {
      const key = id('cs');
      const session: Session = { id: key, object: 'checkout.session', customer: form.get('customer') ?? '', status: 'open', url: `https://checkout.stripe.test/${key}`, price: form.get('line_items[0][price]') ?? '' }; // prettier-ignore
      sessions.set(key, session);
      return { status: 200, body: session };
    }
    if (method === 'POST' && path === '/v1/billing/meter_events') {
      const identifier = form.get('identifier') ?? '';
      if (meterEvents.has(identifier)) return refused(`An event already exists with identifier ${identifier}.`);
      meterEvents.set(identifier, { event_name: form.get('event_name') ?? '', value: form.get('payload[value]') ?? '', customer: form.get('payload[stripe_customer_id]') ?? '' }); // prettier-ignore
      return { status: 200, body: { object: 'billing.meter_event', identifier } };
    }
    return { status: 404, body: { error: { type: 'invalid_request_error', message: `No ${method} ${path}.` } } };
  }

  async function answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://double');
    const text = Buffer.concat((await request.toArray()) as Buffer[]).toString();
    requests.push(`${request.method ?? ''} ${pathname}`);
    calls.push({ method: request.method ?? '', target: request.url ?? '/', body: text });
    const key = request.method === 'POST' ? request.headers['idempotency-key'] : undefined;
    const known = typeof key === 'string' ? answers.get(key) : undefined;
    const made = known ?? act(request.method ?? '', pathname, request.method === 'POST' ? new URLSearchParams(text) : searchParams); // prettier-ignore
    if (typeof key === 'string' && made.status === 200) answers.set(key, structuredClone(made));
    if (failure?.path.test(pathname) === true) {
      const { status } = failure;
      failure = null;
      return { status, body: { error: { type: 'api_error', message: 'down' } } };
    }
    return made;
  }

  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json', 'stripe-should-retry': 'false' });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    webhookSecret,
    subscriptions,
    sessions,
    customers,
    meterEvents,
    requests,
    calls,
    pay(url) {
      const session = sessions.get(url.split('/').at(-1) ?? '');
      if (session?.status !== 'open') throw new Error('This checkout is not open.');
      session.status = 'complete';
      const start = 1_790_000_000;
      const subscription: DoubleSubscription = {
        id: id('sub'),
        object: 'subscription',
        customer: session.customer,
        status: 'active',
        created: created++,
        cancel_at_period_end: false,
        metadata: {},
        items: { object: 'list', data: [{ id: id('si'), price: { id: session.price }, current_period_start: start, current_period_end: start + 2_592_000 }] }, // prettier-ignore
      };
      subscriptions.set(subscription.id, subscription);
      return subscription;
    },
    failNext(path, status) {
      failure = { path, status };
    },
    event(type, object, at = new Date()) {
      const body = JSON.stringify({ id: id('evt'), object: 'event', type, data: { object } });
      const t = Math.floor(at.getTime() / 1_000);
      const v1 = createHmac('sha256', webhookSecret).update(`${t}.${body}`).digest('hex');
      return { body, signature: `t=${t},v1=${v1}` };
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
