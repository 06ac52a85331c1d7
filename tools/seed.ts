import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { CommandError } from '../src/cli/errors.ts';
import { progressLine } from '../src/cli/progress.ts';
import { openServiceAccess } from '../src/cli/service-access.ts';
import { sql, type Pool } from '../src/db/pool.ts';
import { createApplication, getApplication, type ApplicationRow } from '../src/db/tenant/applications.ts';
import { listTenants } from '../src/db/tenant/tenants.ts';
import { openVault } from '../src/vault/vault.ts';
import { fill, removeSeeded, seedEndpoint } from './seed/fill.ts';

/**
 * Fills the database of a running service with connections in every state, with findings, timelines, events and
 * deliveries: `npm run seed -- --count 100000 [--application ID]`. `npm run seed -- --remove` removes them.
 *
 * Without an application it uses "Seeded domains", a test application of the only tenant. No workflow is started for the
 * connections: they have no check that is due, so the reconciler misses none. A request such as verify starts that of one.
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    application: { type: 'string' },
    remove: { type: 'boolean', default: false },
  },
});

const NAME = 'Seeded domains';
const COUNT_MAX = 1_000_000;

try {
  await run();
} catch (error) {
  if (!(error instanceof CommandError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const count = Number(values.count);
  if (!Number.isInteger(count) || count < 1 || count > COUNT_MAX)
    throw new CommandError(`--count must be a number from 1 to ${COUNT_MAX}.`);
  if (process.env['NODE_ENV'] === 'production')
    throw new CommandError('Seeding is for test services, and NODE_ENV is production.');
  const { pool, config, credentialKeys } = await openServiceAccess();
  try {
    const application = await applicationFor(pool, values.application);
    const line = progressLine(process.stderr);
    if (values.remove) {
      const removed = await removeSeeded(pool, application.id, (done) => line.show(`${done} removed`));
      line.end();
      process.stdout.write(`Removed ${removed} connections of the application ${application.id}.\n`);
      return;
    }
    if (credentialKeys === undefined)
      throw new CommandError('Set CREDENTIAL_KEYS to those of the service, which encrypt the secret of an endpoint.');
    const vault = openVault(credentialKeys);
    const endpointId = await pool.transaction((tx) => seedEndpoint(tx, vault, application));
    const seed = {
      tag: randomBytes(2).toString('hex'),
      now: new Date(),
      target: config.edge.cnameTarget,
      random: Math.random,
    };
    await fill(pool, application, {
      count,
      endpointId,
      run: seed,
      onProgress: (done) => line.show(`${done} of ${count}`),
    });
    line.end();
    process.stdout.write(`Added ${count} connections to the application ${application.id}.\n`);
  } finally {
    await pool.end();
  }
}

/** Returns the given application, or that of this command. Only test applications are accepted. */
async function applicationFor(pool: Pool, id: string | undefined): Promise<ApplicationRow> {
  if (id !== undefined) {
    const given = z.uuid().safeParse(id).success ? await getApplication(pool, id) : null;
    if (given === null) throw new CommandError(`There is no application ${id}.`);
    if (given.environment !== 'test')
      throw new CommandError(`The application ${id} is live. Name one of the test environment.`);
    return given;
  }
  const [tenant, ...others] = await listTenants(pool);
  if (tenant === undefined || others.length > 0)
    throw new CommandError(
      `There are ${others.length + (tenant ? 1 : 0)} tenants. Name an application with --application ID.`,
    );
  const own = await pool.maybeOneFirst(sql.type(z.object({ id: z.uuid() }))`
    SELECT id FROM applications WHERE tenant_id = ${tenant.id} AND name = ${NAME} AND environment = 'test' LIMIT 1
  `);
  const existing = own === null ? null : await getApplication(pool, own);
  return existing ?? createApplication(pool, { tenant_id: tenant.id, name: NAME, environment: 'test' });
}
