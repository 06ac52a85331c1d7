import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { getConnection } from '../../src/db/connection/connections.ts';
import { addCutover } from '../../src/db/zone/cutovers.ts';
import { startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { ApiUser } from '../support/fixtures/api-user.ts';

let api: TestApi;
let tenant: NewTenant;
let user: ApiUser;
let id: string;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
  user = new ApiUser(api.baseUrl, tenant.live);
  const hostname = `shop.c${crypto.randomUUID().slice(0, 8)}.com`;
  const made = await user.call('POST', '/connections', { application_id: tenant.live.application_id, hostname });
  id = String(made.body['id']);
});
afterAll(() => api.stop());

const call = (method: 'GET' | 'POST' | 'DELETE', body?: object) =>
  user.call(method, `/connections/${id}/cutover`, body);

test.each([
  [{ observe_for: 29 }, 'observe_for'],
  [{ observe_for: 86_401 }, 'observe_for'],
  [{ observe_for: '600' }, 'observe_for'],
  [{ lower_ttl: 0 }, 'lower_ttl'],
  [{ probe: { path: 'health' } }, 'path'],
  [{ probe: { path: '/a b' } }, 'path'],
  [{ probe: { path: '/\r\nHost: other' } }, 'path'],
  [{ probe: { expect_status: 99 } }, 'expect_status'],
  [{ probe: { expect_text: '' } }, 'expect_text'],
  [{ probe: { method: 'POST' } }, 'method'],
  [{ now: true }, 'now'],
])('%j is refused', async (body, field) => {
  const answer = await call('POST', body);
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.body)).toContain(field);
});

test('without a cutover there is nothing to read or to cancel, and a connection that does not hold has none', async () => {
  expect(await call('GET')).toMatchObject({ status: 404 });
  expect(await call('DELETE')).toMatchObject({ status: 404 });
  expect(await call('POST')).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
});

test('a cutover in progress excludes another one, and can be cancelled', async () => {
  const { pool } = api.deps;
  const { tenant_id } = (await getConnection(pool, id))!;
  await pool.transaction((tx) =>
    addCutover(tx, {
      tenant_id,
      connection_id: id,
      state: 'probing',
      plan: { provider: 'powerdns', zone: 'brand.com', removes: [], adds: [] },
      probe: { path: '/', expect_status: null, expect_text: null },
      observe_for: 600,
      lower_ttl: null,
      created_at: new Date(),
    }),
  );
  for (const body of [{}, { dry_run: true }])
    expect(await call('POST', body)).toMatchObject({
      status: 409,
      body: { error: { message: 'A cutover of this connection is in progress.' } },
    });
  expect(await call('GET')).toMatchObject({ status: 200, body: { state: 'probing', reason: null } });
  expect(await call('DELETE')).toMatchObject({ status: 202, body: { reason: 'The cutover was cancelled.' } });
});
