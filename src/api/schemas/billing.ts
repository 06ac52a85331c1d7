import { z } from 'zod';
import { USAGE_KINDS } from '../../domain/billing/usage.ts';
import { GivenId, Timestamp } from './common.ts';

const PlanId = z.string().meta({ description: 'Plan, as in GET /plans.', example: 'growth' });

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
    period_start: Timestamp.meta({ description: 'Start of the period.', example: '2026-04-01T00:00:00.000Z' }),
    period_end: Timestamp.meta({ description: 'End of the period (exclusive).', example: '2026-05-01T00:00:00.000Z' }),
    plan: PlanId,
    data: z
      .array(
        z.object({
          kind: z.enum(USAGE_KINDS).meta({ description: 'What is counted.' }),
          quantity: z.int().meta({ description: 'Quantity that is billed.' }),
          counted: z.int().nullable().meta({
            description:
              'For `connect`, the number that counts against the limit of the plan. It includes real hostnames in the test environment, which are not billed. Null for other kinds.',
          }),
          limit: z.int().nullable().meta({ description: 'Limit of the whole tenant, or null.', example: 100 }),
        }),
      )
      .meta({ description: 'One entry for each kind.' }),
  })
  .meta({ id: 'Usage' });

export const PlanList = z.object({
  data: z
    .array(
      z
        .object({
          id: PlanId,
          name: z.string().meta({ description: 'Name of the plan.', example: 'Growth' }),
          price: z
            .object({
              amount: z.int().meta({ description: "Amount in the currency's smallest unit." }),
              currency: z.string().meta({ description: 'Currency code of three small letters.' }),
              interval: z.string().meta({ description: '`month` or `year`.' }),
            })
            .meta({ example: { amount: 2_900, currency: 'eur', interval: 'month' } })
            .nullable()
            .meta({ description: "Price in the currency's smallest unit. Null if the plan has no public price." }),
          limits: z
            .object({
              connects_per_period: z
                .int()
                .nullable()
                .meta({ description: 'New connections in a month. Null: no limit.', example: 100 }),
            })
            .meta({ description: 'Limits of the plan.' }),
          features: z.array(z.string()).meta({ description: 'Features for your price page.', example: [] }),
        })
        .meta({ id: 'Plan' }),
    )
    .meta({ description: 'Every plan, smallest first.' }),
});

const subscription = {
  id: z.string().nullable().meta({
    description: 'Id of the subscription at the billing provider. Null without a subscription.',
    example: 'sub_1QXa2b3c4d5e6f',
  }),
  plan: PlanId,
  status: z.string().meta({ description: 'Status at the billing provider, or `active`.', example: 'active' }),
  current_period_start: Timestamp.nullable().meta({ description: 'Start of the paid period, or null.' }),
  current_period_end: Timestamp.nullable().meta({ description: 'End of the paid period, or null.' }),
  cancel_at_period_end: z.boolean().meta({ description: 'Whether the subscription ends with the period.' }),
};

export const Subscription = z.object(subscription).meta({ id: 'Subscription' });

const WebAddress = z.url({ protocol: /^https?$/ }).max(2_000);

export const ChooseSubscription = z.strictObject({
  plan: z.string().min(1).max(50).meta({ description: 'Plan to subscribe to, as in GET /plans.', example: 'growth' }),
  success_url: WebAddress.meta({
    description: 'Page for the customer after the payment.',
    example: 'https://app.example.com/billing/done',
  }).exactOptional(),
  cancel_url: WebAddress.meta({
    description: 'Page for the customer who cancels.',
    example: 'https://app.example.com/billing',
  }).exactOptional(),
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
