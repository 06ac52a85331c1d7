import Stripe from 'stripe';
import { invalid } from '../domain/errors.ts';
import type { Billing } from './stripe.ts';

/** Events after which a customer's subscription may have changed. */
const SUBSCRIPTION_EVENTS = /^(customer\.subscription\.|checkout\.session\.|invoice\.)/;

/** Returns the customer of a signed event; null if it concerns no subscription. Unsigned events are refused. */
export function customerOfEvent(
  { stripe }: Billing,
  webhookSecret: string,
  body: Buffer,
  signature: string | undefined,
): string | null {
  const event = verifiedEvent(stripe, webhookSecret, body, signature);
  if (!SUBSCRIPTION_EVENTS.test(event.type)) return null;
  const { customer } = event.data.object as { customer?: string | { id: string } | null };
  return typeof customer === 'object' ? (customer?.id ?? null) : (customer ?? null);
}

function verifiedEvent(stripe: Stripe, secret: string, body: Buffer, signature: string | undefined): Stripe.Event {
  try {
    return stripe.webhooks.constructEvent(body, signature ?? '', secret);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeSignatureVerificationError) && !(error instanceof SyntaxError))
      throw error;
    const message = "The body is not signed with this endpoint's secret, or was signed too long ago.";
    throw invalid([{ path: 'header.stripe-signature', code: 'signature', message }]);
  }
}
