import Stripe from 'stripe';
import { beginReport, confirmReport, unreportedUsage, type Unreported } from '../db/billing/metered-usage.ts';
import type { Pool } from '../db/pool.ts';
import { periodAt, type Period, type UsageKind } from '../domain/billing/usage.ts';
import type { Billing } from './stripe.ts';

/**
 * Kinds of usage whose Stripe meter uses the last value. The meters of all other kinds add up their values.
 * `active_domain` is the month's highest number of domains in service.
 */
const LAST_VALUE: ReadonlySet<UsageKind> = new Set<UsageKind>(['active_domain']);
/** Maximum age of the events that we send. Stripe accepts 35 days. */
const MAX_AGE_MS = 30 * 86_400_000;

/**
 * Reports usage to Stripe's meters, and returns the number of reports. A report is saved before it is sent. A repeated
 * report has the same identifier, so Stripe counts it once.
 */
export async function reportMeters({ stripe, meters }: Billing, pool: Pool, now: Date): Promise<number> {
  let reported = 0;
  const lastMonth = periodAt(new Date(periodAt(now).start.getTime() - 1));
  for (const period of [lastMonth, periodAt(now)])
    for (const [kind, eventName] of meters)
      for (const usage of await unreportedUsage(pool, period, kind)) {
        const report = await beginReport(pool, usage, period, kind);
        if (report === null) continue;
        await send(stripe, eventName, kind, { ...usage, ...report }, timeIn(period, now));
        await confirmReport(pool, usage.tenant_id, period, kind, report.sending);
        reported++;
      }
  return reported;
}

/** Returns a time in the month of the usage or, if that is too long ago for Stripe, the earliest accepted time. */
const timeIn = ({ end }: Period, now: Date): Date =>
  new Date(Math.max(Math.min(now.getTime(), end.getTime() - 1_000), now.getTime() - MAX_AGE_MS));

/** Sends one report: `sending` is the month's usage so far, and `reported` is the part that Stripe already has. */
async function send(
  stripe: Stripe,
  event_name: string,
  kind: UsageKind,
  { tenant_id, customer_id, period, reported, sending }: Unreported & { reported: number; sending: number },
  at: Date,
): Promise<void> {
  const value = LAST_VALUE.has(kind) ? sending : sending - reported;
  const identifier = `${tenant_id}:${period}:${kind}:${reported}-${sending}`;
  try {
    await stripe.billing.meterEvents.create({
      event_name,
      identifier,
      payload: { stripe_customer_id: customer_id, value: String(value) },
      timestamp: Math.floor(at.getTime() / 1_000),
    });
  } catch (error) {
    // Whether Stripe already has the report, and only its response was lost.
    const isKnown =
      error instanceof Stripe.errors.StripeInvalidRequestError && /identifier|duplicate/i.test(error.message);
    if (!isKnown) throw error;
  }
}
