import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { none, sql } from '../../src/db/pool.ts';
import { someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
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

test('a hostname below .test is checked in the environment of its application, as creating does', async () => {
  const [domain, application_id] = ['shop.customer.test', tenant.test.application_id];

  const forTest = await check(tenant.live.key, { domain, application_id });
  const forLive = await check(tenant.live.key, { domain, application_id: tenant.live.application_id });

  expect([forTest.status, forLive.status]).toEqual([200, 400]);
});

test('a test key does not learn which credentials live applications have', async () => {
  const domain = someName();
  await api.deps.pool.query(sql.type(none)`
    INSERT INTO credentials (id, tenant_id, application_id, provider, hint, zones, status, key_id, wrapped_key, ciphertext)
    VALUES (gen_random_uuid(), ${tenant.tenant_id}, ${tenant.live.application_id}, 'cloudflare', '…',
            ${sql.array([domain], 'text')}, 'ok', 'k1', '', '')
  `);

  const answers = [await check(tenant.live.key, { domain }), await check(tenant.test.key, { domain })];

  expect(answers.map(({ body }) => body)).toMatchObject([{ setup_type: 'automatic' }, { setup_type: 'manual' }]);
});

test('an apex comes with its www, selected by the setting of the application, unless the token is bound', async () => {
  const domain = someName('com');
  const { application_id } = tenant.live;
  const companionFor = async (credential: string, name = domain) =>
    (await check(credential, { domain: name, application_id })).body as { companion: unknown };
  const token = async (body: object) =>
    (await send('POST', `${api.baseUrl}/v1/tokens`, { credential: tenant.live.key, body: { application_id, ...body } }))
      .body as { auth_token: string };

  const plain = await companionFor(tenant.live.key);
  const bound = await companionFor((await token({ domain })).auth_token);
  const below = await companionFor(tenant.live.key, `shop.${domain}`);
  await send('PATCH', `${api.baseUrl}/v1/applications/${application_id}`, { credential: tenant.live.key, body: { companion: true } }); // prettier-ignore
  const chosen = await companionFor((await token({})).auth_token);

  expect(plain.companion).toEqual({ hostname: `www.${domain}`, selected: false });
  expect([bound.companion, below.companion]).toEqual([null, null]);
  expect(chosen.companion).toEqual({ hostname: `www.${domain}`, selected: true });
});

describe('a template without records for the hostname', () => {
  const applicationWith = async (record_template: object[]) => {
    const { body } = await send('POST', `${api.baseUrl}/v1/applications`, {
      credential: tenant.test.key,
      body: { name: 'Narrow', record_template },
    });
    return (body as { id: string }).id;
  };
  const create = (application_id: string, hostname: string) =>
    send('POST', `${api.baseUrl}/v1/connections`, { credential: tenant.test.key, body: { application_id, hostname } });
  const apex = () => someName('com');

  test('is refused on create with a message, and domains:check still answers', async () => {
    const id = await applicationWith([{ host: '@', type: 'CNAME', value: '{cname_target}', when: 'subdomain' }]);
    const domain = apex();

    const refused = await create(id, domain);
    const checked = await check(tenant.test.key, { domain, application_id: id });

    expect(refused).toMatchObject({
      status: 400,
      body: {
        error: {
          code: 'invalid',
          message: expect.stringContaining('no record for an apex') as string,
          details: [{ path: 'body.hostname', code: 'no_records' }],
        },
      },
    });
    expect(checked).toMatchObject({ status: 200, body: { apex: true, record_conflicts: [] } });
    expect((await create(id, `www.${domain}`)).status).toBe(201);
  });

  test('or with names that are too long for DNS is refused on create, and domains:check still answers', async () => {
    const id = await applicationWith([{ host: `_id.${'long-label-'.repeat(5)}x`, type: 'TXT', value: 'x' }]);
    const domain = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${someName('com')}`;

    const refused = await create(id, domain);

    expect(refused).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid', details: [{ path: 'body.hostname', code: 'host_too_long' }] } },
    });
    expect((await check(tenant.test.key, { domain, application_id: id })).status).toBe(200);
  });

  test('gives an apex an ALIAS if the template has a CNAME', async () => {
    const id = await applicationWith([{ host: '@', type: 'CNAME', value: '{cname_target}' }]);
    const made = await create(id, apex());
    const detail = await send('GET', `${api.baseUrl}/v1/connections/${(made.body as { id: string }).id}`, {
      credential: tenant.test.key,
    });
    expect(detail.body).toMatchObject({ desired_records: [{ type: 'ALIAS', value: 'edge.service.dev' }] });
  });
});
