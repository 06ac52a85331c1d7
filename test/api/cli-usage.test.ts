import { none, sql } from '../../src/db/pool.ts';
import { periodAt } from '../../src/domain/billing/usage.ts';
import { someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { ApiUser } from '../support/fixtures/api-user.ts';
import { runCli } from '../support/fixtures/cli.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const cli = (...args: string[]) => runCli(args, { DATABASE_URL: api.databaseUrl });
const month = () => periodAt(new Date()).id;

async function tenantWithOneConnect() {
  const tenant = await api.tenant();
  const user = new ApiUser(api.baseUrl, tenant.live);
  const body = { application_id: tenant.live.application_id, hostname: someName() };
  expect((await user.call('POST', '/connections', body)).status).toBe(201);
  return { tenant, user };
}

test('an operator lists plans and assigns one, which applies immediately; unknown plans and tenants are refused', async () => {
  const { tenant, user } = await tenantWithOneConnect();
  const listed = await cli('plan', 'list');
  expect([listed.code, listed.out]).toEqual([0, expect.stringMatching(/^free +\d+ connects a month$/m)]);

  const set = await cli('tenant', 'set-plan', '--tenant', tenant.tenant_id, '--plan', 'starter', '--json');
  expect(JSON.parse(set.out)).toEqual({ tenant_id: tenant.tenant_id, plan: 'starter' });
  expect((await user.call('GET', '/subscriptions')).body).toMatchObject({ plan: 'starter' });

  expect(await cli('tenant', 'set-plan', '--tenant', tenant.tenant_id, '--plan', 'golden')).toMatchObject({
    code: 1,
    err: 'There is no plan golden. See plan list.\n',
  });
  const nobody = '01890000-0000-7000-8000-000000000000';
  expect(await cli('tenant', 'set-plan', '--tenant', nobody, '--plan', 'free')).toMatchObject({
    code: 1,
    err: `There is no tenant ${nobody}.\n`,
  });
});

test('the report shows the usage of a tenant, and a recount corrects a wrong counter', async () => {
  const { tenant } = await tenantWithOneConnect();
  const report = async () =>
    JSON.parse((await cli('usage', 'report', '--tenant', tenant.tenant_id, '--json')).out) as {
      data: { kind: string; quantity: number }[];
    };
  const connects = async () => (await report()).data.find(({ kind }) => kind === 'connect')?.quantity;
  expect(await connects()).toBe(1);

  await api.deps.pool.query(
    sql.type(none)`UPDATE usage_counters SET quantity = 7 WHERE tenant_id = ${tenant.tenant_id} AND kind = 'connect'`,
  );
  expect(await connects()).toBe(7);
  expect((await cli('usage', 'recount')).out).toContain(`${tenant.tenant_id}  `);
  expect(await connects()).toBe(1);
  expect((await cli('usage', 'recount')).out).toBe(`The counters of ${month()} are correct.\n`);
});

test('a month in another format is refused with an example', async () => {
  expect(await cli('usage', 'report', '--period', 'November')).toMatchObject({
    code: 2,
    err: '--period must be a month such as 2026-11.\n',
  });
});
