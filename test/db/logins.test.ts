import pg from 'pg';
import { ensureLogin } from '../../src/db/logins.ts';
import { createPool } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { prepareDatabase } from '../../src/main/database.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { startApiProcess } from '../support/fixtures/half-process.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';
import { send } from '../support/http.ts';

/** Logins belong to the whole server, so each run of this file creates its own. */
const suffix = crypto.randomUUID().slice(0, 8);

let database: TestDatabase;
let urls: { api: string; worker: string };
let tenants: NewTenant[];
beforeAll(async () => {
  database = await createTestDatabase();
  const login = (half: string) => {
    const url = new URL(database.url);
    url.username = `${half}_${suffix}`;
    url.password = `p'w:${half}/é`;
    return url.href;
  };
  urls = { api: login('api'), worker: login('worker') };
  await prepareDatabase({
    DATABASE_URL: undefined,
    MIGRATION_DATABASE_URL: database.url,
    API_DATABASE_URL: urls.api,
    WORKER_DATABASE_URL: urls.worker,
  });
  const pool = await createPool(urls.worker, { max: 2, name: 'logins' });
  tenants = [await createTenant(pool, 'One'), await createTenant(pool, 'Two')];
  for (const tenant of tenants) await newConnection(pool, tenant, `shop.of-${tenant.tenant_id}.com`);
  await pool.end();
});
afterAll(() => database.drop());

async function as<T extends object>(url: string, ...statements: string[]): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: T[] = [];
    for (const statement of statements) ({ rows } = await client.query<T>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

const COUNT = 'SELECT count(*)::int AS n FROM connections';

test('the API’s login sees one tenant’s rows, and no rows after RESET ROLE', async () => {
  const bound = `SELECT set_config('app.tenant_id', '${tenants[0]!.tenant_id}', false)`;

  expect(await as(urls.api, 'SET ROLE svc_api', bound, COUNT)).toEqual([{ n: 1 }]);
  expect(await as(urls.api, 'SET ROLE svc_api', 'RESET ROLE', COUNT)).toEqual([{ n: 0 }]);
  expect(await as(urls.worker, COUNT)).toEqual([{ n: 2 }]);
});

test.each([
  'ALTER TABLE connections DISABLE ROW LEVEL SECURITY',
  'DROP TABLE touches',
  'CREATE TABLE public.mine ()',
  'SET ROLE svc_worker',
  'SET row_security = off; SELECT FROM connections',
  "INSERT INTO admissions VALUES ('a.com', 1, 'serving', gen_random_uuid(), gen_random_uuid())",
  'SELECT FROM audit_log; UPDATE audit_log SET action = action',
])('the API’s login cannot: %s', async (statement) => {
  await expect(as(urls.api, statement)).rejects.toThrow(/must be owner|permission denied|would be affected/);
});

test.each(['ALTER TABLE connections ADD COLUMN x int', 'DELETE FROM audit_log', 'DELETE FROM schema_migrations'])(
  'the worker’s login cannot: %s',
  async (statement) => {
    await expect(as(urls.worker, statement)).rejects.toThrow(/must be owner|permission denied/);
  },
);

test('every table with row-level security admits the worker', async () => {
  const locked = await as(
    database.url,
    `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relrowsecurity AND NOT EXISTS (
       SELECT FROM pg_policies WHERE tablename = relname AND roles = '{svc_worker}' AND qual = 'true' AND with_check = 'true')`,
  );

  expect(locked).toEqual([]);
});

test('security-definer functions resolve no name in a schema that a caller can write to', async () => {
  const loose = await as(
    database.url,
    `SELECT proname, proconfig FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef
       AND NOT coalesce('search_path=pg_catalog, public, pg_temp' = ANY(proconfig), false)`,
  );
  const stolen = as<{ held: boolean }>(
    urls.api,
    `CREATE TEMP TABLE api_keys (LIKE public.api_keys);`,
    `INSERT INTO pg_temp.api_keys SELECT gen_random_uuid(), '${tenants[1]!.tenant_id}', '${tenants[1]!.live.application_id}',
       'forged', 'x', 'last', 'live', '{apps:admin}', now(), NULL, NULL`,
    `SELECT tenant_id FROM caller_of_key('x')`,
  );

  expect(loose).toEqual([]);
  expect(await stolen).toEqual([]);
});

test('a login that could bypass row-level security is refused, and a password can be changed', async () => {
  await expect(ensureLogin(database.url, 'api', database.url)).rejects.toThrow(/owns tables or may bypass/);

  const changed = new URL(urls.api);
  changed.password = 'another';
  await ensureLogin(database.url, 'api', changed.href);
  expect(await as(changed.href, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await ensureLogin(database.url, 'api', urls.api);
});

test('a process whose login cannot migrate reports a missing schema, and works with an existing schema', async () => {
  const empty = await createTestDatabase();
  await as(empty.url, 'DROP SCHEMA public CASCADE', 'CREATE SCHEMA public');
  const login = new URL(urls.api);
  login.pathname = new URL(empty.url).pathname;

  await expect(
    prepareDatabase({
      DATABASE_URL: login.href,
      MIGRATION_DATABASE_URL: undefined,
      API_DATABASE_URL: undefined,
      WORKER_DATABASE_URL: undefined,
    }),
  ).rejects.toThrow(/Run the migrate command first/);
  await empty.drop();
});

test('the API’s own login is enough for all its work: create, read, check and archive', async () => {
  const api = await startApiProcess(urls.api);
  const base = `http://127.0.0.1:${api.port}/v1`;
  const { application_id, key: credential } = tenants[0]!.test;
  try {
    const made = await send('POST', `${base}/connections`, {
      credential,
      body: { application_id, hostname: `shop-${suffix}.example.test` },
    });
    const at = `${base}/connections/${(made.body as { id: string }).id}`;
    const answers = [
      made,
      await send('GET', at, { credential }),
      await send('POST', `${at}/records:check`, { credential }),
      await send('POST', `${base}/domains:check`, { credential, body: { domain: `shop-${suffix}.example.test` } }),
      await send('PATCH', `${base}/applications/${application_id}`, {
        credential,
        body: { origin_url: 'https://origin.example.com' },
      }),
      await send('POST', `${base}/applications/${application_id}/credentials`, {
        credential,
        body: { provider: 'sandbox', credentials: {} },
      }),
      await send('POST', `${at}/dns:plan`, { credential }),
      await send('POST', `${at}/dns:revert`, { credential }),
      await send('DELETE', at, { credential }),
    ];

    expect(answers.map(({ status, text }) => (status >= 500 || status === 400 ? text : status))).toEqual([
      201,
      200,
      200,
      200,
      200,
      expect.anything(),
      expect.anything(),
      200,
      200,
    ]);
  } finally {
    await api.stop();
  }
});

test('the API’s login has the rights that reverting and provider requests need', async () => {
  const needs = {
    dns_ledger: 'SELECT, INSERT, UPDATE',
    dns_displaced: 'SELECT, INSERT, UPDATE',
    refused_zones: 'SELECT, INSERT, UPDATE, DELETE',
    request_allowances: 'SELECT, INSERT, UPDATE',
    zone_leases: 'SELECT, INSERT, UPDATE, DELETE',
  };
  const questions = Object.entries(needs).flatMap(([table, rights]) =>
    rights.split(', ').map((right) => `('${table} ${right}', has_table_privilege('${table}', '${right}'))`),
  );
  const denied = `SELECT need FROM (VALUES ${questions.join(', ')}) AS asked (need, given) WHERE NOT given`;
  expect(await as(urls.api, denied)).toEqual([]);
});
