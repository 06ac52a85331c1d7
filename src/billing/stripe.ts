import Stripe from 'stripe';
import { ServiceError } from '../domain/errors.ts';
import type { UsageKind } from '../domain/billing/usage.ts';

/** The billing provider, if one is configured. */
export interface Billing {
  stripe: Stripe;
  /** Secret with which Stripe signs its events. Without it, all events are refused. */
  webhookSecret: string | null;
  meters: ReadonlyMap<UsageKind, string>;
}

export interface BillingSettings {
  secretKey: string;
  webhookSecret: string | null;
  /** Stripe's URL, for doubles and proxies. */
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

/** Converts Stripe's errors to messages without secrets. */
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
