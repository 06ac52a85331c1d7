import type { ServiceClient } from '../../client/index.ts';
import { getConnection } from '../../src/db/connection/connections.ts';
import { transition } from '../../src/db/connection/transitions.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { insertCredential } from '../../src/db/zone/credentials.ts';
import { expectData, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { ApiUser } from '../support/fixtures/api-user.ts';

let api: TestApi;
/** A second process of the service, with a zone to which customers can delegate validation. */
let delegating: TestApi;
let tenant: NewTenant;
let other: NewTenant;
let client: ServiceClient;
beforeAll(async () => {
  api = await startTestApi();
  delegating = await startTestApi({
    databaseUrl: api.databaseUrl,
    delegation: { nameFor: (hostname) => `${hostname.length}.acme.service.dev`, fingerprint: 'test' },
    keys: api.deps.keys,
  });
  [tenant, other] = [await api.tenant(), await api.tenant()];
  client = delegating.client(tenant.live.key);
});
afterAll(async () => {
  await delegating.stop();
  await api.stop();
});

const newDomain = () => `n${crypto.randomUUID().slice(0, 8)}-customer.com`;
const create = (hostname: string, by = client, owner = tenant, more: object = {}) =>
  by.POST('/v1/connections', { body: { application_id: owner.live.application_id, hostname, ...more } });
const codeOf = ({ error }: { error?: unknown }) =>
  (error as { error: { details: { code: string }[] } } | undefined)?.error.details[0]?.code;

async function prove(id: string): Promise<void> {
  await api.deps.pool.transaction(async (tx) => {
    for (const trigger of ['checkStarted', 'challengeSeen'] as const)
      await transition(tx, (await getConnection(tx, id))!, trigger, { now: new Date() });
  });
}

/** Saves a credential that covers a zone, as POST /credentials would after the provider accepted it. */
const coverZone = (zone: string, { live }: NewTenant, tenantId = tenant.tenant_id) =>
  insertCredential(api.deps.pool, {
    id: crypto.randomUUID(),
    tenant_id: tenantId,
    application_id: live.application_id,
    provider: 'vultr',
    label: null,
    hint: '…',
    zones: [zone],
    zone_handles: [],
    status: 'ok',
    reason: null,
    key_id: 'k1',
    wrapped_key: Buffer.alloc(1),
    ciphertext: Buffer.alloc(1),
    last_verified_at: null,
    expires_at: null,
  });

test('a wildcard is proved at its domain and wants one record, at the wildcard itself', async () => {
  const domain = newDomain();
  const made = await create(` *.${domain.toUpperCase()}. `);
  const { id, hostname, kind, ownership_challenge } = expectData(made);
  expect([made.response.status, hostname, kind]).toEqual([201, `*.${domain}`, 'subdomain']);
  expect(ownership_challenge.name).toBe(`_service-challenge.${domain}`);
  const detail = expectData(await client.GET('/v1/connections/{id}', { params: { path: { id } } }));
  expect(detail.desired_records).toMatchObject([
    { host: `*.${domain}`, type: 'CNAME', value: 'edge.service.dev', relative_host: '*' },
  ]);
  expect(detail.records_to_add.map(({ host, panel_host }) => [host, panel_host])).toEqual([
    [`_service-challenge.${domain}`, '_service-challenge'],
    [`_acme-challenge.${domain}`, '_acme-challenge'],
    [`*.${domain}`, '*'],
  ]);
  const again = await create(`*.${domain}`);
  expect([again.response.status, again.data?.id]).toEqual([200, id]);
  const list = await client.GET('/v1/connections', { params: { query: { hostname: `*.${domain}.` } } });
  expect(expectData(list).data.map((row) => row.id)).toEqual([id]);
});

test('a wildcard without a way to validate by DNS is refused in connections, batches and tokens, and found by the domain check', async () => {
  const [domain, plain] = [newDomain(), api.client(tenant.live.key)];
  const application_id = tenant.live.application_id;
  const refused = await create(`*.${domain}`, plain);
  expect([refused.response.status, codeOf(refused)]).toEqual([400, 'wildcard_needs_dns']);
  expect(refused.error).toMatchObject({ error: { code: 'invalid', details: [{ path: 'body.hostname' }] } });

  const batch = await plain.POST('/v1/batches', { body: { application_id, hostnames: [`*.${domain}`, domain] } });
  expect(expectData(batch).rows).toMatchObject([
    { hostname: `*.${domain}`, result: 'invalid', problem: { code: 'wildcard_needs_dns' } },
    { hostname: domain, result: 'created', problem: null },
  ]);
  const token = await plain.POST('/v1/tokens', { body: { application_id, domain: `*.${domain}` } });
  expect([token.response.status, codeOf(token)]).toEqual([400, 'wildcard_needs_dns']);

  const findings = async (by: ServiceClient) =>
    expectData(await by.POST('/v1/domains:check', { body: { application_id, domain: `*.${domain}` } })).findings.map(
      ({ code }) => code,
    );
  expect(await findings(plain)).toContain('wildcard_needs_dns');
  expect(await findings(client)).not.toContain('wildcard_needs_dns');
});

test('a credential of the application that covers the zone is enough, and one of another application is not', async () => {
  const [domain, plain] = [newDomain(), api.client(tenant.live.key)];
  await coverZone(domain, other, other.tenant_id);
  expect(codeOf(await create(`*.${domain}`, plain))).toBe('wildcard_needs_dns');
  await coverZone(domain, tenant);
  expect((await create(`*.shop.${domain}`, plain)).response.status).toBe(201);
  expect((await create(`*.${domain}`, plain)).response.status).toBe(201);
});

test('a sandbox wildcard needs no credential, because its DNS is a table', async () => {
  const hostname = `*.n${crypto.randomUUID().slice(0, 8)}.auto.test`;
  const made = await api
    .client(tenant.test.key)
    .POST('/v1/connections', { body: { application_id: tenant.test.application_id, hostname } });
  expect([made.response.status, made.data?.hostname]).toEqual([201, hostname]);
});

test('an exact hostname and a wildcard above it do not exclude each other, and each conflicts with itself only', async () => {
  const domain = newDomain();
  const theirs = delegating.client(other.live.key);
  const wildcard = expectData(await create(`*.${domain}`));
  await prove(wildcard.id);
  for (const hostname of [`shop.${domain}`, domain, `a.b.${domain}`, `*.shop.${domain}`])
    expect([hostname, (await create(hostname, theirs, other)).response.status]).toEqual([hostname, 201]);

  const taken = await create(`*.${domain}`, theirs, other);
  expect(taken.response.status).toBe(409);
  expect(taken.error).toMatchObject({
    error: { code: 'HostnameConflict', details: { hostname: `*.${domain}`, same_tenant: false, connection_id: null } },
  });
  const { response } = await theirs.GET('/v1/connections/{id}', { params: { path: { id: wildcard.id } } });
  expect(response.status).toBe(404);
});

test('the record template fills in the wildcard, and a template with names below the hostname is refused', async () => {
  const domain = newDomain();
  const templated = expectData(
    await client.POST('/v1/applications', {
      body: {
        name: 'Templated',
        environment: 'live',
        record_template: [{ host: '@', type: 'CNAME', value: '{subdomain}.{sld}.{tld}.target.service.dev' }],
      },
    }),
  );
  const application = { ...tenant, live: { ...tenant.live, application_id: templated.id } };
  const { id } = expectData(await create(`*.${domain}`, client, application));
  const { desired_records } = expectData(await client.GET('/v1/connections/{id}', { params: { path: { id } } }));
  expect(desired_records).toMatchObject([{ host: `*.${domain}`, value: `*.${domain}.target.service.dev` }]);

  const path = { id: templated.id };
  const record_template = [{ host: 'www', type: 'CNAME' as const, value: '{cname_target}' }];
  expectData(await client.PATCH('/v1/applications/{id}', { params: { path }, body: { record_template } }));
  expect(codeOf(await create(`*.${newDomain()}`, client, application))).toBe('record_below_wildcard');
  expect((await create(`shop.${newDomain()}`, client, application)).response.status).toBe(201);
});

test('a wildcard has no companion, and its mail cannot be configured', async () => {
  const domain = newDomain();
  expect(codeOf(await create(`*.${domain}`, client, tenant, { companion: true }))).toBe('no_companion');
  const path = { id: tenant.live.application_id };
  expectData(await client.PATCH('/v1/applications/{id}', { params: { path }, body: { companion: true } }));
  const { id } = expectData(await create(`*.${domain}`));
  expectData(await client.PATCH('/v1/applications/{id}', { params: { path }, body: { companion: false } }));
  const detail = expectData(await client.GET('/v1/connections/{id}', { params: { path: { id } } }));
  expect(detail.companion).toBeNull();
  const mail = await client.POST('/v1/email/records', {
    body: { domain: `*.${domain}`, provider: 'google_workspace' },
  });
  expect([mail.response.status, codeOf(mail)]).toEqual([400, 'wildcard']);
});

test('a wildcard is one connect of usage', async () => {
  const owner = await api.tenant();
  const user = new ApiUser(delegating.baseUrl, owner.live);
  await user.connect(`*.${newDomain()}`);
  const { body } = await user.call('GET', '/usage');
  expect(body['data']).toContainEqual(expect.objectContaining({ kind: 'connect', quantity: 1 }));
});

test('a widget token that is bound to a wildcard connects the wildcard and nothing below it', async () => {
  const domain = newDomain();
  const { auth_token } = expectData(
    await client.POST('/v1/tokens', {
      body: { application_id: tenant.live.application_id, domain: `*.${domain.toUpperCase()}` },
    }),
  );
  const browser = delegating.client(auth_token);
  const below = await create(`shop.${domain}`, browser);
  const { response, data } = await create(`*.${domain}`, browser);
  expect([below.response.status, response.status, data?.hostname]).toEqual([403, 201, `*.${domain}`]);

  const exact = expectData(await create(`shop.${domain}`));
  const seen = await browser.GET('/v1/connections/{id}', { params: { path: { id: exact.id } } });
  expect(seen.response.status).toBe(404);
});
