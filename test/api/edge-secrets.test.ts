import { compactDecrypt } from 'jose';
import { createPublicKey, randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import {
  copyMissingSecrets,
  createEdgeSecret,
  rewrapEdgeSecrets,
  storedSigningKeys,
} from '../../src/certificates/edge-secrets.ts';
import { none, sql } from '../../src/db/pool.ts';
import { newEdgeToken, registerToken } from '../../src/db/edge/registered-edges.ts';
import { keyOfPem, newPrivateKey } from '../../src/x509/keys.ts';
import { openVault } from '../../src/vault/vault.ts';
import { startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { send } from '../support/http.ts';

let api: TestApi;
let tenant: NewTenant;
beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(async () => {
  tenant = await api.tenant();
});
afterAll(() => api.stop());

interface Body {
  id: string;
  secret?: string;
  active_from: string;
  created_at: string;
}
const call = (method: string, path = '', body?: unknown, headers: Record<string, string> = {}) =>
  send(method, `${api.baseUrl}/v1/applications/${tenant.test.application_id}/edge-secrets${path}`, {
    credential: tenant.test.key,
    headers,
    ...(body === undefined ? {} : { body }),
  });
const made = async (body?: object): Promise<Body> => (await call('POST', '', body)).body as Body;
const listed = async (): Promise<Body[]> => ((await call('GET')).body as { data: Body[] }).data;
const keyOf = ({ secret = '' }: Body): string => secret.slice('edgesec_'.length);

test('a secret is shown once, and signs from a day later on', async () => {
  const { status, body } = await call('POST');
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(String) as string,
      secret: expect.stringMatching(/^edgesec_[A-Za-z0-9+/]{43}=$/) as string,
      active_from: expect.any(String) as string,
      created_at: expect.any(String) as string,
    },
  ]);
  const { id, active_from, created_at } = body as Body;
  expect(Date.parse(active_from) - Date.parse(created_at)).toBe(86_400_000);
  expect(await listed()).toEqual([{ id, active_from, created_at }]);
});

test('while one is pending, another is refused, and now: true replaces it', async () => {
  const active = await made({ now: true });
  expect(active.active_from).toBe(active.created_at);
  const pending = await made({ now: false });
  expect(await call('POST')).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
  const replaced = await made({ now: true });
  expect((await listed()).map(({ id }) => id)).toEqual([replaced.id, active.id]);
  expect((await call('DELETE', `/${pending.id}`)).status).toBe(404);
});

test('a repeated create returns the same secret without its value', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const [first, second] = [await call('POST', '', {}, headers), await call('POST', '', {}, headers)];
  expect(second.body).toEqual({ ...(first.body as object), secret: undefined });
});

test('a deleted secret is gone, and an application has at most five', async () => {
  const all = [];
  for (let count = 0; count < 5; count++) all.push(await made({ now: true }));
  expect(await call('POST', '', { now: true })).toMatchObject({
    status: 409,
    body: { error: { code: 'invalid_state' } },
  });
  expect((await call('DELETE', `/${all[0]!.id}`)).status).toBe(204);
  expect((await call('DELETE', `/${all[0]!.id}`)).status).toBe(404);
  expect((await listed()).length).toBe(4);
});

test('no column contains a secret, and other tenants’ rows are out of reach', async () => {
  const secret = await made({ now: true });
  const { rows } = await api.deps.pool.query(sql.unsafe`
    SELECT edge_secrets::text AS text FROM edge_secrets UNION ALL SELECT admission_origins::text FROM admission_origins
    UNION ALL SELECT edge_secret_copies::text FROM edge_secret_copies
    UNION ALL SELECT idempotent_answers::text FROM idempotent_answers UNION ALL SELECT audit_log::text FROM audit_log
  `);
  const text = JSON.stringify(rows);
  expect(text).toContain(secret.id);
  expect(text).not.toContain(keyOf(secret));
  expect(text).not.toContain(Buffer.from(keyOf(secret), 'base64').toString('hex'));
  const stranger = await api.tenant();
  const foreign = await send('DELETE', `${api.baseUrl}/v1/applications/${stranger.test.application_id}/edge-secrets/${secret.id}`, { credential: stranger.test.key }); // prettier-ignore
  expect(foreign.status).toBe(404);
});

test('rewrapping encrypts secrets with the newest key, and they stay the same', async () => {
  const { pool } = api.deps;
  await pool.query(sql.type(none)`DELETE FROM edge_secrets`);
  const [old, fresh] = [`old:${randomKey()}`, `new:${randomKey()}`];
  const application = { id: tenant.test.application_id, tenant_id: tenant.tenant_id };
  const now = new Date();
  const { id, secret } = await pool.transaction((tx) =>
    createEdgeSecret(tx, openVault(old), application, { activeFrom: now, now }),
  );
  const both = openVault(`${fresh},${old}`);
  expect([await rewrapEdgeSecrets(pool, both), await rewrapEdgeSecrets(pool, both)]).toEqual([1, 0]);
  const key = await storedSigningKeys(pool, openVault(fresh)).get(id);
  expect(key?.export().toString('base64')).toBe(secret.slice('edgesec_'.length));
});

test('an edge that registers later gets the secrets that exist already, encrypted for it', async () => {
  const { pool, vault } = api.deps;
  await pool.query(sql.type(none)`DELETE FROM edge_secrets`);
  const secret = await made({ now: true });
  const [token, privateKey] = [newEdgeToken(), keyOfPem(await newPrivateKey())];
  const publicKey = createPublicKey(privateKey).export({ format: 'jwk' });
  await registerToken(pool, 'later', token, { isNew: true });
  await pool.query(sql.type(z.unknown())`SELECT bind_edge(${token}, ${JSON.stringify(publicKey)}::jsonb)`);
  expect([await copyMissingSecrets(pool, vault), await copyMissingSecrets(pool, vault)]).toEqual([1, 0]);
  const copy = await pool.oneFirst(sql.type(z.object({ sealed: z.string() }))`SELECT sealed FROM edge_secret_copies`);
  const { plaintext } = await compactDecrypt(copy, privateKey);
  expect(JSON.parse(new TextDecoder().decode(plaintext))).toEqual({ id: secret.id, key: keyOf(secret) });
});

const randomKey = (): string => randomBytes(32).toString('base64');
