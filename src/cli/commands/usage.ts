import { z } from 'zod';
import { audit } from '../../db/audit.ts';
import { findPlan, listPlans, setTenantPlan } from '../../db/billing/plans.ts';
import { recountUsage, reportUsage } from '../../db/billing/usage.ts';
import { periodAt, periodNamed, type Period } from '../../domain/billing/usage.ts';
import { idIn, required, type Command, type Values } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';

const plans: Command = {
  name: 'plan list',
  usage: '',
  summary: 'Lists the plans and their limits',
  options: {},
  requires: [],
  async run(_values, { pool }) {
    const rows = await listPlans(pool);
    return {
      json: { data: rows },
      lines: rows.map(
        ({ id, connects_per_period, stripe_price_id }) =>
          `${id.padEnd(12)}  ${connects_per_period === null ? 'no limit' : `${connects_per_period} connects a month`}${stripe_price_id === null ? '' : `  ${stripe_price_id}`}`,
      ),
    };
  },
};

const setPlan: Command = {
  name: 'tenant set-plan',
  usage: '--tenant ID --plan PLAN',
  summary: 'Assigns a plan to a tenant. It applies while the tenant has no subscription',
  options: { tenant: { type: 'string' }, plan: { type: 'string' } },
  requires: ['tenant', 'plan'],
  async run(values, { pool }) {
    const [tenant_id, plan] = [idIn(values, 'tenant'), required(values, 'plan')];
    if ((await findPlan(pool, plan)) === null) throw new CommandError(`There is no plan ${plan}. See plan list.`);
    await pool.transaction(async (tx) => {
      if (!(await setTenantPlan(tx, tenant_id, plan))) throw new CommandError(`There is no tenant ${tenant_id}.`);
      await audit(tx, {
        tenant_id,
        environment: 'live',
        key_id: null,
        action: 'tenant.plan_set',
        target_id: tenant_id,
        fields: ['plan'],
        request_id: null,
        now: new Date(),
      });
    });
    return { json: { tenant_id, plan }, lines: [`Tenant ${tenant_id} now has the plan ${plan}.`] };
  },
};

const PERIOD = { period: { type: 'string' } } as const;

const report: Command = {
  name: 'usage report',
  usage: '[--period YYYY-MM] [--tenant ID]',
  summary: 'Shows the usage of all tenants in a month',
  options: { ...PERIOD, tenant: { type: 'string' } },
  requires: [],
  async run(values, { pool }) {
    const period = periodIn(values);
    const tenant = values['tenant'] === undefined ? null : idIn(values, 'tenant');
    const rows = await reportUsage(pool, period, tenant);
    return {
      json: { period: period.id, data: rows },
      lines:
        rows.length === 0
          ? [`No usage in ${period.id}.`]
          : rows.map((row) => `${row.tenant_id}  ${(row.application_id ?? 'all applications').padEnd(36)}  ${row.kind.padEnd(13)}  ${row.quantity}`), // prettier-ignore
    };
  },
};

const recount: Command = {
  name: 'usage recount',
  usage: '[--period YYYY-MM]',
  summary: 'Recounts a month from the database and corrects the counters. API calls cannot be recounted',
  options: PERIOD,
  requires: [],
  async run(values, { pool }) {
    const period = periodIn(values);
    const differences = await recountUsage(pool, period);
    return {
      json: { period: period.id, differences },
      lines:
        differences.length === 0
          ? [`The counters of ${period.id} are correct.`]
          : differences.map(({ tenant_id, application_id, kind, was, is }) => `${tenant_id}  ${application_id ?? 'all applications'}  ${kind}: was ${was}, is ${is}`), // prettier-ignore
    };
  },
};

export const usageCommands = [plans, setPlan, report, recount];

function periodIn(values: Values): Period {
  if (values['period'] === undefined) return periodAt(new Date());
  const id = z.string().regex(/^(19|20|21)\d\d-(0[1-9]|1[0-2])$/).safeParse(values['period']); // prettier-ignore
  if (!id.success) throw new UsageError('--period must be a month such as 2026-11.');
  return periodNamed(id.data);
}
