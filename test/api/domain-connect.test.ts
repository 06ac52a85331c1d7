import { createPublicKey, verify } from 'node:crypto';
import type { DomainConnectIdentity } from '../../src/api/domain-connect.ts';
import { mintWidgetToken } from '../../src/api/widget-token.ts';
import { ownService } from '../../src/domain-connect/own-service.ts';
import { keepOffer } from '../../src/db/zone/domain-connect.ts';
import { findKey } from '../../src/db/tenant/keys.ts';
import { none, sql } from '../../src/db/pool.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { makeSigningKey, readSigningKeys } from '../../src/domain-connect/keys.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { send } from '../support/http.ts';

let api: TestApi;
let tenant: NewTenant;
let identity: DomainConnectIdentity;
beforeAll(async () => {
  identity = { providerId: 'saas-product.com', signingKeys: readSigningKeys(await makeSigningKey('_dcpubkeyv1')) };
  api = await startTestApi({ domainConnect: identity });
  tenant = await api.tenant();
});
afterAll(() => api.stop());

const OFFER = {
  provider_id: 'double.example',
  provider_name: 'Double DNS',
  url_sync_ux: 'https://dns.double.example/ux',
  services: ['subdomain'],
} as const;

async function offered(
  more: { before_dns?: true } = {},
  services: readonly string[] = OFFER.services,
): Promise<{ id: string; hostname: string; zone: string; challenge: string }> {
  const hostname = someName();
  const body = { application_id: tenant.live.application_id, hostname, ...more };
  const made = expectData(await api.client(tenant.live.key).POST('/v1/connections', { body }));
  const zone = hostname.split('.').slice(1).join('.');
  await keepOffer(
    api.deps.pool,
    { id: made.id, tenant_id: tenant.tenant_id },
    { ...OFFER, services, zone },
    new Date(),
  );
  return { id: made.id, hostname, zone, challenge: made.ownership_challenge.value };
}
const read = async (id: string, key = tenant.live.key) =>
  expectData(await api.client(key).GET('/v1/connections/{id}', { params: { path: { id } } }));
const back = (query: Record<string, string>, headers: Record<string, string> = {}) =>
  send('GET', `${api.baseUrl}/domain-connect/return?${new URLSearchParams(query).toString()}`, { headers });
const stateIn = (url: string) => new URL(url).searchParams.get('state') ?? '';

test('a connection at a provider with our template has a link that is signed for each reader', async () => {
  const { id, hostname, zone, challenge } = await offered();

  const link = (await read(id)).domain_connect!;
  const url = new URL(link.apply_url);

  expect(link).toMatchObject({ provider_id: 'double.example', provider_name: 'Double DNS' });
  expect(url.origin + url.pathname).toBe(
    'https://dns.double.example/ux/v2/domainTemplates/providers/saas-product.com/services/subdomain/apply',
  );
  expect([...url.searchParams.keys()]).toEqual(['challenge', 'domain', 'host', 'redirect_uri', 'state', 'key', 'sig']);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    domain: zone,
    host: hostname.split('.')[0],
    challenge,
    redirect_uri: `${api.baseUrl}/domain-connect/return`,
    key: '_dcpubkeyv1',
  });
  const signed = url.search.slice(1).replace(/&key=.*$/, '');
  const publicKey = createPublicKey(identity.signingKeys[0].privateKey);
  const signature = Buffer.from(url.searchParams.get('sig') ?? '', 'base64');
  expect(verify('sha256', Buffer.from(signed), publicKey, signature)).toBe(true);
});

test('where the certificate comes first, the customer consents to its challenges and later to the records', async () => {
  api.deps.delegation = { nameFor: () => 'label.acme.saas-product.com', fingerprint: 'f' };
  const { id, hostname } = await offered({ before_dns: true }, ['subdomain', 'validation']);
  const { id: other } = await offered({ before_dns: true });
  api.deps.delegation = null;
  const consent = async (of: string) => {
    const { domain_connect } = await read(of);
    return domain_connect && new URL(domain_connect.apply_url);
  };
  const first = await consent(id);
  expect(first?.pathname).toMatch(/\/services\/validation\/apply$/);
  expect(Object.fromEntries(first!.searchParams)).toMatchObject({
    host: hostname.split('.')[0],
    delegation: 'label',
  });
  // The usual template would move the hostname before the certificate is there.
  expect(await consent(other)).toBeNull();

  await api.deps.pool.query(sql.type(none)`UPDATE connections SET ready_to_point = true WHERE id = ${id}`);
  const second = await consent(id);
  expect(second?.pathname).toMatch(/\/services\/subdomain\/apply$/);
  expect(second?.searchParams.has('delegation')).toBe(false);
});

test("values of a connection are passed to the provider's template of the application's own records", async () => {
  const record_template = [
    { host: '{var.selector}._domainkey', type: 'CNAME' as const, value: '{var.selector}.dkim.saas-product.com' },
  ];
  const client = api.client(tenant.live.key);
  const made = expectData(await client.POST('/v1/applications', { body: { name: 'Mail', record_template } }));
  const { serviceId } = ownService(record_template, 'subdomain', api.deps.edge)!;
  const body = { application_id: made.id, hostname: someName(), serve: false, variables: { selector: 's1' } };
  const { id, hostname } = expectData(await client.POST('/v1/connections', { body }));
  const offerWith = async (services: string[]) => {
    const zone = hostname.split('.').slice(1).join('.');
    await keepOffer(api.deps.pool, { id, tenant_id: tenant.tenant_id }, { ...OFFER, zone, services }, new Date());
    return (await read(id)).domain_connect;
  };

  expect(await offerWith(['subdomain'])).toBeNull();
  const url = new URL((await offerWith(['subdomain', serviceId]))!.apply_url);
  expect(url.pathname).toMatch(new RegExp(`/services/${serviceId}/apply$`));
  expect(Object.fromEntries(url.searchParams)).toMatchObject({ selector: 's1', host: hostname.split('.')[0] });

  // The provider's template holds other records than the changed template, and the connection still wants the old ones.
  const changed = [...record_template, { host: 'x', type: 'TXT' as const, value: 'more' }];
  await client.PATCH('/v1/applications/{id}', {
    params: { path: { id: made.id } },
    body: { record_template: changed },
  });
  expect((await read(id)).domain_connect).toBeNull();
});

test('there is no link for read-only callers, for other records, or if no records are missing', async () => {
  const { id, zone } = await offered();
  const { id: other } = await offered();
  await keepOffer(
    api.deps.pool,
    { id: other, tenant_id: tenant.tenant_id },
    { ...OFFER, zone, services: ['apex'] },
    new Date(),
  );
  const key = expectData(
    await api.client(tenant.live.key).POST('/v1/applications/{id}/keys', {
      params: { path: { id: tenant.live.application_id } },
      body: { name: 'reader', scopes: ['connections:read'] },
    }),
  );

  const reader = (await read(id, key.secret)).domain_connect;
  const unknown = (await read(other)).domain_connect;
  await api.deps.pool.query(sql.type(none)`UPDATE connections SET state = 'live' WHERE id = ${id}`);

  expect([reader, unknown, (await read(id)).domain_connect]).toEqual([null, null, null]);
});

test('the return page notifies the windows of the application and triggers a check, but proves nothing', async () => {
  const { id } = await offered();
  await api.client(tenant.live.key).PATCH('/v1/applications/{id}', {
    params: { path: { id: tenant.live.application_id } },
    body: { allowed_origins: ['https://app.saas-product.com'] },
  });
  await api.deps.pool.query(sql.type(none)`DELETE FROM touches`);
  const { domain_connect, state } = await read(id);

  const { status, text, headers } = await back({ state: stateIn(domain_connect!.apply_url) });

  expect([status, state, (await read(id)).state]).toEqual([200, 'pending_ownership', 'pending_ownership']);
  expect((await read(id)).setup_type).toBe('automatic');
  expect(text).toContain('["https://app.saas-product.com"]');
  expect(text).toContain(`"connection_id":"${id}"`);
  expect(headers.get('cross-origin-opener-policy')).toBe('unsafe-none');
  const nonce = /script-src 'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '')?.[1];
  expect(text).toContain(`<script nonce="${nonce}">`);
  const touched = await api.deps.pool.exists(sql.type(none)`SELECT FROM touches WHERE connection_id = ${id}`);
  expect(touched).toBe(true);
});

test('a forged, modified, foreign or expired state changes nothing', async () => {
  const { id } = await offered();
  const url = (await read(id)).domain_connect!.apply_url;
  const state = stateIn(url);
  const bytes = Buffer.from(state, 'base64url');
  bytes[40]! ^= 1;
  const signed = new URL(url).searchParams.get('sig') ?? '';
  await api.deps.pool.query(sql.type(none)`DELETE FROM touches`);
  const forged = ['', 'x', `${state}A`, bytes.toString('base64url'), signed, Buffer.alloc(64).toString('base64url')];

  const answers = [];
  for (const one of forged) answers.push((await back({ state: one, error: 'access_denied' })).status);

  expect(answers).toEqual(forged.map(() => 400));
  expect((await read(id)).findings).toEqual([]);
  expect(await api.deps.pool.exists(sql.type(none)`SELECT FROM touches`)).toBe(false);
});

test('a failure that the provider reports is a finding until the next successful return', async () => {
  const { id } = await offered();
  const state = stateIn((await read(id)).domain_connect!.apply_url);

  const { text } = await back({
    state,
    error: 'access_denied',
    error_description: 'user_cancel<script>alert(1)</script>',
  });
  const after = (await read(id)).findings;
  expect((await read(id)).setup_type).toBe('manual');
  await back({ state });

  expect(text).not.toContain('alert(1)');
  expect(after).toEqual([
    {
      code: 'domain_connect_refused',
      severity: 'warning',
      message: 'The change was not confirmed at the DNS provider.',
      fix: 'Try again, or add the records manually.',
      params: { reason: 'user_cancel' },
    },
  ]);
  expect((await read(id)).findings).toEqual([]);
});

test("the return page is in the customer's language and carries the tenant's display name", async () => {
  const { id } = await offered();
  await api.client(tenant.live.key).PATCH('/v1/applications/{id}', {
    params: { path: { id: tenant.live.application_id } },
    body: { display_name: 'Acme <Shops>' },
  });
  const state = stateIn((await read(id)).domain_connect!.apply_url);
  const inGerman = (query: Record<string, string>) => back(query, { 'accept-language': 'de-AT, en;q=0.5' });

  const done = await inGerman({ state });
  const cancelled = await inGerman({ state, error: 'access_denied', error_description: 'user_cancel' });
  const unknown = await inGerman({ state: 'x' });

  expect(done.text).toContain('<html lang="de" dir="ltr">');
  expect(done.text).toContain('Acme &lt;Shops&gt;');
  expect(done.text).toContain('Vielen Dank');
  expect(cancelled.text).toContain('Sie haben die Änderung nicht bestätigt.');
  expect(unknown.text).toContain('Dieser Link ist ungültig');
  expect(unknown.text).not.toContain('Acme');
});

test("a link's state is bound to the browser session that read it", async () => {
  const { id } = await offered();
  const grant = { tenantId: tenant.tenant_id, applicationId: tenant.live.application_id, environment: 'live' } as const;
  const mintedBy = (await findKey(api.deps.pool, tenant.live.key))!.id;
  const token = async () =>
    (
      await mintWidgetToken(
        api.deps.keys.widgetTokens,
        api.deps.baseUrl,
        { ...grant, hostname: null, externalId: null, mintedBy },
        new Date(),
      )
    ).token;
  const sessionOf = async (key: string) => {
    const { text } = await back({ state: stateIn((await read(id, key)).domain_connect!.apply_url) });
    return /"session":"([^"]+)"/.exec(text)?.[1];
  };

  const sessions = [await sessionOf(await token()), await sessionOf(await token()), await sessionOf(tenant.live.key)];

  expect(new Set(sessions).size).toBe(3);
  expect(sessions[2]).toBe(mintedBy);
});
