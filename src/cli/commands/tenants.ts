import { auditOperator } from '../../db/audit.ts';
import type { Pool } from '../../db/pool.ts';
import { applicationsOf } from '../../db/zone/removal.ts';
import { createTenant, listTenants } from '../../db/tenant/tenants.ts';
import { resumeTenant, suspendTenant } from '../../db/edge/blocked.ts';
import { untilChangeIsKnown } from '../../edge/barrier.ts';
import { defaultPlan } from '../../main/default-plan.ts';
import { idIn, REASON, reasonIn, required, TENANT, type Command } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';

const create: Command = {
  name: 'tenant create',
  summary: 'Creates a tenant, its applications and an API key for each',
  details: 'A tenant has a test and a live application. The keys are shown only once.',
  options: { name: { type: 'string', value: 'NAME', help: 'Name of the tenant in lists' } },
  examples: ["tenant create --name 'Acme Shops'", "tenant create --name 'Acme Shops' --json"],
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
  summary: 'Lists tenants, oldest first',
  options: {},
  examples: ['tenant list'],
  requires: [],
  async run(_values, { pool }) {
    const tenants = await listTenants(pool);
    return {
      json: { data: tenants },
      lines: tenants.map(
        ({ id, name, created_at, plan_id, suspended_at }) =>
          `${id}  ${created_at.toISOString()}  ${plan_id}  ${name}${suspended_at === null ? '' : '  (suspended)'}`,
      ),
    };
  },
};

const suspend: Command = {
  name: 'tenant suspend',
  summary: "Refuses a tenant's keys and stops serving its hostnames",
  options: { ...TENANT, ...REASON },
  examples: ["tenant suspend --tenant 01a1e812-8b29-7612-a7a6-0ab24065ea05 --reason 'Unpaid'"],
  requires: ['tenant', 'reason'],
  async run(values, { pool }) {
    const [id, reason] = [idIn(values, 'tenant'), reasonIn(values)];
    const { row, missed } = await suspendNow(pool, id, reason);
    return {
      json: { tenant_id: id, suspended_at: row.suspended_at, reason, missed_by: missed },
      lines: [
        `Tenant ${id} (${row.name}) is suspended. Its keys are refused and its hostnames are not served.`,
        ...missed,
      ],
    };
  },
};

const resume: Command = {
  name: 'tenant resume',
  summary: 'Ends the suspension of a tenant',
  options: TENANT,
  examples: ['tenant resume --tenant 01a1e812-8b29-7612-a7a6-0ab24065ea05'],
  requires: ['tenant'],
  async run(values, { pool }) {
    const id = idIn(values, 'tenant');
    const row = await pool.transaction(async (tx) => {
      const resumed = await resumeTenant(tx, id);
      if (resumed === null) throw new CommandError(`There is no tenant ${id}.`);
      await auditOperator(tx, { tenant_id: id, target_id: id, action: 'tenant.resumed', now: new Date() });
      return resumed;
    });
    await untilSuspensionIsKnown(pool, id);
    return {
      json: { tenant_id: id, suspended_at: null },
      lines: [`Tenant ${id} (${row.name}) is no longer suspended.`],
    };
  },
};

export const tenantCommands = [create, list, suspend, resume];

/** Suspends a tenant and waits until no reachable edge serves its hostnames. `missed` names the edges that are cut off. */
export async function suspendNow(pool: Pool, id: string, reason: string) {
  const row = await pool.transaction(async (tx) => {
    const now = new Date();
    const suspended = await suspendTenant(tx, id, reason, now);
    if (suspended === null) throw new CommandError(`There is no tenant ${id}.`);
    await auditOperator(tx, { tenant_id: id, target_id: id, action: 'tenant.suspended', reason, now });
    return suspended;
  });
  return { row, missed: await untilSuspensionIsKnown(pool, id) };
}

/** Waits for one change for each application. */
async function untilSuspensionIsKnown(pool: Pool, tenantId: string): Promise<string[]> {
  const missed = new Set<string>();
  for (const applicationId of await applicationsOf(pool, tenantId)) {
    const sentence = await untilChangeIsKnown(pool, { applicationId }, 'suspension');
    if (sentence !== null) missed.add(sentence);
  }
  return [...missed];
}
