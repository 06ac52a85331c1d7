/** Stripe's subscription statuses in which the plan applies. Stripe collects late payments meanwhile. */
export const PAID_STATUS: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due']);

/** Statuses in which a subscription can still be changed, so the tenant need not buy a second one. */
export const OPEN_STATUS: ReadonlySet<string> = new Set([...PAID_STATUS, 'unpaid', 'paused']);
