import type { NewTenant } from '../../src/db/tenants.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { send } from '../support/http.ts';

let api: TestApi;
let tenant: NewTenant;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
});
afterAll(() => api.stop());

const check = (credential: string, body: object) =>
  send('POST', `${api.baseUrl}/v1/domains:check`, { credential, body });

test('a name under .test is judged by the application it is for, as create does', async () => {
  const [domain, application_id] = ['shop.customer.test', tenant.test.application_id];

  const forTest = await check(tenant.live.key, { domain, application_id });
  const forLive = await check(tenant.live.key, { domain, application_id: tenant.live.application_id });

  expect([forTest.status, forLive.status]).toEqual([200, 400]);
});
