import type { NewTenant } from '../../src/db/tenants.ts';
import { none, sql } from '../../src/db/pool.ts';
import { someName, startTestApi, type TestApi } from '../support/api.ts';
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

test('a test key is not told what credentials of live applications could do', async () => {
  const domain = someName();
  await api.deps.pool.query(sql.type(none)`
    INSERT INTO credentials (id, tenant_id, application_id, provider, hint, zones, status, key_id, wrapped_key, ciphertext)
    VALUES (gen_random_uuid(), ${tenant.tenant_id}, ${tenant.live.application_id}, 'cloudflare', '…',
            ${sql.array([domain], 'text')}, 'ok', 'k1', '', '')
  `);

  const answers = [await check(tenant.live.key, { domain }), await check(tenant.test.key, { domain })];

  expect(answers.map(({ body }) => body)).toMatchObject([{ setup_type: 'automatic' }, { setup_type: 'manual' }]);
});
