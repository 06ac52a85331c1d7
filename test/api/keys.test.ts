import pg from 'pg';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { expectData, startTestApi, type TestApi } from '../support/fixtures/api.ts';

let api: TestApi;
let sibling: TestApi;
let tenant: NewTenant;
beforeAll(async () => {
  api = await startTestApi();
  sibling = await startTestApi({ databaseUrl: api.databaseUrl });
  tenant = await api.tenant();
});
afterAll(async () => {
  await sibling.stop();
  await api.stop();
});

const createKey = (
  credential: string,
  body: { name: string; scopes?: ('connections:read' | 'apps:admin' | 'usage:read')[] },
  id = tenant.live.application_id,
) => api.client(credential).POST('/v1/applications/{id}/keys', { params: { path: { id } }, body });

test('a key can grant only its own scopes', async () => {
  const admin = expectData(await createKey(tenant.live.key, { name: 'admin', scopes: ['apps:admin', 'usage:read'] }));

  const same = await createKey(admin.secret!, { name: 'same' });
  const fewer = await createKey(admin.secret!, { name: 'fewer', scopes: ['usage:read'] });
  const more = await createKey(admin.secret!, { name: 'more', scopes: ['usage:read', 'connections:read'] });

  expect(same.data?.scopes).toEqual(['apps:admin', 'usage:read']);
  expect(fewer.data?.scopes).toEqual(['usage:read']);
  expect([more.response.status, more.error?.error.code]).toEqual([403, 'forbidden']);
});

test('a key has the environment of its application, and a live key can create keys for both', async () => {
  const made = expectData(await createKey(tenant.live.key, { name: 'for tests' }, tenant.test.application_id));

  expect(made).toMatchObject({
    environment: 'test',
    last4: made.secret!.slice(-4),
    last_used_at: null,
    revoked_at: null,
  });
  expect(made.secret).toMatch(/^sk_test_[0-9A-Za-z]{49}$/);
});

test('a revoked key is refused at its next request, on every process, and revoking again changes nothing', async () => {
  const { id, secret } = expectData(await createKey(tenant.live.key, { name: 'short-lived' }));
  const ask = (on: TestApi) => on.client(secret!).GET('/v1/providers');
  const path = { id: tenant.live.application_id, keyId: id };
  const revoke = () => api.client(tenant.live.key).DELETE('/v1/applications/{id}/keys/{keyId}', { params: { path } });
  const before = [await ask(api), await ask(sibling)];

  const first = await revoke();
  const after = [await ask(api), await ask(sibling)];
  const second = await revoke();

  expect(before.map(({ response }) => response.status)).toEqual([200, 200]);
  expect(after.map(({ response }) => response.status)).toEqual([401, 401]);
  expect(first.data).toMatchObject({ id, revoked_at: expect.any(String) as string });
  expect(first.data).not.toHaveProperty('secret');
  expect(second.data).toEqual(first.data);
});

test('a key revoked under load is never accepted after the revocation was answered', async () => {
  const { id, secret } = expectData(await createKey(tenant.live.key, { name: 'busy' }));
  const path = { id: tenant.live.application_id, keyId: id };
  let revoked = false;
  const late: number[] = [];
  const hammer = async (on: TestApi) => {
    for (let n = 0; n < 60; n++) {
      const began = revoked;
      const { response } = await on.client(secret!).GET('/v1/providers');
      if (began) late.push(response.status);
    }
  };
  const load = [api, sibling, api, sibling].map(hammer);

  await api.client(tenant.live.key).DELETE('/v1/applications/{id}/keys/{keyId}', { params: { path } });
  revoked = true;
  await Promise.all(load);

  expect(late.length).toBeGreaterThan(0);
  expect(new Set(late)).toEqual(new Set([401]));
});

test('the last use is recorded at most once a minute', async () => {
  const { id, secret } = expectData(await createKey(tenant.live.key, { name: 'used' }));
  const usedAt = async () => {
    const list = await api
      .client(tenant.live.key)
      .GET('/v1/applications/{id}/keys', { params: { path: { id: tenant.live.application_id } } });
    return expectData(list).data.find((key) => key.id === id)!.last_used_at;
  };
  const before = await usedAt();
  await api.client(secret!).GET('/v1/providers');
  const first = await usedAt();
  await api.client(secret!).GET('/v1/providers');

  expect([before, first === null, await usedAt()]).toEqual([null, false, first]);
});

test('the database stores a hash and four characters, and lists show no more', async () => {
  const { id, secret } = expectData(await createKey(tenant.live.key, { name: 'hidden' }));
  const database = new pg.Client({ connectionString: api.databaseUrl });
  await database.connect();

  const { rows } = await database.query<{ row: string }>('SELECT api_keys::text AS row FROM api_keys WHERE id = $1', [
    id,
  ]);
  const list = await api
    .client(tenant.live.key)
    .GET('/v1/applications/{id}/keys', { params: { path: { id: tenant.live.application_id } } });
  await database.end();

  expect(rows[0]!.row).not.toContain(secret!.slice(8, -4));
  expect(JSON.stringify(list.data)).not.toMatch(/sk_live_|hash/);
});

test("an application's key list does not show keys of another, which cannot be revoked through it", async () => {
  const { id } = expectData(await createKey(tenant.live.key, { name: 'here' }));
  const path = { id: tenant.test.application_id, keyId: id };

  const { response } = await api
    .client(tenant.live.key)
    .DELETE('/v1/applications/{id}/keys/{keyId}', { params: { path } });

  expect(response.status).toBe(404);
});
