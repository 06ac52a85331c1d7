import { openBilling, type Billing } from '../billing/stripe.ts';
import type { Config } from '../config.ts';

/** Returns the billing provider. Without a Stripe key nothing is sold, and everything else works. */
export const billingOf = (config: Config): Billing | null =>
  config.STRIPE_SECRET_KEY === undefined
    ? null
    : openBilling({
        secretKey: config.STRIPE_SECRET_KEY,
        webhookSecret: config.STRIPE_WEBHOOK_SECRET ?? null,
        apiUrl: config.STRIPE_API_URL ?? null,
        meters: config.STRIPE_METERS,
      });
