import { getCredential, recordHealth } from '../../src/db/zone/credentials.ts';
import { none, sql } from '../../src/db/pool.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { openAccount } from '../../src/provisioning/account.ts';
import { expectData, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { startPowerDnsApi, type PowerDnsApi } from '../support/servers/powerdns-api.ts';
import { start as startCloudflare } from '../providers/doubles/cloudflare.ts';
import { start as startGoogle } from '../providers/doubles/google_cloud_dns.ts';
import type { ProviderDouble } from '../providers/doubles/double.ts';

let api: TestApi;
let dns: PowerDnsApi;
let cloudflare: ProviderDouble;
let google: ProviderDouble;
beforeAll(async () => {
  [dns, cloudflare, google] = await Promise.all([startPowerDnsApi(), startCloudflare(), startGoogle()]);
  api = await startTestApi();
  const baseUrls = new Map([
    ['cloudflare', cloudflare.url],
    ['google_cloud_dns', google.url],
    ['google_cloud_dns_token', google.tokenUrl ?? ''],
  ]);
  Object.assign(api.deps.providerAccess, { baseUrls });
});
afterAll(async () => {
  await api.stop();
  await cloudflare.stop();
  await google.stop();
  await dns.stop();
});

const client = (tenant: NewTenant) => api.client(tenant.test.key);
const secret = (api_key = dns.apiKey) => ({ api_url: dns.apiUrl, api_key });

/** Creates a connection that a credential covers, in the state after its first write. */
async function connected(zone: string) {
  const tenant = await api.tenant();
  await dns.createZone(zone);
  const path = { id: tenant.test.application_id };
  const body = { provider: 'powerdns', credentials: secret(), label: 'ours' };
  const { id: cid } = expectData(
    await client(tenant).POST('/v1/applications/{id}/credentials', { params: { path }, body }),
  );
  const created = await client(tenant).POST('/v1/connections', {
    body: { application_id: path.id, hostname: `shop.${zone}` },
  });
  const { id } = expectData(created);
  await api.deps.pool.query(sql.type(none)`UPDATE connections SET credential_id = ${cid} WHERE id = ${id}`);
  const patch = (changes: Record<string, unknown>) =>
    client(tenant).PATCH('/v1/applications/{id}/credentials/{cid}', {
      params: { path: { ...path, cid } },
      body: changes,
    });
  const findings = async () =>
    expectData(await client(tenant).GET('/v1/connections/{id}', { params: { path: { id } } })).findings;
  return { tenant, id, cid, patch, findings };
}

test('a new secret is tested against the provider, encrypted and used by the connections', async () => {
  const { cid, id, patch } = await connected('replaced.com');
  const before = (await getCredential(api.deps.pool, cid))!;
  await recordHealth(api.deps.pool, cid, { status: 'invalid', reason: 'It was withdrawn.', zones: null });
  await api.deps.pool.query(sql.type(none)`DELETE FROM outbox WHERE aggregate_id = ${id}`);

  const { response, data } = await patch({ credentials: secret(), label: 'next year' });

  expect([response.status, data]).toMatchObject([
    200,
    {
      id: cid,
      label: 'next year',
      status: 'ok',
      reason: null,
      zones: expect.arrayContaining(['replaced.com']) as unknown,
    },
  ]);
  expect(JSON.stringify(data)).not.toContain(dns.apiKey);
  const after = (await getCredential(api.deps.pool, cid))!;
  expect(after.ciphertext.equals(before.ciphertext)).toBe(false);
  expect(await openAccount(api.deps.providerAccess, after).verify()).toMatchObject([{ name: 'replaced.com' }]);
  const messages = await api.deps.pool.any(sql.unsafe`SELECT kind FROM outbox WHERE aggregate_id = ${id}`);
  expect(messages).toEqual([{ kind: 'credentials_changed' }]);
});

test('a secret that the provider refuses, or that lacks a field, replaces nothing', async () => {
  const { cid, patch } = await connected('kept.com');
  const before = await getCredential(api.deps.pool, cid);
  for (const credentials of [secret('wrong-key'), { api_url: dns.apiUrl }, {}]) {
    const { response, error } = await patch({ credentials });
    expect([response.status, error]).toMatchObject([400, { error: { details: [{ path: 'body.credentials' }] } }]);
  }
  expect(await getCredential(api.deps.pool, cid)).toEqual(before);
});

test('label and expiry can be changed without the secret, and an unknown field is refused', async () => {
  const { cid, patch } = await connected('labels.com');
  const before = (await getCredential(api.deps.pool, cid))!;
  const { data } = await patch({ label: null, expires_at: '2031-05-01T00:00:00Z' });
  expect(data).toMatchObject({ label: null, expires_at: '2031-05-01T00:00:00.000Z', hint: before.hint });
  expect((await patch({})).data).toEqual(data);
  expect((await patch({ provider: 'cloudflare' })).response.status).toBe(400);
  expect((await getCredential(api.deps.pool, cid))?.ciphertext).toEqual(before.ciphertext);
});

test('a credential that is refused or about to expire is a finding of every connection that it writes for', async () => {
  const { cid, patch, findings } = await connected('warned.com');
  expect(await findings()).toEqual([]);

  const inTenDays = new Date(Date.now() + 10 * 86_400_000);
  await patch({ expires_at: inTenDays.toISOString() });
  expect(await findings()).toMatchObject([
    {
      code: 'credential_expiring',
      severity: 'warning',
      message: `The powerdns credential "ours" expires on ${inTenDays.toISOString().slice(0, 10)}.`,
    },
  ]);

  await recordHealth(api.deps.pool, cid, { status: 'invalid', reason: 'PowerDNS: Unauthorized.', zones: null });
  expect(await findings()).toMatchObject([{ code: 'credential_invalid', severity: 'warning' }]);

  await patch({ credentials: secret() });
  expect(await findings()).toEqual([]);
});

test('the hint of a credential is the end of its secret, or at Google its project and key, which no other key has', async () => {
  const tenant = await api.tenant();
  const add = async (provider: string, credentials: Record<string, string>) => {
    const params = { path: { id: tenant.test.application_id } };
    return expectData(
      await client(tenant).POST('/v1/applications/{id}/credentials', { params, body: { provider, credentials } }),
    );
  };
  expect(await add('cloudflare', { ...cloudflare.credential })).toMatchObject({ hint: '…cdef' });
  expect(await add('google_cloud_dns', { ...google.credential })).toMatchObject({
    hint: 'laboratory-project, key 01234567…',
  });
});

test('the expiry that a provider reports for a token is saved automatically', async () => {
  const tenant = await api.tenant();
  cloudflare.addZone('told.com');
  const { data } = await client(tenant).POST('/v1/applications/{id}/credentials', {
    params: { path: { id: tenant.test.application_id } },
    body: { provider: 'cloudflare', credentials: cloudflare.credential },
  });
  expect(data).toMatchObject({ status: 'ok', expires_at: '2099-01-01T00:00:00.000Z' });
});
