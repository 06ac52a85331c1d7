import { decodeJwt } from 'jose';
import { transition } from '../../src/db/connection/transitions.ts';
import { lockConnection } from '../../src/db/connection/connections.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { send } from '../support/http.ts';

let api: TestApi;
let tenant: NewTenant;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
});
afterAll(() => api.stop());

interface Created {
  id: string;
  external_id: string | null;
  ownership_challenge: { value: string };
}

const mint = async (external_id?: string, key = tenant.live.key): Promise<string> => {
  const { auth_token } = expectData(
    await api.client(key).POST('/v1/tokens', {
      body: { application_id: tenant.live.application_id, ...(external_id === undefined ? {} : { external_id }) },
    }),
  );
  return auth_token;
};
const create = (credential: string, hostname: string, more: object = {}, headers: Record<string, string> = {}) =>
  send('POST', `${api.baseUrl}/v1/connections`, {
    credential,
    headers,
    body: { application_id: tenant.live.application_id, hostname, ...more },
  });
const read = (credential: string, id: string) => send('GET', `${api.baseUrl}/v1/connections/${id}`, { credential });

/** Proves ownership as the workflow would. */
const prove = (id: string) =>
  api.deps.pool.transaction(async (tx) => {
    const now = new Date();
    const checking = await transition(tx, (await lockConnection(tx, id))!, 'checkStarted', { now });
    if (checking.outcome === 'moved') await transition(tx, checking.row, 'challengeSeen', { now });
  });

test('a token carries the external id that the backend gave it, and connections that it creates have it', async () => {
  const token = await mint('customer-1');

  const { status, body } = await create(token, someName());

  expect(decodeJwt(token)).toMatchObject({ ext: 'customer-1' });
  expect([status, body]).toMatchObject([201, { external_id: 'customer-1' }]);
});

test.each(['customer-2', null])('a browser cannot choose an external id (%s)', async (external_id) => {
  for (const token of [await mint('customer-1'), await mint()]) {
    const { status, body } = await create(token, someName(), { external_id });

    expect([status, body]).toMatchObject([
      400,
      { error: { code: 'invalid', details: [{ path: 'body.external_id', code: 'widget_token' }] } },
    ]);
  }
});

test('another external id gets its own connection and challenge, and the same id resumes the existing one', async () => {
  const hostname = someName();
  const [first, second] = [await mint('customer-1'), await mint('customer-2')];
  const answers = [
    await create(first, hostname),
    await create(second, hostname),
    await create(await mint(), hostname),
    await create(tenant.live.key, hostname, { external_id: 'customer-2' }),
    await create(first, hostname),
  ];
  const bodies = answers.map(({ body }) => body as Created);

  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 200, 200]);
  expect([bodies[3]!.id, bodies[4]!.id]).toEqual([bodies[1]!.id, bodies[0]!.id]);
  expect(new Set(bodies.slice(0, 3).map(({ ownership_challenge: { value } }) => value)).size).toBe(3);
  expect(bodies.slice(0, 3).map(({ external_id }) => external_id)).toEqual(['customer-1', 'customer-2', null]);
});

test('twenty concurrent requests of one customer create one connection', async () => {
  const [token, hostname] = [await mint('customer-1'), someName()];

  const answers = await Promise.all(Array.from({ length: 20 }, () => create(token, hostname)));

  expect(new Set(answers.map(({ body }) => (body as Created).id)).size).toBe(1);
});

test('a token sees only connections of its external id, and gets the same 404 for others as for missing ones', async () => {
  const hostname = someName();
  const tokens = [await mint('customer-1'), await mint('customer-2'), await mint()];
  const ids: string[] = [];
  for (const token of tokens) ids.push(((await create(token, hostname)).body as Created).id);
  const absent = await read(tokens[0]!, '019a0000-0000-7000-8000-000000000001');

  for (const [mine, token] of tokens.entries()) {
    for (const [at, id] of ids.entries()) {
      const seen = await read(token, id);
      const checked = await send('POST', `${api.baseUrl}/v1/connections/${id}/records:check`, { credential: token });
      expect([seen.status, checked.status]).toEqual(mine === at ? [200, 200] : [404, 404]);
      if (mine !== at) expect([seen.text, checked.text]).toEqual([absent.text, absent.text]);
    }
  }
});

test('a hostname that another customer has proved is refused without details of the other connection', async () => {
  const hostname = someName();
  const [first, second] = [await mint('customer-1'), await mint('customer-2')];
  const { id } = (await create(first, hostname)).body as Created;
  await prove(id);

  const refused = await create(second, hostname);
  const byKey = await create(tenant.live.key, hostname);

  expect([refused.status, refused.body]).toMatchObject([
    409,
    { error: { code: 'HostnameConflict', details: { connection_id: null } } },
  ]);
  expect(refused.text).not.toContain(id);
  expect(byKey.body).toMatchObject({ error: { details: { connection_id: id } } });
});

test('an idempotent answer for one customer is not replayed to another', async () => {
  const hostname = someName();
  const headers = { 'idempotency-key': 'same' };
  const first = await create(await mint('customer-1'), hostname, {}, headers);
  const second = await create(await mint('customer-2'), hostname, {}, headers);

  expect(second.headers.get('idempotent-replayed')).toBeNull();
  expect((second.body as Created).id).not.toBe((first.body as Created).id);
});

test('revoking a key revokes its tokens at the next request', async () => {
  const { id, secret } = expectData(
    await api.client(tenant.live.key).POST('/v1/applications/{id}/keys', {
      params: { path: { id: tenant.live.application_id } },
      body: { name: 'soon revoked', scopes: ['connections:write', 'connections:read'] },
    }),
  );
  const token = await mint('customer-1', secret);
  const before = await create(token, someName());
  const path = { id: tenant.live.application_id, keyId: id };
  expectData(await api.client(tenant.live.key).DELETE('/v1/applications/{id}/keys/{keyId}', { params: { path } }));

  const after = await create(token, someName());

  expect([before.status, after.status]).toEqual([201, 401]);
});
