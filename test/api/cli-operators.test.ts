import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { identityOf } from '../../src/provisioning/account.ts';
import { keepCredential } from '../../src/provisioning/credentials.ts';
import { getCredential, type CredentialHealth } from '../../src/db/zone/credentials.ts';
import { none, sql } from '../../src/db/pool.ts';
import { openVault } from '../../src/vault/vault.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { runCli } from '../support/fixtures/cli.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

async function cli(args: string[], env: Record<string, string> = {}) {
  const { out, err, code } = await runCli([...args, '--json'], { DATABASE_URL: api.databaseUrl, ...env });
  return { json: out === '' ? null : (JSON.parse(out) as unknown), err, code };
}

async function connection() {
  const tenant = await api.tenant();
  const body = { application_id: tenant.test.application_id, hostname: someName() };
  return { tenant, made: expectData(await api.client(tenant.test.key).POST('/v1/connections', { body })) };
}

const messages = (id: string, kind: string) =>
  api.deps.pool.oneFirst(sql.type(z.object({ n: z.number() }))`
    SELECT count(*) AS n FROM outbox WHERE aggregate_id = ${id} AND kind = ${kind}
  `);

test('an operator finds a stuck connection, sees why, rechecks and archives it', async () => {
  const { made, tenant } = await connection();
  await api.deps.pool.query(
    sql.type(none)`UPDATE checks SET due_at = now() - interval '1 hour' WHERE connection_id = ${made.id}`,
  );
  expect((await cli(['connection', 'list', '--stuck'])).json).toMatchObject([
    { id: made.id, tenant_id: tenant.tenant_id },
  ]);
  const shown = (await cli(['connection', 'show', '--connection', made.id])).json;
  expect(shown).toMatchObject({ id: made.id, state: 'pending_ownership', timeline: [{ to: 'pending_ownership' }] });
  for (const times of [1, 2]) {
    expect((await cli(['connection', 'recheck', '--connection', made.id])).json).toEqual({
      id: made.id,
      touched: true,
    });
    expect(await messages(made.id, 'touch')).toBe(times);
  }
  expect((await cli(['connection', 'archive', '--connection', made.id])).json).toMatchObject({ state: 'archived' });
  expect(await cli(['connection', 'recheck', '--connection', made.id])).toMatchObject({
    code: 1,
    err: `${made.hostname} is archived and no longer checked.\n`,
  });
  expect(await cli(['connection', 'show', '--connection', tenant.tenant_id])).toMatchObject({ code: 1, json: null });
});

test('reconcile without a Temporal address names the missing setting', async () => {
  expect(await cli(['reconcile', '--all'])).toMatchObject({
    code: 1,
    err: 'Set TEMPORAL_ADDRESS to the address of the Temporal server.\n',
  });
});

test('rewrap encrypts every credential with the newest key, so the old key can be removed', async () => {
  const { tenant } = await connection();
  const [old, fresh] = [`old:${randomBytes(32).toString('base64')}`, `new:${randomBytes(32).toString('base64')}`];
  const given = {
    tenantId: tenant.tenant_id,
    applicationId: tenant.test.application_id,
    provider: 'powerdns',
    credential: { api_url: 'http://127.0.0.1:9', api_key: 'the secret' },
    label: null,
  };
  const providerAccess = { ...api.deps.providerAccess, vault: openVault(old) };
  const { id } = await keepCredential(providerAccess, api.deps.pool, given, { status: 'ok', reason: null, zones: [] });
  expect((await cli(['credentials', 'rewrap'], { CREDENTIAL_KEYS: `${fresh},${old}` })).json).toEqual({ rewrapped: 1 });
  expect((await cli(['credentials', 'rewrap'], { CREDENTIAL_KEYS: `${fresh},${old}` })).json).toEqual({ rewrapped: 0 });
  const row = (await getCredential(api.deps.pool, id))!;
  const sealed = { keyId: row.key_id, wrappedKey: row.wrapped_key, ciphertext: row.ciphertext };
  expect(openVault(fresh).open(sealed, identityOf(row))).toContain('the secret');
});

test('status counts connections by state and names each credential that is refused or about to expire', async () => {
  const { tenant } = await connection();
  const given = { tenantId: tenant.tenant_id, applicationId: tenant.test.application_id, provider: 'powerdns' };
  const credential = { api_url: 'http://127.0.0.1:9', api_key: 'a-secret-of-some-length' };
  const keep = (health: CredentialHealth, expiresAt: Date | null) =>
    keepCredential(api.deps.providerAccess, api.deps.pool, { ...given, credential, label: null, expiresAt }, health);
  const accepted = { status: 'ok', reason: null, zones: [] } as const;
  const soon = await keep({ ...accepted, zones: [] }, new Date(Date.now() + 86_400_000));
  const refused = await keep({ status: 'invalid', reason: 'PowerDNS: Unauthorized.', zones: null }, null);
  await keep({ ...accepted, zones: [] }, new Date(Date.now() + 300 * 86_400_000));

  const { json } = await cli(['status']);
  const { connections, credentials } = json as { connections: Record<string, number>; credentials: { id: string }[] };
  expect(connections['pending_ownership']).toBeGreaterThan(0);
  const ours = credentials.filter(({ id }) => [soon.id, refused.id].includes(id));
  expect(ours).toMatchObject([
    { id: refused.id, reason: 'PowerDNS: Unauthorized.' },
    { id: soon.id, status: 'ok' },
  ]);
  expect(credentials).toHaveLength(2);
  expect(JSON.stringify(json)).not.toContain(credential.api_key);
});
