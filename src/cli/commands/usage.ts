import { z } from 'zod';
import { audit } from '../../db/audit.ts';
import { findPlan, setTenantPlan } from '../../db/billing/plans.ts';
import { recountUsage, reportUsage } from '../../db/billing/usage.ts';
import { periodAt, periodNamed, type Period } from '../../domain/billing/usage.ts';
import { idIn, required, TENANT, type Command, type Values } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';

const setPlan: Command = {
  name: 'tenant set-plan',
  summary: 'Assigns a plan to a tenant',
  details: 'The plan applies while the tenant has no subscription.',
  options: { ...TENANT, plan: { type: 'string', value: 'PLAN', help: 'A plan, as `plan list` shows it' } },
  examples: ['tenant set-plan --tenant 01a1e812-8b29-7612-a7a6-0ab24065ea05 --plan growth'],
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

const PERIOD = {
  period: { type: 'string', value: 'YYYY-MM', help: 'The month, in UTC. Defaults to the current one' },
} as const;

const report: Command = {
  name: 'usage report',
  summary: 'Shows the usage of all tenants in a month',
  options: { ...PERIOD, ...TENANT },
  examples: ['usage report', 'usage report --period 2026-10'],
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
  summary: 'Recounts a month from the database and corrects the counters',
  details: 'API calls cannot be recounted.',
  options: PERIOD,
  examples: ['usage recount --period 2026-10'],
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

export const usageCommands = [setPlan, report, recount];

function periodIn(values: Values): Period {
  if (values['period'] === undefined) return periodAt(new Date());
  const id = z.string().regex(/^(19|20|21)\d\d-(0[1-9]|1[0-2])$/).safeParse(values['period']); // prettier-ignore
  if (!id.success) throw new UsageError('--period must be a month such as 2026-11.');
  return periodNamed(id.data);
}
