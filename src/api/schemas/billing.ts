import { z } from 'zod';
import { USAGE_KINDS } from '../../domain/billing/usage.ts';
import { GivenId, Timestamp } from './common.ts';

const PlanId = z.string().meta({ example: 'growth' });

export const UsageQuery = z.strictObject({
  period: z
    .string()
    .regex(/^(19|20|21)\d\d-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-11')
    .optional()
    .meta({ description: 'Month in UTC, as YYYY-MM. Defaults to the current month.' }),
  application_id: GivenId.optional().meta({ description: 'Defaults to all applications of the tenant.' }),
});

export const Usage = z
  .object({
    period_start: Timestamp.meta({ example: '2026-04-01T00:00:00.000Z' }),
    period_end: Timestamp.meta({ description: 'End of the period (exclusive).', example: '2026-05-01T00:00:00.000Z' }),
    plan: PlanId,
    data: z.array(
      z.object({
        kind: z.enum(USAGE_KINDS),
        quantity: z.int(),
        counted: z.int().nullable().meta({
          description:
            'For `connect`, the number that counts against the limit of the plan. It includes real hostnames in the test environment, which are not billed. Null for other kinds.',
        }),
        limit: z.int().nullable().meta({ description: 'Limit of the whole tenant, or null.', example: 100 }),
      }),
    ),
  })
  .meta({ id: 'Usage' });

export const PlanList = z.object({
  data: z.array(
    z
      .object({
        id: PlanId,
        name: z.string().meta({ example: 'Growth' }),
        price: z
          .object({ amount: z.int(), currency: z.string(), interval: z.string() })
          .meta({ example: { amount: 2_900, currency: 'eur', interval: 'month' } })
          .nullable()
          .meta({ description: "Price in the currency's smallest unit. Null if the plan has no public price." }),
        limits: z.object({ connects_per_period: z.int().nullable().meta({ example: 100 }) }),
        features: z.array(z.string()).meta({ example: [] }),
      })
      .meta({ id: 'Plan' }),
  ),
});

const subscription = {
  id: z.string().nullable().meta({
    description: 'Id of the subscription at the billing provider. Null without a subscription.',
    example: 'sub_1QXa2b3c4d5e6f',
  }),
  plan: PlanId,
  status: z.string().meta({ description: 'Status at the billing provider, or `active`.', example: 'active' }),
  current_period_start: Timestamp.nullable(),
  current_period_end: Timestamp.nullable(),
  cancel_at_period_end: z.boolean(),
};

export const Subscription = z.object(subscription).meta({ id: 'Subscription' });

const WebAddress = z.url({ protocol: /^https?$/ }).max(2_000);

export const ChooseSubscription = z.strictObject({
  plan: z.string().min(1).max(50).meta({ example: 'growth' }),
  success_url: WebAddress.meta({ example: 'https://app.example.com/billing/done' }).exactOptional(),
  cancel_url: WebAddress.meta({ example: 'https://app.example.com/billing' }).exactOptional(),
});

export const SubscriptionChosen = z
  .object({
    ...subscription,
    checkout_url: z.string().nullable().meta({
      description: 'Checkout page for the first payment. Null if an existing subscription was changed.',
      example: 'https://checkout.stripe.com/c/pay/cs_live_a1b2',
    }),
  })
  .meta({ id: 'SubscriptionChosen' });
