import pg from 'pg';
import { z } from 'zod';
import { asTenant, sql } from '../../src/db/pool.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';

let api: TestApi;
let mine: NewTenant;
let theirs: NewTenant;
let owner: pg.Client;
beforeAll(async () => {
  api = await startTestApi();
  [mine, theirs] = await Promise.all([api.tenant(), api.tenant()]);
  for (const { live } of [mine, theirs])
    expectData(
      await api.client(live.key).POST('/v1/connections', {
        body: { application_id: live.application_id, hostname: someName() },
        headers: { 'Idempotency-Key': 'x' },
      }),
    );
  owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await api.stop();
});

async function tenantTables(): Promise<string[]> {
  const { rows } = await owner.query<{ table_name: string }>(
    `SELECT table_name FROM information_schema.columns WHERE column_name = 'tenant_id' AND table_schema = 'public'
     ORDER BY table_name`,
  );
  return rows.map(({ table_name }) => table_name);
}

test('row-level security applies to the role of the API: it owns nothing and cannot bypass it', async () => {
  const { rows } = await owner.query(
    `SELECT rolsuper, rolbypassrls, (SELECT count(*)::int FROM pg_class WHERE relowner = pg_roles.oid) AS owned
     FROM pg_roles WHERE rolname = 'svc_api'`,
  );

  expect(rows).toEqual([{ rolsuper: false, rolbypassrls: false, owned: 0 }]);
});

test('every table with a tenant has row-level security, with a policy for reading and writing', async () => {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relkind = 'r' AND relrowsecurity AND EXISTS (
       SELECT FROM pg_policies WHERE tablename = relname AND roles = '{svc_api}' AND cmd = 'ALL'
         AND qual LIKE '%current_tenant()%' AND with_check LIKE '%current_tenant()%')
     ORDER BY relname`,
  );

  expect(rows.map(({ name }) => name)).toEqual(await tenantTables());
});

test('a missing WHERE returns only rows of the tenant, in every table that the API may read', async () => {
  const { rows } = await owner.query<{ table_name: string }>(
    `SELECT table_name FROM information_schema.table_privileges WHERE grantee = 'svc_api' AND privilege_type = 'SELECT'`,
  );
  const readable = new Set(rows.map(({ table_name }) => table_name));
  const tables = (await tenantTables()).filter((table) => readable.has(table));
  expect(tables).toContain('connections');
  for (const table of tables) {
    const seen = await asTenant(api.deps.pool, mine.tenant_id, (tx) =>
      tx.any(sql.type(z.object({ tenant_id: z.uuid() }))`SELECT DISTINCT tenant_id FROM ${sql.identifier([table])}`),
    );
    expect([table, seen.filter(({ tenant_id }) => tenant_id !== mine.tenant_id)]).toEqual([table, []]);
  }
  const connections = await asTenant(api.deps.pool, mine.tenant_id, (tx) =>
    tx.any(sql.type(z.object({ tenant_id: z.uuid() }))`SELECT tenant_id FROM connections`),
  );
  expect(connections).toEqual([{ tenant_id: mine.tenant_id }]);
});

test('a missing WHERE in an UPDATE changes only rows of the tenant', async () => {
  await asTenant(api.deps.pool, mine.tenant_id, (tx) =>
    tx.query(sql.type(z.object({}))`UPDATE connections SET external_id = 'everybody'`),
  );

  const { rows } = await owner.query(`SELECT tenant_id FROM connections WHERE external_id = 'everybody'`);
  expect(rows).toEqual([{ tenant_id: mine.tenant_id }]);
});

test('no row can be written for another tenant', async () => {
  const attempt = asTenant(api.deps.pool, mine.tenant_id, (tx) =>
    tx.query(sql.type(z.object({}))`
      INSERT INTO applications (id, tenant_id, name, environment)
      VALUES (gen_random_uuid(), ${theirs.tenant_id}, 'smuggled', 'live')
    `),
  );

  await expect(attempt).rejects.toThrow(/row-level security/);
});

test('without a tenant, no rows are visible', async () => {
  const client = new pg.Client({ connectionString: api.databaseUrl, options: '-c role=svc_api' });
  await client.connect();

  const { rows } = await client.query('SELECT count(*)::int AS n FROM connections');
  await client.end();

  expect(rows).toEqual([{ n: 0 }]);
});

test('authentication binds only its own statement to the tenant: the next one on the connection sees no rows', async () => {
  const client = new pg.Client({ connectionString: api.databaseUrl, options: '-c role=svc_api' });
  await client.connect();
  const { rows: keys } = await owner.query<{ hash: Buffer }>('SELECT hash FROM api_keys WHERE tenant_id = $1 LIMIT 1', [
    mine.tenant_id,
  ]);

  const bound = await client.query(
    'SELECT n FROM caller_of_key($1) AS caller LEFT JOIN LATERAL (SELECT count(*)::int AS n FROM connections WHERE caller.tenant_id IS NOT NULL) AS c ON true',
    [keys[0]!.hash],
  );
  const after = await client.query('SELECT count(*)::int AS n FROM connections');
  await client.end();

  expect([bound.rows, after.rows]).toEqual([[{ n: 1 }], [{ n: 0 }]]);
});

test('the audit log is append-only', async () => {
  for (const statement of [
    sql.type(z.object({}))`UPDATE audit_log SET action = 'x'`,
    sql.type(z.object({}))`DELETE FROM audit_log`,
  ])
    await expect(asTenant(api.deps.pool, mine.tenant_id, (tx) => tx.query(statement))).rejects.toThrow(
      /permission denied/,
    );
});
