import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import type { paths, ServiceClient } from '../../client/index.ts';
import { EVERY_NETWORK } from '../../src/net/address.ts';
import { expectData, startTestApi, type TestApi } from '../support/fixtures/api.ts';

let api: TestApi;
let tenant: NewTenant;
let client: ServiceClient;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
  client = api.client(tenant.live.key);
});
afterAll(() => api.stop());

type Body = paths['/v1/applications']['post']['requestBody']['content']['application/json'];
const create = (body: Partial<Body>, as = client) => as.POST('/v1/applications', { body: { name: 'Shop', ...body } });
const line = (change: object) =>
  ({ host: '@', type: 'TXT', value: 'x', ...change }) as NonNullable<Body['record_template']>[number];

test('a new application has the defaults and saves the given settings', async () => {
  const plain = expectData(await create({}));
  const rich = {
    environment: 'live',
    allowed_origins: ['https://app.shop-site.com', 'https://app.shop-site.com:8443'],
    record_template: [
      line({ value: 'v={connection_id}' }),
      line({ host: 'mail', type: 'MX', value: 'mx.shop-site.com', priority: 10 }),
    ],
    origin_url: 'https://origin.shop-site.com:8443',
    conflict_policy: 'replace',
    drift_policy: 'repair',
    offboarding: 'keep_records',
    sandbox_speed: null,
  } as const satisfies Partial<Body>;

  const made = expectData(await create(rich));
  const read = expectData(await client.GET('/v1/applications/{id}', { params: { path: { id: made.id } } }));

  expect(plain).toMatchObject({
    environment: 'live',
    allowed_origins: [],
    record_template: [],
    origin_url: null,
    conflict_policy: 'refuse',
    drift_policy: 'notify',
    offboarding: 'remove_records',
    sandbox_speed: null,
  });
  expect(made).toMatchObject(rich);
  expect(read).toEqual(made);
});

test('updating one setting keeps the others, and the environment cannot change', async () => {
  const made = expectData(await create({ origin_url: 'https://origin.shop-site.com' }));
  const patch = (body: object) => client.PATCH('/v1/applications/{id}', { params: { path: { id: made.id } }, body });

  const renamed = await patch({ name: 'Renamed' });
  const cleared = await patch({ origin_url: null });
  const moved = await patch({ environment: 'live' });

  expect(renamed.data).toEqual({ ...made, name: 'Renamed' });
  expect(cleared.data).toEqual({ ...made, name: 'Renamed', origin_url: null });
  expect(moved.response.status).toBe(400);
});

test('a test key sees and creates only test applications', async () => {
  const byTest = api.client(tenant.test.key);

  const live = await byTest.POST('/v1/applications', { body: { name: 'x', environment: 'live' } });
  const list = expectData(await byTest.GET('/v1/applications'));

  expect([live.response.status, live.error?.error.code]).toEqual([403, 'forbidden']);
  expect(new Set(list.data.map(({ environment }) => environment))).toEqual(new Set(['test']));
});

test('a list is complete unless the caller asks for pages', async () => {
  const whole = expectData(await client.GET('/v1/applications'));
  const page = expectData(await client.GET('/v1/applications', { params: { query: { limit: 2 } } }));
  const rest = expectData(await client.GET('/v1/applications', { params: { query: { cursor: page.next_cursor! } } }));

  expect(whole.next_cursor).toBeNull();
  expect([...page.data, ...rest.data]).toEqual(whole.data);
});

test.each([
  ['a path', 'live', 'https://app.shop-site.com/widget'],
  ['plain http in live', 'live', 'http://app.shop-site.com'],
  ['plain http to localhost in live', 'live', 'http://localhost:3000'],
  ['plain http to another host in test', 'test', 'http://app.shop-site.com'],
  ['no scheme', 'test', 'app.shop-site.com'],
  ['a wildcard', 'test', '*'],
  ['null', 'test', 'null'],
  ['another scheme', 'test', 'ftp://app.shop-site.com'],
  ['user information', 'test', 'https://me@app.shop-site.com'],
])('an allowed origin with %s is refused', async (_, environment, origin) => {
  const { response, error } = await create({ environment: environment as 'test', allowed_origins: [origin] });

  expect(response.status).toBe(400);
  expect(error).toMatchObject({ error: { details: [{ path: 'body.allowed_origins.0' }] } });
});

test('an application is created in the environment of the key, and a test key cannot create a live one', async () => {
  const test = api.client(tenant.test.key);
  expect(expectData(await create({})).environment).toBe('live');
  expect(expectData(await create({}, test)).environment).toBe('test');
  expect((await create({ environment: 'live' }, test)).response.status).toBe(403);
});

test('a trailing slash of an allowed origin is dropped, because browsers send none', async () => {
  const { data } = await create({ allowed_origins: ['https://app.shop-site.com/', 'https://app.shop-site.com'] });
  expect(data?.allowed_origins).toEqual(['https://app.shop-site.com']);
});

test('records of the template come back whole, and a record of an answer is accepted', async () => {
  const record = { host: '@', type: 'CNAME', value: '{cname_target}', ttl: 300, priority: null } as const;
  const made = expectData(await create({ record_template: [{ host: '@', type: 'CNAME', value: '{cname_target}' }] }));
  expect(made.record_template).toEqual([record]);
  const copied = { ...record, relative_host: '@' };
  const again = await create({ record_template: [copied] });
  expect(expectData(again).record_template).toEqual([record]);
});

test('only a test application can have a sandbox speed, from 1 to 1,440', async () => {
  const speeds = (environment: 'test' | 'live', sandbox_speed: number) => create({ environment, sandbox_speed });
  expect(expectData(await speeds('test', 1_440)).sandbox_speed).toBe(1_440);
  expect((await speeds('test', 1_441)).response.status).toBe(400);
  expect((await speeds('live', 60)).response.status).toBe(400);
});

test('localhost over plain http is an allowed origin in the test environment', async () => {
  const { data } = await create({
    environment: 'test',
    allowed_origins: ['http://localhost:3000', 'http://127.0.0.1:8080'],
  });

  expect(data?.allowed_origins).toEqual(['http://localhost:3000', 'http://127.0.0.1:8080']);
});

test.each([
  'http://127.0.0.1',
  'http://0x7f.1',
  'http://2130706433',
  'http://10.1.2.3:8080',
  'http://169.254.169.254',
  'http://[::1]',
  'http://[::ffff:10.0.0.1]',
  'http://[fd00::1]',
  'http://localhost:3000',
  'http://db.internal',
  'http://intranet',
  'https://user:pw@origin.shop-site.com',
  'https://origin.shop-site.com/path',
  'https://origin.shop-site.com/?x',
  'ftp://origin.shop-site.com',
  'origin.shop-site.com',
  'https://edge.service.dev',
  'https://x.edge.service.dev',
  'https://api.service.dev',
  'https://origin.shop-site.com:0',
  'https://origin..shop-site.com',
  'https://*.shop-site.com',
])('the origin %s is refused', async (origin_url) => {
  const { response, error } = await create({ origin_url });

  expect([response.status, error]).toMatchObject([400, { error: { details: [{ path: 'body.origin_url' }] } }]);
});

test('private origins are accepted only if the operator allows them', async () => {
  const lenient = await startTestApi({ databaseUrl: api.databaseUrl, originDial: { allowed: EVERY_NETWORK } });

  const { data } = await lenient
    .client(tenant.live.key)
    .POST('/v1/applications', { body: { name: 'x', origin_url: 'http://127.0.0.1:3000' } });
  await lenient.stop();

  expect(data?.origin_url).toBe('http://127.0.0.1:3000');
});

test.each([
  ['an unknown variable', line({ value: '{hostnam}' }), 'value'],
  ['an unknown variable in its host', line({ host: '{x}' }), 'host'],
  ['a host that is no name', line({ host: 'a b' }), 'host'],
  ['a host with a trailing dot', line({ host: 'www.' }), 'host'],
  ['a priority that its type does not have', line({ priority: 5 }), 'priority'],
  ['no priority where one is needed', line({ type: 'MX', value: 'mx.shop-site.com' }), 'priority'],
  ['an A value that is no address', line({ type: 'A', value: 'edge' }), 'value'],
  ['an AAAA value that is IPv4', line({ type: 'AAAA', value: '192.0.2.1' }), 'value'],
  ['a CNAME value that is no name', line({ type: 'CNAME', value: 'not a name' }), 'value'],
  ['a TTL below 60', line({ ttl: 59 }), 'ttl'],
  ['a TTL above a day', line({ ttl: 86_401 }), 'ttl'],
  ['a type we do not write', line({ type: 'PTR' }), 'type'],
  ['a field we do not know', line({ comment: 'x' }), ''],
])('a template line with %s is refused', async (_, record, field) => {
  const { response, error } = await create({ record_template: [record] });

  const path = `body.record_template.0${field === '' ? '' : `.${field}`}`;
  expect([response.status, error]).toMatchObject([400, { error: { details: [{ path }] } }]);
});

test('a CNAME next to another record at the same host is refused, unless their conditions exclude each other', async () => {
  const cname = line({ type: 'CNAME', value: '{cname_target}' });

  const crowded = await create({ record_template: [cname, line({})] });
  const apart = await create({
    record_template: [{ ...cname, when: 'subdomain' }, line({ type: 'A', value: '{edge_ipv4}', when: 'apex' })],
  });

  expect([crowded.response.status, apart.response.status]).toEqual([400, 201]);
});

test('new connections get the records of the template', async () => {
  const application = expectData(
    await create({
      environment: 'live',
      record_template: [
        line({ type: 'CNAME', value: '{sld}.{tld}.customers.shop-site.com' }),
        line({ host: '_verify', value: '{subdomain}/{connection_id}', ttl: 600 }),
      ],
    }),
  );
  const made = expectData(
    await client.POST('/v1/connections', {
      body: { application_id: application.id, hostname: `www.customer-${Date.now()}.co.uk` },
    }),
  );

  const { desired_records } = expectData(
    await client.GET('/v1/connections/{id}', { params: { path: { id: made.id } } }),
  );

  const sld = made.hostname.split('.')[1];
  expect(desired_records).toMatchObject([
    { host: made.hostname, type: 'CNAME', value: `${sld}.co.uk.customers.shop-site.com`, ttl: 300 },
    { host: `_verify.${made.hostname}`, type: 'TXT', value: `www/${made.id}`, ttl: 600 },
  ]);
});

test('administrators can read the audit log, and a test key sees only its test objects', async () => {
  const requestId = 'audit-me-1';
  const made = expectData(
    await client.POST('/v1/applications', {
      body: { name: 'Audited', environment: 'live' },
      headers: { 'X-Request-Id': requestId },
    }),
  );
  expectData(
    await client.POST('/v1/applications/{id}/keys', { params: { path: { id: made.id } }, body: { name: 'k' } }),
  );
  expectData(
    await client.PATCH('/v1/applications/{id}', { params: { path: { id: made.id } }, body: { origin_url: null } }),
  );

  await create({ environment: 'test' });

  const [, ...data] = expectData(await client.GET('/v1/audit', { params: { query: { limit: 4 } } })).data;
  const byTest = expectData(await api.client(tenant.test.key).GET('/v1/audit'));

  expect(data.map(({ action, fields }) => ({ action, fields }))).toEqual([
    { action: 'application.updated', fields: ['origin_url'] },
    { action: 'key.created', fields: ['name'] },
    { action: 'application.created', fields: ['name', 'environment'] },
  ]);
  expect(data[2]).toMatchObject({
    target_id: made.id,
    request_id: requestId,
    actor: { kind: 'key' },
    environment: 'live',
  });
  expect(new Set(byTest.data.map(({ environment }) => environment))).toEqual(new Set(['test']));
});
