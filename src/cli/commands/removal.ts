import { setTimeout as pause } from 'node:timers/promises';
import { getApplication } from '../../db/tenant/applications.ts';
import { auditOperator } from '../../db/audit.ts';
import type { Pool } from '../../db/pool.ts';
import {
  applicationsOf,
  belongingsOf,
  nextOpen,
  removeApplication,
  removeSome,
  removeTenant,
  type Belongings,
} from '../../db/zone/removal.ts';
import { findSubscription } from '../../db/billing/subscriptions.ts';
import { getTenant } from '../../db/tenant/tenants.ts';
import { archiveAndWait } from '../../api/archive.ts';
import { APPLICATION, idIn, TENANT, type Command, type Values } from '../command.ts';
import { CommandError } from '../errors.ts';
import { progressLine } from '../progress.ts';
import { suspendNow } from './tenants.ts';

const YES = { yes: { type: 'boolean', help: 'Confirms the deletion, which cannot be undone' } } as const;

const deleteTenant: Command = {
  name: 'tenant delete',
  summary: 'Deletes a tenant with all its data, except the audit log',
  details: 'First suspends the tenant and archives its connections.',
  options: { ...TENANT, ...YES },
  examples: ['tenant delete --tenant 01a1e812-8b29-7612-a7a6-0ab24065ea05 --yes'],
  requires: ['tenant'],
  async run(values, { pool }) {
    const id = idIn(values, 'tenant');
    const tenant = await getTenant(pool, id);
    if (tenant === null) throw new CommandError(`There is no tenant ${id}.`);
    const applications = await applicationsOf(pool, id);
    const removed = await belongingsOf(pool, applications);
    refuseWithoutYes(values, `tenant ${id} (${tenant.name}) with ${applications.length} applications`, removed);
    await refuseWhilePaid(pool, id);
    await suspendNow(pool, id, 'It is being deleted.');
    for (const application of applications) await emptyAndRemove(pool, application);
    await pool.transaction(async (tx) => {
      await removeTenant(tx, id);
      await auditOperator(tx, { tenant_id: id, target_id: id, target: tenant.name, action: 'tenant.deleted', now: new Date() }); // prettier-ignore
    });
    return { json: { tenant_id: id, deleted: true, removed }, lines: [`Tenant ${id} is deleted.`] };
  },
};

const deleteApplication: Command = {
  name: 'application delete',
  summary: 'Deletes an application with all its data, except the audit log',
  details: 'First archives its connections.',
  options: { ...APPLICATION, ...YES },
  examples: ['application delete --application 01a1e812-8b29-7612-a7a6-0ab24065ea05 --yes'],
  requires: ['application'],
  async run(values, { pool }) {
    const id = idIn(values, 'application');
    const application = await getApplication(pool, id);
    if (application === null) throw new CommandError(`There is no application ${id}.`);
    const removed = await belongingsOf(pool, [id]);
    refuseWithoutYes(values, `application ${id} (${application.name}) of tenant ${application.tenant_id}`, removed);
    await emptyAndRemove(pool, id);
    return { json: { application_id: id, deleted: true, removed }, lines: [`Application ${id} is deleted.`] };
  },
};

export const removalCommands = [deleteTenant, deleteApplication];

function refuseWithoutYes(values: Values, what: string, belongings: Belongings): void {
  if (values['yes'] === true) return;
  const { connections, open, credentials, webhook_endpoints, keys } = belongings;
  throw new CommandError(
    `This deletes ${what}: ${connections} connections, ${credentials} credentials, ${webhook_endpoints} webhook endpoints and ${keys} keys. ${open} connections are not archived yet: their hostnames would no longer be served, and their records would be removed. You cannot undo this. Add --yes to continue.`,
  );
}

/** Refuses while the tenant has a subscription, because Stripe would continue to charge for it. */
async function refuseWhilePaid(pool: Pool, tenantId: string): Promise<void> {
  const subscription = await findSubscription(pool, tenantId);
  if (subscription?.subscription_id == null || subscription.status === 'canceled') return;
  throw new CommandError(`The tenant has the subscription ${subscription.subscription_id}. Cancel it at Stripe first.`);
}

const POLL_EVERY_MS = 1_000;

/**
 * Deletes an application with all its data. An interrupted run can be repeated. Credentials are deleted last, because
 * the worker needs them to remove our records from the customers' zones.
 */
async function emptyAndRemove(pool: Pool, applicationId: string): Promise<void> {
  const line = progressLine(process.stderr);
  for (;;) {
    await archiveAll(pool, applicationId, line.show);
    await removeArchived(pool, applicationId, line.show);
    // `cleaning` counts archived connections whose records are still being removed.
    const { connections, cleaning } = await belongingsOf(pool, [applicationId]);
    if (connections === 0 && (await removeNow(pool, applicationId))) break;
    line.show(`Waiting until the records of ${cleaning} connections are removed from their zones.`);
    await pause(POLL_EVERY_MS);
  }
  line.end();
}

async function archiveAll(pool: Pool, applicationId: string, show: (line: string) => void): Promise<void> {
  let done = 0;
  let ids = await nextOpen(pool, applicationId, null);
  while (ids.length > 0) {
    show(`Archived ${done} connections.`);
    for (const { id } of ids) await archiveAndWait(pool, id);
    done += ids.length;
    ids = await nextOpen(pool, applicationId, ids.at(-1) ?? null);
  }
}

async function removeArchived(pool: Pool, applicationId: string, show: (line: string) => void): Promise<void> {
  for (let done = 0; ;) {
    const removed = await removeSome(pool, applicationId, new Date());
    if (removed === 0) return;
    done += removed;
    show(`Removed ${done} connections.`);
  }
}

/** Deletes the application's own row and data. Returns false if a connection was created meanwhile. */
const removeNow = (pool: Pool, id: string): Promise<boolean> =>
  pool.transaction(async (tx) => {
    const application = await getApplication(tx, id);
    if (application === null) return true;
    const { tenant_id, environment, name: target } = application;
    if (!(await removeApplication(tx, id))) return false;
    await auditOperator(tx, { tenant_id, environment, target_id: id, target, action: 'application.deleted', now: new Date() }); // prettier-ignore
    return true;
  });
