import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { findOverdue } from '../../src/db/connection/reconcile.ts';
import { sql } from '../../src/db/pool.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { STATES } from '../../src/domain/connection/connection.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';

let api: TestApi;
let tenant: NewTenant;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
});
afterAll(() => api.stop());

const run = promisify(execFile);
const SEED = join(import.meta.dirname, '../../tools/seed.ts');
const seed = (args: string[], env: Record<string, string> = {}) =>
  run(process.execPath, [SEED, ...args], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: api.databaseUrl,
      CREDENTIAL_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      ...env,
    },
  });
const rowsIn = (table: string) =>
  api.deps.pool.oneFirst(sql.type(z.object({ n: z.number() }))`SELECT count(*) AS n FROM ${sql.identifier([table])}`);
const client = () => api.client(tenant.test.key);

test('seeded connections have every state, are counted, can be read, start no workflow, and can be removed', async () => {
  const application_id = tenant.test.application_id;
  const own = await newConnection(api.deps.pool, tenant, `${someName()}.test`);
  const messages = await rowsIn('outbox');

  await seed(['--count', '1500', '--application', application_id]);

  const { total, by_state, attention } = expectData(await client().GET('/v1/connections:counts'));
  expect(total).toBe(1501);
  const missing = STATES.filter((state) => by_state[state] === 0);
  expect(missing).toEqual(['created']); // lasts only within the transaction that inserts a row
  expect(attention.disabled_endpoints).toBe(1);
  expect(await findOverdue(api.deps.pool, null)).toEqual([]);
  expect(await rowsIn('outbox')).toBe(messages);
  for (const state of ['live', 'stalled', 'archived'] as const) {
    const query = { state, application_id, limit: 20 };
    for (const { id } of expectData(await client().GET('/v1/connections', { params: { query } })).data) {
      const shown = expectData(await client().GET('/v1/connections/{id}', { params: { path: { id } } }));
      expect(shown.timeline[0]).toMatchObject({ to: state });
      expectData(await client().GET('/v1/deliveries', { params: { query: { connection_id: id } } }));
    }
  }
  const { data } = expectData(await client().GET('/v1/connections', { params: { query: { finding: 'proxied' } } }));
  expect(data.length).toBeGreaterThan(0);
  const { seconds_to_live } = expectData(
    await client().GET('/v1/connections:series', { params: { query: { days: 90 } } }),
  );
  expect(seconds_to_live.filter(({ count }) => count > 0).length).toBeGreaterThan(3);

  await seed(['--remove', '--application', application_id]);

  const left = expectData(await client().GET('/v1/connections')).data;
  expect(left.map(({ id }) => id)).toEqual([own.id]);
  expect(expectData(await client().GET('/v1/connections:counts'))).toMatchObject({
    total: 1,
    attention: { disabled_endpoints: 0 },
  });
  for (const table of ['webhook_deliveries', 'webhook_attempts', 'connection_findings'])
    expect(await rowsIn(table)).toBe(0);
  const served = await api.deps.pool.any(sql.type(z.object({ standing: z.string() }))`
    SELECT standing FROM admissions WHERE standing NOT IN ('archived', 'none')
  `);
  expect(served).toEqual([]);
});

test.each([
  ['a live application', () => ['--application', tenant.live.application_id], {}, /is live/],
  ['an unknown application', () => ['--application', 'x'], {}, /no application/],
  [
    'a production service',
    () => ['--application', tenant.test.application_id],
    { NODE_ENV: 'production' },
    /production/,
  ],
  ['a wrong number', () => ['--application', tenant.test.application_id, '--count', '0'], {}, /--count/],
] as const)('%s is refused', async (_, args, env, message) => {
  const before = await rowsIn('connections');
  await expect(seed([...args()], env)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(message) as string,
  });
  expect(await rowsIn('connections')).toBe(before);
});
