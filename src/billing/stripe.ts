import Stripe from 'stripe';
import { ServiceError } from '../domain/errors.ts';
import type { UsageKind } from '../domain/billing/usage.ts';

/** The billing provider, where one is configured. */
export interface Billing {
  stripe: Stripe;
  /** What Stripe signs its events with; without it none is believed. */
  webhookSecret: string | null;
  /** The names of the meter events under which usage is told to Stripe. */
  meters: ReadonlyMap<UsageKind, string>;
}

export interface BillingSettings {
  secretKey: string;
  webhookSecret: string | null;
  /** Where Stripe is reached, for doubles and proxies. */
  apiUrl: string | null;
  meters: ReadonlyMap<UsageKind, string>;
}

export function openBilling({ secretKey, webhookSecret, apiUrl, meters }: BillingSettings): Billing {
  const at = apiUrl === null ? null : new URL(apiUrl);
  const stripe = new Stripe(secretKey, {
    telemetry: false,
    maxNetworkRetries: 2,
    timeout: 10_000,
    ...(at && {
      host: at.hostname,
      port: at.port || (at.protocol === 'http:' ? 80 : 443),
      protocol: at.protocol === 'http:' ? ('http' as const) : ('https' as const),
    }),
  });
  return { stripe, webhookSecret, meters };
}

/** What Stripe refuses or cannot answer, in words that hold no secret. */
export async function asked<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError)
      throw new ServiceError('provider_error', 'The billing provider did not accept this. Try again later.', {
        details: { code: error.code ?? error.type },
        cause: error,
        retryAfterSeconds: 5,
      });
    throw error;
  }
}
