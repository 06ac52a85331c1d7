import { delegationKey } from '../../src/db/certificate/acme-accounts.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { delegatedName, fingerprintOf } from '../../src/ordering/delegation.ts';
import { keepCredential } from '../../src/provisioning/credentials.ts';
import { connectionCalls } from '../support/fixtures/connection-calls.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';

const DELEGATION = { zone: 'acme.saas.example', key: 'a key of sixteen characters' };

let api: TestApi;
let tenant: NewTenant;
let { call, create, created, detail } = {} as ReturnType<typeof connectionCalls>;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
  ({ call, create, created, detail } = connectionCalls(api, tenant));
});
afterAll(() => api.stop());
beforeEach(() => {
  api.deps.delegation = null;
});

const delegate = () => {
  const nameFor = (hostname: string) => delegatedName(DELEGATION, hostname);
  api.deps.delegation = { nameFor, fingerprint: fingerprintOf(DELEGATION) };
};
const problem = (code: string, path: string) => ({ status: 400, body: { error: { details: [{ code, path }] } } });

test('before_dns is refused where neither a credential nor a delegation zone makes it possible', async () => {
  expect(await create({ before_dns: true })).toMatchObject(problem('before_dns_needs_dns', 'body.before_dns'));
  const id = await created({ before_dns: false });
  expect(await call('PATCH', `/connections/${id}`, { before_dns: true })).toMatchObject(
    problem('before_dns_needs_dns', 'body.before_dns'),
  );
});

test('the application’s setting has no effect there', async () => {
  const path = `/applications/${tenant.live.application_id}`;
  expect(await call('PATCH', path, { before_dns: true })).toMatchObject({ status: 200, body: { before_dns: true } });
  const id = await created({});
  await call('PATCH', path, { before_dns: false });
  expect(await detail(id)).toMatchObject({ before_dns: false, ready_to_point: null });
});

test('a delegated challenge is one more record to add, and the key of its name is kept', async () => {
  delegate();
  const hostname = someName();
  const shown = await detail(await created({ hostname, before_dns: true }));
  expect(shown).toMatchObject({ before_dns: true, point: 'auto', ready_to_point: false });
  expect(shown.records_to_add.map(({ host, type, value, status }) => [host, type, value, status])[1]).toEqual([
    `_acme-challenge.${hostname}`,
    'CNAME',
    delegatedName(DELEGATION, hostname),
    'unchecked',
  ]);
  expect(await delegationKey(api.deps.pool)).toBe(fingerprintOf(DELEGATION));
});

test('`hold` needs before_dns and a credential; null returns to the default', async () => {
  delegate();
  expect(await create({ before_dns: true, point: 'hold' })).toMatchObject(problem('point_needs_dns', 'body.point'));
  const domain = `${someName().split('.')[0]!}-zone.com`;
  const given = {
    tenantId: tenant.tenant_id,
    applicationId: tenant.live.application_id,
    provider: 'cloudflare',
    credential: { api_token: 'token' },
    label: null,
  };
  await keepCredential(api.deps.providerAccess, api.deps.pool, given, {
    status: 'ok',
    reason: null,
    zones: [domain],
  });
  const id = await created({ hostname: `shop.${domain}`, before_dns: true, point: 'hold' });
  expect(await detail(id)).toMatchObject({ point: 'hold', before_dns: true });
  expect(await call('PATCH', `/connections/${id}`, { point: null, before_dns: null })).toMatchObject({
    status: 200,
    body: { point: 'auto', before_dns: false },
  });
});

test('a widget token cannot choose when certificates are ordered', async () => {
  delegate();
  const { auth_token } = expectData(
    await api.client(tenant.live.key).POST('/v1/tokens', { body: { application_id: tenant.live.application_id } }),
  );
  expect(await create({ before_dns: true }, auth_token)).toMatchObject(problem('widget_token', 'body.before_dns'));
  expect(await create({ point: 'auto' }, auth_token)).toMatchObject(problem('widget_token', 'body.point'));
});
