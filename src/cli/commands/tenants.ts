import { createTenant, listTenants } from '../../db/tenants.ts';
import { defaultPlan } from '../../main/default-plan.ts';
import { required, type Command } from '../command.ts';
import { UsageError } from '../errors.ts';

const create: Command = {
  name: 'tenant create',
  usage: '--name NAME',
  summary: 'Make a tenant with a test and a live application, and a key for each',
  options: { name: { type: 'string' } },
  requires: ['name'],
  async run(values, { pool, addresses, config }) {
    const name = required(values, 'name').trim();
    if (!/^[^\p{Cc}]{1,80}$/u.test(name)) throw new UsageError('--name must be 1 to 80 printable characters.');
    const tenant = await createTenant(pool, name, await defaultPlan(pool, config));
    return {
      json: { ...addresses, ...tenant },
      lines: [
        `Tenant           ${tenant.tenant_id}`,
        `Test application ${tenant.test.application_id}`,
        `Test key         ${tenant.test.key}`,
        `Live application ${tenant.live.application_id}`,
        `Live key         ${tenant.live.key}`,
        'The keys are not shown again.',
      ],
    };
  },
};

const list: Command = {
  name: 'tenant list',
  usage: '',
  summary: 'List tenants, oldest first',
  options: {},
  requires: [],
  async run(_values, { pool }) {
    const tenants = await listTenants(pool);
    return {
      json: { data: tenants },
      lines: tenants.map(
        ({ id, name, created_at, plan_id }) => `${id}  ${created_at.toISOString()}  ${plan_id}  ${name}`,
      ),
    };
  },
};

export const tenantCommands = [create, list];
