import { z } from 'zod';
import { USAGE_KINDS } from '../../domain/billing/usage.ts';
import { GivenId, Timestamp } from './common.ts';

export const UsageQuery = z.strictObject({
  period: z
    .string()
    .regex(/^(19|20|21)\d\d-(0[1-9]|1[0-2])$/, 'must read like 2026-11')
    .optional()
    .meta({ description: 'A month by UTC, as YYYY-MM; the present one unless given.' }),
  application_id: GivenId.optional().meta({ description: 'One application; the whole tenant unless given.' }),
});

export const Usage = z
  .object({
    period_start: Timestamp,
    period_end: Timestamp.meta({ description: 'The first moment that is no longer in the period.' }),
    plan: z.string(),
    data: z.array(
      z.object({
        kind: z.enum(USAGE_KINDS),
        quantity: z.int(),
        counted: z.int().nullable().meta({
          description:
            "Of connect: the number that the plan's limit sees. It includes real hostnames in the test environment, which are not billed. Null for other kinds.",
        }),
        limit: z.int().nullable().meta({ description: 'Of the whole tenant; null where there is none.' }),
      }),
    ),
  })
  .meta({ id: 'Usage' });

export const PlanList = z.object({
  data: z.array(
    z
      .object({
        id: z.string(),
        name: z.string(),
        price: z
          .object({ amount: z.int(), currency: z.string(), interval: z.string() })
          .nullable()
          .meta({ description: "In the currency's smallest unit; null where none is told." }),
        limits: z.object({ connects_per_period: z.int().nullable() }),
        features: z.array(z.string()),
      })
      .meta({ id: 'Plan' }),
  ),
});

const subscription = {
  id: z.string().nullable().meta({ description: "The billing provider's id; null without a subscription." }),
  plan: z.string(),
  status: z.string().meta({ description: 'As the billing provider says it; active without a subscription.' }),
  current_period_start: Timestamp.nullable(),
  current_period_end: Timestamp.nullable(),
  cancel_at_period_end: z.boolean(),
};

export const Subscription = z.object(subscription).meta({ id: 'Subscription' });

const WebAddress = z.url({ protocol: /^https?$/ }).max(2_000);

export const ChooseSubscription = z.strictObject({
  plan: z.string().min(1).max(50),
  success_url: WebAddress.exactOptional(),
  cancel_url: WebAddress.exactOptional(),
});

export const SubscriptionChosen = z
  .object({
    ...subscription,
    checkout_url: z
      .string()
      .nullable()
      .meta({ description: 'Where the tenant pays; null where its subscription was changed instead.' }),
  })
  .meta({ id: 'SubscriptionChosen' });
