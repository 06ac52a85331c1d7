import type { QuerySqlToken } from 'slonik';
import { z } from 'zod';
import { createPool, none, sql, type Pool, type Queryable } from '../../src/db/pool.ts';
import { findOverdue } from '../../src/db/connection/reconcile.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';

let database: TestDatabase;
let pool: Pool;
let tenant: NewTenant;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 2, name: 'reconcile' });
  tenant = await createTenant(pool, 'Reconcile');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const ago = (minutes: number) => sql.fragment`now() - ${minutes} * interval '1 minute'`;
const never = sql.fragment`NULL`;

test('a connection is overdue only if its check or clean-up should have run minutes ago', async () => {
  const cases = [
    { name: 'waiting', state: 'propagating', due: ago(3), archived: never, cleanup: 'none', overdue: true },
    { name: 'punctual', state: 'live', due: ago(-1), archived: never, cleanup: 'none', overdue: false },
    { name: 'outrun', state: 'archived', due: ago(3), archived: ago(3), cleanup: 'done', overdue: false },
    { name: 'resting', state: 'failed', due: ago(3), archived: never, cleanup: 'none', overdue: false },
    { name: 'uncleaned', state: 'archived', due: never, archived: ago(3), cleanup: 'pending', overdue: true },
    { name: 'cleaning', state: 'archived', due: never, archived: ago(1), cleanup: 'pending', overdue: false },
    { name: 'gone', state: 'archived', due: never, archived: ago(3), cleanup: 'done', overdue: false },
  ] as const;
  for (const { name, state, due, archived, cleanup } of cases) {
    const { id } = await newConnection(pool, tenant, `${name}.example-shop.com`);
    await pool.query(sql.type(none)`
      UPDATE connections SET state = ${state}, archived_at = ${archived}, cleanup = ${cleanup} WHERE id = ${id}
    `);
    await pool.query(sql.type(none)`UPDATE checks SET due_at = ${due} WHERE connection_id = ${id}`);
  }
  await pool.query(sql.type(none)`DELETE FROM outbox`);
  const found = (await findOverdue(pool, null)).map(({ hostname }) => hostname.split('.')[0]);
  expect(found.sort()).toEqual(cases.flatMap(({ name, overdue }) => (overdue ? [name] : [])).sort());
});

test('overdue connections are found by index among many healthy ones', async () => {
  await pool.query(sql.type(none)`
    WITH made AS (
      INSERT INTO connections (
        id, tenant_id, application_id, environment, hostname, kind, state, challenge_token, desired_records)
      SELECT gen_random_uuid(), ${tenant.tenant_id}, ${tenant.test.application_id}, 'test', 'n' || i || '.example-shop.com',
        'subdomain', CASE WHEN i % 2 = 0 THEN 'live' ELSE 'archived' END, 'token', '[]'
      FROM generate_series(1, 20000) AS i
      RETURNING id, tenant_id
    )
    INSERT INTO checks (connection_id, tenant_id, due_at) SELECT id, tenant_id, now() + interval '1 hour' FROM made
  `);
  await pool.query(sql.type(none)`ANALYZE connections, checks`);
  const asked: QuerySqlToken[] = [];
  const listening = { any: (query: QuerySqlToken) => (asked.push(query), Promise.resolve([])) };
  await findOverdue(listening as unknown as Queryable, null);
  const plan = await pool.anyFirst(sql.type(z.object({ 'QUERY PLAN': z.string() }))`EXPLAIN ${asked[0]!}`);
  for (const index of ['checks_due', 'connections_to_clean']) expect(plan.join('\n')).toContain(index);
});
