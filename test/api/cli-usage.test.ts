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
  expect([listed.code, listed.out]).toEqual([0, expect.stringMatching(/^free +\d+ connects a month +no price$/m)]);

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

describe('plan set', () => {
  test('sets the price and the limit of a plan, which tenants see immediately', async () => {
    const { user } = await tenantWithOneConnect();

    const priced = await cli('plan', 'set', 'starter', '--stripe-price', 'price_1ABC', '--amount', '2900', '--currency', 'eur'); // prettier-ignore
    const limited = await cli('plan', 'set', 'starter', '--connects', '250', '--json');

    expect(priced).toMatchObject({ code: 0, err: '' });
    expect(priced.out).toMatch(/^starter +100 connects a month +EUR 29\.00 a month +price_1ABC\n$/);
    expect(JSON.parse(limited.out)).toMatchObject({ connects_per_period: 250, stripe_price_id: 'price_1ABC' });
    const { data } = (await user.call('GET', '/plans')).body as { data: { id: string }[] };
    expect(data.find(({ id }) => id === 'starter')).toMatchObject({
      price: { amount: 2900, currency: 'eur', interval: 'month' },
      limits: { connects_per_period: 250 },
    });
    expect((await cli('audit')).out).toMatch(/plan\.updated.*starter/);
  });

  test('removes a price and a limit', async () => {
    await cli('plan', 'set', 'growth', '--stripe-price', 'price_2', '--amount', '9900', '--currency', 'usd');
    const { out } = await cli('plan', 'set', 'growth', '--stripe-price', 'none', '--amount', 'none', '--connects', 'unlimited'); // prettier-ignore

    expect(out).toMatch(/^growth +no limit +no price\n$/);
  });

  test.each([
    [['golden', '--amount', '1'], 1, 'There is no plan golden. See plan list.'],
    [['scale'], 2, 'Give at least one option: what is to change?'],
    [['scale', '--amount', '9900'], 2, 'The plan has no price yet. Give both --amount and --currency.'],
    [['scale', '--amount', '29.00', '--currency', 'eur'], 2, '--amount must be a whole number in the smallest unit, such as 2900 for 29 euros, or none.'], // prettier-ignore
    [['scale', '--currency', 'euro'], 2, '--currency must be a code of three small letters, such as eur.'],
    [['scale', '--interval', 'week'], 2, '--interval must be month or year.'],
    [
      ['scale', '--stripe-price', 'prod_1'],
      2,
      '--stripe-price must be the id of a price, such as price_1ABC, or none.',
    ],
    [['scale', '--stripe-price', 'price_taken'], 1, 'The plan free already has that Stripe price. Each needs its own.'],
  ])('refuses %j in one sentence', async (args, code, err) => {
    await cli('plan', 'set', 'free', '--stripe-price', 'price_taken');

    expect(await cli('plan', 'set', ...args)).toMatchObject({ code, err: `${err}\n` });
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
