import express, { type Router } from 'express';
import { customerOfEvent } from '../billing/stripe-events.ts';
import { refreshSubscription } from '../billing/subscriptions.ts';
import { asTenant } from '../db/pool.ts';
import { tenantOfCustomer } from '../db/billing/subscriptions.ts';
import { ServiceError } from '../domain/errors.ts';
import { run } from './body.ts';
import type { ApiDeps } from './deps.ts';
import { API_PREFIX } from './route.ts';

/** Paths of the webhook endpoint that the operator registers at Stripe, with and without the version. */
export const STRIPE_PATHS = [`${API_PREFIX}/webhooks/stripe`, '/webhooks/stripe'];

/** Receives subscription changes from Stripe. The signature covers the raw bytes, so it is verified before parsing. */
export function stripeWebhook({ billing, pool, log }: ApiDeps): Router {
  const router = express.Router();
  const raw = express.raw({ type: () => true, limit: '512kb' });
  router.post(STRIPE_PATHS, async (request, response) => {
    if (billing === null || billing.webhookSecret === null)
      throw new ServiceError('billing_unavailable', 'This service has no billing provider configured.');
    await run(raw, request, response);
    const body: unknown = request.body;
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    const customer = customerOfEvent(billing, billing.webhookSecret, bytes, request.get('stripe-signature'));
    const tenantId = customer === null ? null : await tenantOfCustomer(pool, customer);
    if (customer !== null && tenantId !== null)
      await refreshSubscription(billing, (inner) => asTenant(pool, tenantId, inner), tenantId, customer);
    else log.debug('A Stripe event concerns no tenant.');
    response.json({ received: true });
  });
  return router;
}
