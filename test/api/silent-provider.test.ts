import { getConnection } from '../../src/db/connection/connections.ts';
import { none, sql } from '../../src/db/pool.ts';
import { keepCredential } from '../../src/provisioning/credentials.ts';
import { writeToZone } from '../../src/provisioning/write.ts';
import { expectData, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { startHttpFront, type HttpFront } from '../support/proxies/http-front.ts';
import { startPowerDnsApi, type PowerDnsApi } from '../support/servers/powerdns-api.ts';

let api: TestApi;
let dns: PowerDnsApi;
let front: HttpFront;
beforeAll(async () => {
  dns = await startPowerDnsApi();
  front = await startHttpFront(dns.apiUrl);
  api = await startTestApi();
});
afterAll(async () => {
  await api.stop();
  await front.stop();
  await dns.stop();
});

/** Creates a connection with records at a provider that can stop answering. */
async function written(zone: string) {
  const tenant = await api.tenant();
  const client = api.client(tenant.test.key);
  await dns.createZone(zone);
  const credential = { api_url: front.url, api_key: dns.apiKey };
  const given = { tenantId: tenant.tenant_id, applicationId: tenant.test.application_id, provider: 'powerdns' };
  const { id: cid } = await keepCredential(
    api.deps.providerAccess,
    api.deps.pool,
    { ...given, credential, label: null },
    { status: 'ok', reason: null, zones: [zone] },
  );
  const body = { application_id: given.applicationId, hostname: `shop.${zone}` };
  const { id } = expectData(await client.POST('/v1/connections', { body }));
  const row = (await getConnection(api.deps.pool, id))!;
  const options = { policy: 'refuse', now: new Date(), signal: AbortSignal.timeout(60_000) } as const;
  await writeToZone(api.deps.providerAccess, row, row.desired_records, options);
  return { tenant, client, id, cid, credential };
}

test('a provider timeout gives unverified credentials and a 502 that names the provider', async () => {
  const { tenant, client, id, cid, credential } = await written('silent.com');
  front.stayingSilent = true;
  const at = { id: tenant.test.application_id };
  const [create, test, plan, revert] = await Promise.all([
    client.POST('/v1/applications/{id}/credentials', {
      params: { path: at },
      body: { provider: 'powerdns', credentials: credential },
    }),
    client.POST('/v1/applications/{id}/credentials/{cid}:test', { params: { path: { ...at, cid } } }),
    client.POST('/v1/connections/{id}/dns:plan', { params: { path: { id } } }),
    client.POST('/v1/connections/{id}/dns:revert', { params: { path: { id } } }),
  ]);
  front.stayingSilent = false;

  const reason = expect.stringContaining('PowerDNS') as string;
  expect([create.response.status, create.data]).toMatchObject([201, { status: 'unverified', reason }]);
  expect([test.response.status, test.data]).toMatchObject([200, { status: 'unverified', reason }]);
  for (const { response, error } of [plan, revert])
    expect([response.status, error]).toMatchObject([502, { error: { code: 'provider_error', message: reason } }]);
});

test('reverting triggers a check of the connection immediately', async () => {
  const { client, id } = await written('reverted.com');
  await api.deps.pool.query(sql.type(none)`DELETE FROM outbox WHERE aggregate_id = ${id}`);
  const { data } = await client.POST('/v1/connections/{id}/dns:revert', { params: { path: { id } } });
  expect(data).toEqual({ reverted: true, values: 1 });
  const messages = await api.deps.pool.any(sql.unsafe`SELECT kind FROM outbox WHERE aggregate_id = ${id}`);
  expect(messages).toEqual([{ kind: 'touch' }]);
});

test(':test clears refused zones and retries their connections', async () => {
  const { tenant, client, id, cid } = await written('refused.com');
  await api.deps.pool.query(sql.type(none)`
    INSERT INTO refused_zones (credential_id, tenant_id, zone, reason, at)
    VALUES (${cid}, ${tenant.tenant_id}, 'refused.com', 'forbidden', now())
  `);
  const plan = () => client.POST('/v1/connections/{id}/dns:plan', { params: { path: { id } } });
  expect((await plan()).response.status).toBe(409);
  await api.deps.pool.query(sql.type(none)`DELETE FROM outbox WHERE aggregate_id = ${id}`);
  const path = { id: tenant.test.application_id, cid };
  expectData(await client.POST('/v1/applications/{id}/credentials/{cid}:test', { params: { path } }));
  expect((await plan()).response.status).toBe(200);
  const messages = await api.deps.pool.any(sql.unsafe`SELECT kind FROM outbox WHERE aggregate_id = ${id}`);
  expect(messages).toEqual([{ kind: 'credentials_changed' }]);
});
