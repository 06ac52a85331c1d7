import { ApiCallMeter } from '../../src/billing/api-call-meter.ts';
import { archiveConnection, lockConnection } from '../../src/db/connection/connections.ts';
import { none, sql } from '../../src/db/pool.ts';
import { beginPeriod, readUsage, recountUsage } from '../../src/db/billing/usage.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { transition } from '../../src/db/connection/transitions.ts';
import { periodAt, periodNamed } from '../../src/domain/billing/usage.ts';
import { someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { ApiUser } from '../support/fixtures/api-user.ts';
import { startApiProcess } from '../support/fixtures/half-process.ts';
import { until } from '../support/until.ts';

let api: TestApi;
let clock: Date | null = null;
let meter: ApiCallMeter;
beforeAll(async () => {
  api = await startTestApi({
    now: () => clock ?? new Date(),
    recordApiCall: (tenantId, applicationId, at) => meter.note(tenantId, applicationId, at),
  });
  meter = new ApiCallMeter(api.deps.pool, () => undefined);
});
afterAll(async () => {
  await meter.stop();
  await api.stop();
});
afterEach(() => (clock = null));

async function someTenant(plan: string, connects?: number): Promise<{ tenant: NewTenant; user: ApiUser }> {
  const tenant = await api.tenant();
  const { pool } = api.deps;
  if (connects !== undefined)
    await pool.query(sql.type(none)`
      INSERT INTO plans (id, name, position, connects_per_period) VALUES (${plan}, ${plan}, 9, ${connects})
    `);
  await pool.query(sql.type(none)`UPDATE tenants SET plan_id = ${plan} WHERE id = ${tenant.tenant_id}`);
  return { tenant, user: new ApiUser(api.baseUrl, tenant.live) };
}

const create = (user: ApiUser, { live }: NewTenant, hostname = someName()) =>
  user.call('POST', '/connections', { application_id: live.application_id, hostname });
const used = async (user: ApiUser, query = '') => {
  const { body } = await user.call('GET', `/usage${query}`);
  const data = body['data'] as { kind: string; quantity: number }[];
  return Object.fromEntries(data.map(({ kind, quantity }) => [kind, quantity]));
};

test('of fifty concurrent creates with one connect left, one succeeds, and the others learn limit, usage, plan and upgrade URL', async () => {
  const { tenant, user } = await someTenant('race', 4);
  for (let i = 0; i < 3; i++) expect((await create(user, tenant)).status).toBe(201);
  const answers = await Promise.all(Array.from({ length: 50 }, () => create(user, tenant)));

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  const refused = answers.filter(({ status }) => status !== 201);
  for (const { status, body } of refused) {
    expect(status).toBe(402);
    expect(body).toMatchObject({
      error: {
        code: 'QuotaExceeded',
        details: { limit: 4, used: 4, plan: 'race', period_end: periodAt(new Date()).end.toISOString() },
      },
      upgrade_url: api.deps.upgradeUrl,
    });
  }
  expect(await used(user)).toMatchObject({ connect: 4 });
});

test('conflicts, existing connections, sandbox hostnames and replays do not count', async () => {
  const { tenant, user } = await someTenant('exact', 2);
  const hostname = someName();
  expect((await create(user, tenant, hostname)).status).toBe(201);
  expect((await create(user, tenant, hostname)).status).toBe(200);
  expect((await create(user, tenant, 'not a name')).status).toBe(400);
  const test = await user.call('POST', '/connections', {
    application_id: tenant.test.application_id,
    hostname: someName('auto.test'),
  });
  expect(test.status).toBe(201);
  const replayed = { application_id: tenant.live.application_id, hostname: someName() };
  const send = () =>
    fetch(`${api.baseUrl}/v1/connections`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tenant.live.key}`,
        'content-type': 'application/json',
        'idempotency-key': 'k1',
      },
      body: JSON.stringify(replayed),
    });
  expect([(await send()).status, (await send()).status]).toEqual([201, 201]);
  expect(await used(user)).toMatchObject({ connect: 2 });
  expect((await create(user, tenant)).status).toBe(402);
  // A waiting connection can be resumed even if the quota is used up.
  expect((await create(user, tenant, hostname)).status).toBe(200);
});

test('real hostnames in the test environment count against the plan but are not billed, and sandbox hostnames do not count', async () => {
  const { tenant, user } = await someTenant('both', 3);
  const tester = new ApiUser(api.baseUrl, tenant.test);
  const inTest = (hostname: string) =>
    tester.call('POST', '/connections', { application_id: tenant.test.application_id, hostname });
  expect((await create(user, tenant)).status).toBe(201);
  expect((await inTest(someName())).status).toBe(201);
  expect((await inTest(someName('auto.test'))).status).toBe(201);
  const batch = await tester.call('POST', '/batches', {
    application_id: tenant.test.application_id,
    hostnames: [someName(), someName('auto.test'), someName(), someName('auto.test')],
  });

  expect((batch.body['rows'] as { result: string }[]).map(({ result }) => result)).toEqual([
    'created',
    'created',
    'quota_exceeded',
    'created', // prettier-ignore
  ]);
  expect(await inTest(someName())).toMatchObject({ status: 402, body: { error: { code: 'QuotaExceeded' } } });
  expect((await create(user, tenant)).status).toBe(402);
  expect((await inTest(someName('auto.test'))).status).toBe(201);
  const { body } = await user.call('GET', '/usage');
  expect(body['data']).toContainEqual({ kind: 'connect', quantity: 1, counted: 3, limit: 3 });
  expect(await recountUsage(api.deps.pool, periodAt(new Date()))).toEqual([]);
});

test('of fifty concurrent creates in both environments with one connect left, one succeeds', async () => {
  const { tenant, user } = await someTenant('mixed race', 1);
  const tester = new ApiUser(api.baseUrl, tenant.test);
  const answers = await Promise.all(
    Array.from({ length: 25 }, () => [
      create(user, tenant),
      tester.call('POST', '/connections', { application_id: tenant.test.application_id, hostname: someName() }),
    ]).flat(),
  );

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
});

test('a batch connects its first rows up to the limit of the plan', async () => {
  const { tenant, user } = await someTenant('batch', 3);
  const hostnames = Array.from({ length: 5 }, () => someName());
  const { status, body } = await user.call('POST', '/batches', {
    application_id: tenant.live.application_id,
    hostnames,
  });
  expect(status).toBe(201);
  expect((body['rows'] as { result: string }[]).map(({ result }) => result)).toEqual([
    'created',
    'created',
    'created',
    'quota_exceeded',
    'quota_exceeded', // prettier-ignore
  ]);
  expect(body['results']).toMatchObject({ created: 3, quota_exceeded: 2 });
  const failures = (await user.call('GET', `/batches/${String(body['batch_id'])}`)).body['failures'] as {
    data: object[];
  };
  expect(failures.data).toHaveLength(2);
  expect(await used(user)).toMatchObject({ connect: 3 });
});

test('the limit resets at the start of each month in UTC', async () => {
  const { tenant, user } = await someTenant('monthly', 1);
  clock = new Date('2027-01-31T23:59:59.999Z');
  expect((await create(user, tenant)).status).toBe(201);
  expect((await create(user, tenant)).status).toBe(402);
  clock = new Date('2027-02-01T00:00:00.000Z');
  expect((await create(user, tenant)).status).toBe(201);
  expect((await create(user, tenant)).status).toBe(402);
  expect(await used(user, '?period=2027-01')).toMatchObject({ connect: 1 });
  expect(await used(user, '?period=2027-02')).toMatchObject({ connect: 1 });
  for (const id of ['2027-01', '2027-02']) expect(await recountUsage(api.deps.pool, periodNamed(id))).toEqual([]);
});

test('all four kinds are always listed, and other tenants and applications do not see them', async () => {
  const { tenant, user } = await someTenant('unlimited');
  await create(user, tenant);
  expect((await user.call('GET', '/usage')).body).toMatchObject({ plan: 'unlimited', data: [{ kind: 'connect', quantity: 1, limit: null }, { kind: 'active_domain' }, { kind: 'cert' }, { kind: 'api_call' }] }); // prettier-ignore
  expect(await used(user, `?application_id=${tenant.live.application_id}`)).toMatchObject({ connect: 1 });
  expect(await used(user, `?application_id=${tenant.test.application_id}`)).toMatchObject({ connect: 0 });
  const other = await someTenant('unlimited');
  expect(await used(other.user)).toMatchObject({ connect: 0 });
  expect((await other.user.call('GET', `/usage?application_id=${tenant.live.application_id}`)).status).toBe(404);
  for (const period of ['2026-13', '26-01', 'now'])
    expect((await user.call('GET', `/usage?period=${period}`)).status).toBe(400);
});

test('calls are counted, except server errors, anonymous calls and replays', async () => {
  const { tenant, user } = await someTenant('unlimited');
  await user.call('GET', '/connections');
  await user.call('GET', '/connections/nonsense');
  await user.call('POST', '/subscriptions', { plan: 'starter' }); // 502
  await new ApiUser(api.baseUrl, { ...tenant.live, key: 'sk_live_wrong' }).call('GET', '/connections');
  await meter.flush();
  expect(await used(user)).toMatchObject({ api_call: 2 });
});

test('a report whose answer was lost counts once', async () => {
  const { tenant } = await someTenant('unlimited');
  const { pool } = api.deps;
  let losing = true;
  const lossy = new Proxy(pool, {
    get(target, name): unknown {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== 'query' || typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        const answer: unknown = await Reflect.apply(value, target, args);
        if (losing) throw new Error('The answer got lost.');
        return answer;
      };
    },
  });
  const own = new ApiCallMeter(lossy, () => undefined);
  own.note(tenant.tenant_id, tenant.live.application_id, new Date());
  await expect(own.flush()).rejects.toThrow('lost');
  own.note(tenant.tenant_id, tenant.live.application_id, new Date());
  losing = false;
  await own.flush();
  await own.stop();
  const now = new Date();
  const { api_call } = await readUsage(pool, {
    tenantId: tenant.tenant_id,
    applicationId: null,
    period: periodAt(now),
    now,
  });
  expect(api_call).toBe(2);
});

test('a killed process loses at most the calls of its last second', async () => {
  const { tenant } = await someTenant('unlimited');
  const counted = async () => {
    const now = new Date();
    const which = { tenantId: tenant.tenant_id, applicationId: null, period: periodAt(now), now };
    return readUsage(api.deps.pool, which);
  };
  const call = (port: number) => create(new ApiUser(`http://127.0.0.1:${port}`, tenant.live), tenant);
  const killed = await startApiProcess(api.databaseUrl, { RATE_LIMIT_KEY: '0' });
  for (let i = 0; i < 20; i++) expect((await call(killed.port)).status).toBe(201);
  await until(async () => (await counted()).api_call === 20);
  for (let i = 0; i < 5; i++) await call(killed.port);
  await killed.stop('SIGKILL');
  const { api_call, connect } = await counted();
  expect(api_call).toBeGreaterThanOrEqual(20);
  expect(api_call).toBeLessThanOrEqual(25);
  expect(connect).toBe(25);

  const stopped = await startApiProcess(api.databaseUrl, { RATE_LIMIT_KEY: '0' });
  for (let i = 0; i < 5; i++) await call(stopped.port);
  await stopped.stop('SIGTERM');
  expect((await counted()).api_call).toBe(api_call + 5);
  expect(await recountUsage(api.deps.pool, periodAt(new Date()))).toEqual([]);
});

test('after a day of random traffic over the end of a month, the counters match the rows', async () => {
  const tenants = [await someTenant('unlimited'), await someTenant('day', 40)];
  const { pool } = api.deps;
  let at = Date.parse('2027-03-31T12:00:00Z');
  const random = seeded(7);
  const live: { id: string }[] = [];
  for (let step = 0; step < 250; step++) {
    at += Math.floor(random() * 700_000);
    clock = new Date(at);
    const { tenant, user } = tenants[Math.floor(random() * 2)]!;
    const dice = random();
    if (dice < 0.45 || live.length === 0) {
      const { status, body } = await create(user, tenant);
      if (status === 201) live.push({ id: String(body['id']) });
    } else await step_(live, dice);
  }
  const now = new Date(at);
  await beginPeriod(pool, now);
  for (const id of ['2027-03', '2027-04']) expect(await recountUsage(pool, periodNamed(id))).toEqual([]);
  expect((await used(tenants[0]!.user, '?period=2027-04'))['active_domain']).toBeGreaterThan(0);
  expect((await used(tenants[0]!.user, '?period=2027-04'))['cert']).toBeGreaterThan(0);

  async function step_(rows: { id: string }[], dice: number): Promise<void> {
    const index = Math.floor(random() * rows.length);
    const { id } = rows[index]!;
    await pool.transaction(async (tx) => {
      let row = (await lockConnection(tx, id))!;
      const move = async (trigger: Parameters<typeof transition>[2], change = {}) => {
        const moved = await transition(tx, row, trigger, { now: new Date(at), ...change });
        if (moved.outcome === 'moved') row = moved.row;
      };
      if (row.state === 'pending_ownership' && dice < 0.85) {
        for (const trigger of ['checkStarted', 'challengeSeen', 'recordsAddedManually', 'recordsSeen'] as const)
          await move(trigger);
        const certificate = { certificate_status: 'issued', certificate_not_after: new Date(at + 1e9), certificate_checked_at: new Date(at) }; // prettier-ignore
        await move('certificateSeen', certificate);
      } else if (row.state === 'live' && dice < 0.75) await move('recordsDrifted');
      else if (row.state === 'drifted' && dice < 0.75) await move('recordsRestored');
      else {
        await archiveConnection(tx, row, new Date(at));
        rows.splice(index, 1);
      }
    });
  }
});

/** Returns a generator of the same numbers in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
