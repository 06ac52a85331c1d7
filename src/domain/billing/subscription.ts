/** States of a subscription, in Stripe's words, in which its plan counts. Late payment is for Stripe to chase meanwhile. */
export const PAID_STATUS: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due']);

/** Those that can still be changed, so that no second one must be bought beside them. */
export const OPEN_STATUS: ReadonlySet<string> = new Set([...PAID_STATUS, 'unpaid', 'paused']);
