import { z } from 'zod';
import { auditOperator } from '../../db/audit.ts';
import { listPlans, lockPlan, updatePlan, type PlanRow } from '../../db/billing/plans.ts';
import { required, type Command, type Values } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';

const list: Command = {
  name: 'plan list',
  summary: 'Lists the plans with their limits and prices',
  options: {},
  requires: [],
  examples: ['plan list'],
  async run(_values, { pool }) {
    const rows = await listPlans(pool);
    return { json: { data: rows }, lines: rows.map(lineOf) };
  },
};

const set: Command = {
  name: 'plan set',
  summary: 'Changes the limit or the price of a plan',
  details:
    'What you do not give stays as it is. A new limit applies immediately to every tenant of the plan. Create the price at Stripe first.',
  positional: 'PLAN',
  options: {
    'stripe-price': { type: 'string', value: 'PRICE', help: 'Id of the price at Stripe, or none: not for sale' },
    amount: { type: 'string', value: 'CENTS', help: 'Price in the smallest unit of its currency, or none' },
    currency: { type: 'string', value: 'CODE', help: 'Currency of the price, such as eur' },
    interval: { type: 'string', value: 'INTERVAL', help: 'month or year. Defaults to month for a new price' },
    connects: { type: 'string', value: 'NUMBER', help: 'New connections in a month, or unlimited' },
  },
  requires: ['PLAN'],
  examples: [
    'plan set starter --stripe-price price_1ABC --amount 2900 --currency eur',
    'plan set starter --connects 200',
    'plan set starter --stripe-price none --amount none',
  ],
  async run(values, { pool }) {
    const id = required(values, 'PLAN');
    const saved = await pool.transaction(async (tx) => {
      const plan = await lockPlan(tx, id);
      if (plan === null) throw new CommandError(`There is no plan ${id}. See plan list.`);
      const changed = { ...plan, ...changesIn(values, plan) };
      const seller = (await listPlans(tx)).find((other) => other.id !== id && sellsAs(other, changed));
      if (seller) throw new CommandError(`The plan ${seller.id} already has that Stripe price. Each needs its own.`);
      await updatePlan(tx, changed);
      await auditOperator(tx, {
        tenant_id: null,
        target_id: null,
        target: id,
        action: 'plan.updated',
        now: new Date(),
      });
      return changed;
    });
    return { json: saved, lines: [lineOf(saved)] };
  },
};

export const planCommands = [list, set];

const sellsAs = (plan: PlanRow, { stripe_price_id }: PlanRow): boolean =>
  stripe_price_id !== null && plan.stripe_price_id === stripe_price_id;

const Changes = z.object({
  'stripe-price': z
    .string()
    .regex(/^(price_\w{1,200}|none)$/, 'must be the id of a price, such as price_1ABC, or none.')
    .transform((text) => (text === 'none' ? null : text))
    .optional(),
  amount: z
    .string()
    .regex(/^(\d{1,9}|none)$/, 'must be a whole number in the smallest unit, such as 2900 for 29 euros, or none.')
    .transform((text) => (text === 'none' ? null : Number(text)))
    .optional(),
  currency: z
    .string()
    .regex(/^[a-z]{3}$/, 'must be a code of three small letters, such as eur.')
    .optional(),
  interval: z.enum(['month', 'year'], 'must be month or year.').optional(),
  connects: z
    .string()
    .regex(/^(\d{1,9}|unlimited)$/, 'must be a whole number, or unlimited.')
    .transform((text) => (text === 'unlimited' ? null : Number(text)))
    .optional(),
});

/** Returns the columns that the options change. */
function changesIn(values: Values, plan: PlanRow): Partial<PlanRow> {
  const parsed = Changes.safeParse(values);
  if (!parsed.success)
    throw new UsageError(parsed.error.issues.map(({ path, message }) => `--${path.join('.')} ${message}`).join('\n'));
  const { 'stripe-price': stripe_price_id, connects: connects_per_period, ...price } = parsed.data;
  const changes = {
    ...(stripe_price_id === undefined ? {} : { stripe_price_id }),
    ...(connects_per_period === undefined ? {} : { connects_per_period }),
    ...priceIn(price, plan),
  };
  if (Object.keys(changes).length === 0) throw new UsageError('Give at least one option: what is to change?');
  return changes;
}

/** Returns amount, currency and interval, which a plan has together or not at all. */
function priceIn(
  { amount, currency, interval }: Pick<z.infer<typeof Changes>, 'amount' | 'currency' | 'interval'>,
  plan: PlanRow,
): Partial<PlanRow> {
  if (amount === undefined && currency === undefined && interval === undefined) return {};
  if (amount === null) return { price_amount: null, price_currency: null, price_interval: null };
  const [price_amount, price_currency] = [amount ?? plan.price_amount, currency ?? plan.price_currency];
  if (price_amount === null || price_currency === null)
    throw new UsageError('The plan has no price yet. Give both --amount and --currency.');
  return { price_amount, price_currency, price_interval: interval ?? plan.price_interval ?? 'month' };
}

function lineOf({ id, connects_per_period, stripe_price_id, ...price }: PlanRow): string {
  const limit = connects_per_period === null ? 'no limit' : `${connects_per_period} connects a month`;
  return [id.padEnd(12), limit.padEnd(24), priceOf(price).padEnd(20), stripe_price_id ?? ''].join('  ').trimEnd();
}

/** Returns a price as people write it. Currencies have none, two or three decimals. */
type Price = Pick<PlanRow, 'price_amount' | 'price_currency' | 'price_interval'>;
function priceOf({ price_amount, price_currency, price_interval }: Price): string {
  if (price_amount === null || price_currency === null) return 'no price';
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: price_currency, currencyDisplay: 'code' });
  const { maximumFractionDigits: decimals = 2 } = format.resolvedOptions();
  return `${format.format(price_amount / 10 ** decimals).replaceAll('\u00A0', ' ')} a ${price_interval ?? 'month'}`;
}
