import { descriptors } from '../../src/providers/registry.ts';
import { gzipSync } from 'node:zlib';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { startTestApi, testKey, type TestApi } from '../support/fixtures/api.ts';
import { createTestDatabase } from '../support/fixtures/database.ts';
import { mintWidgetToken } from '../../src/api/widget-token.ts';
import { findKey } from '../../src/db/tenant/keys.ts';
import { startFreezingProxy } from '../support/proxies/freezing-proxy.ts';
import { send } from '../support/http.ts';

let api: TestApi;
let tenant: NewTenant;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
});
afterAll(() => api.stop());

const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
  send('POST', `${api.baseUrl}/v1/connections`, { credential: tenant.live.key, body: body.toString(), headers });

test.each([
  ['invalid JSON', '{'],
  ['a number', '1'],
  ['nothing', ''],
  ['an unknown field', `{"application_id":"019a0000-0000-7000-8000-000000000001","hostname":"a.b.com","color":"red"}`],
  ['__proto__', `{"__proto__":{"application_id":"x"},"hostname":"a.b.com"}`],
  ['a NUL', `{"application_id":"019a0000-0000-7000-8000-000000000001","hostname":"a\\u0000.com"}`],
  ['a lone surrogate', `{"application_id":"019a0000-0000-7000-8000-000000000001","hostname":"\\ud800.com"}`],
  ['a number that is too large', `{"application_id":1e400,"hostname":"a.b.com"}`],
  ['ten thousand levels', `{"hostname":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
  ['ten thousand levels of objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
])('a body that is or contains %s is refused as invalid, in the standard error format', async (_, body) => {
  const answer = await post(body, { 'content-type': 'application/json' });

  expect([answer.status, answer.body]).toMatchObject([
    400,
    { error: { code: 'invalid', message: expect.any(String) as string } },
  ]);
});

test('a body over 100 kB, of another type or with an unsupported compression is refused with its own code', async () => {
  const large = await post(JSON.stringify({ hostname: 'x'.repeat(110_000) }));
  const form = await post('a=b', { 'content-type': 'application/x-www-form-urlencoded' });
  const untyped = await post('{}', { 'content-type': '' });
  const latin = await post('{}', { 'content-type': 'application/json; charset=latin1' });

  expect(
    [large, form, untyped, latin].map(({ status, body }) => [status, (body as { error: { code: string } }).error.code]),
  ).toEqual([
    [413, 'payload_too_large'],
    [415, 'unsupported_media_type'],
    [415, 'unsupported_media_type'],
    [415, 'unsupported_media_type'],
  ]);
});

test.each([
  ['gzip', 'not packed at all'],
  ['deflate', 'not packed at all'],
  ['br', 'not packed at all'],
  ['gzip', gzipSync('{}').subarray(0, 12)],
])('a body that claims to be %s and cannot be decompressed is refused as invalid', async (encoding, body) => {
  const response = await fetch(`${api.baseUrl}/v1/connections`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tenant.live.key}`,
      'content-type': 'application/json',
      'content-encoding': encoding,
    },
    body,
  });

  expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'invalid' } }]);
});

test('an unknown path is not found, and a known path lists its methods', async () => {
  const unknown = await send('GET', `${api.baseUrl}/v1/nothing`, { credential: tenant.live.key });
  const wrong = await send('PUT', `${api.baseUrl}/v1/connections`, { credential: tenant.live.key });

  expect([unknown.status, unknown.body]).toMatchObject([404, { error: { code: 'not_found', details: null } }]);
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST, GET']);
  for (const path of ['/healthz', '/metrics']) {
    const operational = await send('POST', api.baseUrl + path);
    expect([operational.status, operational.headers.get('allow')]).toEqual([405, 'GET']);
  }
});

test('a path with invalid encoding is refused, and a malformed id is invalid', async () => {
  const broken = await send('GET', `${api.baseUrl}/v1/connections/%ff`, { credential: tenant.live.key });
  const noId = await send('GET', `${api.baseUrl}/v1/connections/1`, { credential: tenant.live.key });
  const stranger = await send('GET', `${api.baseUrl}/v1/connections/1`);

  expect([broken.status, noId.status, stranger.status]).toEqual([400, 400, 401]);
});

test('a valid request id is kept, any other is replaced', async () => {
  const ask = async (id: string) =>
    (await send('GET', `${api.baseUrl}/openapi.json`, { headers: { 'x-request-id': id } })).headers.get('x-request-id');

  expect(await ask('trace_1-A')).toBe('trace_1-A');
  expect(await ask('a b')).toMatch(/^[0-9a-f-]{36}$/);
  expect(await ask('x'.repeat(129))).toMatch(/^[0-9a-f-]{36}$/);
});

test('answers carry security headers, and none that names the server software', async () => {
  const { headers } = await send('GET', `${api.baseUrl}/v1/connections`);

  expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-powered-by')).toBeNull();
  expect(headers.get('www-authenticate')).toBe('Bearer');
});

test('without its database the service answers 503, with a reference and no secrets', async () => {
  const lost = await startTestApi();
  const { live } = await lost.tenant();
  await lost.deps.callers.end();
  await lost.deps.pool.end();

  const answer = await send('GET', `${lost.baseUrl}/v1/connections`, { credential: live.key });

  expect(answer.status).toBeGreaterThanOrEqual(500);
  expect(answer.body).toMatchObject({ error: { details: { ref: answer.headers.get('x-request-id') } } });
  expect(answer.text).not.toMatch(/postgres|stack|SELECT|node_modules/i);
  await lost.stop().catch(() => undefined);
});

test.each(['cut', 'freeze'] as const)(
  'when the database connection is lost (%s), the service soon answers 503',
  async (lose) => {
    const database = await createTestDatabase();
    const proxy = await startFreezingProxy(database.url);
    const lost = await startTestApi({ databaseUrl: proxy.url });
    const { live } = await lost.tenant();
    const ask = (path: string) => send('GET', lost.baseUrl + path, { credential: live.key });
    expect((await ask('/v1/connections')).status).toBe(200);

    proxy[lose]();
    const answers = await Promise.all([ask('/v1/connections'), ask('/v1/providers')]);
    const health = await ask('/healthz');
    await proxy.stop();
    await lost.stop().catch(() => undefined);
    await database.drop();

    for (const { status, headers, body } of answers) {
      expect([status, body]).toMatchObject([503, { error: { code: 'unavailable' } }]);
      expect(headers.get('retry-after')).toBe('2');
    }
    expect([health.status, health.body]).toMatchObject([503, { checks: { database: 'unavailable' } }]);
  },
  20_000,
);

describe('with an internal listener', () => {
  let apart: TestApi;
  beforeAll(async () => {
    apart = await startTestApi({ ownInternalPort: true });
  });
  afterAll(() => apart.stop());

  test('metrics are only on the internal listener, and health is on both', async () => {
    const statuses = async (url: string) => {
      const answers = await Promise.all(
        ['/metrics', '/healthz', '/v1/connections'].map((path) => send('GET', url + path)),
      );
      return answers.map(({ status }) => status);
    };

    expect(await statuses(apart.baseUrl)).toEqual([404, 200, 401]);
    expect(await statuses(apart.internalUrl)).toEqual([200, 200, 404]);
  });

  test('metrics name no tenant, hostname or key', async () => {
    const { tenant_id, live } = await apart.tenant();
    await send('GET', `${apart.baseUrl}/v1/connections?hostname=secret.shop-site.com`, { credential: live.key });

    const { text } = await send('GET', `${apart.internalUrl}/metrics`);

    expect(text).toContain('route="/v1/connections"');
    for (const private_ of [tenant_id, 'shop-site', live.key]) expect(text).not.toContain(private_);
  });
});

test('limits apply to each key, are shown in every answer, and recover with time', async () => {
  const limited = await startTestApi({
    limits: { anonymous: null, key: { perSecond: 0.01, burst: 3 }, tenant: null, widget: null, verify: null },
  });
  const [one, other] = [await limited.tenant(), await limited.tenant()];
  const ask = (credential: string) => send('GET', `${limited.baseUrl}/v1/providers`, { credential });

  const answers = [await ask(one.live.key), await ask(one.live.key), await ask(one.live.key), await ask(one.live.key)];
  const theirs = await ask(other.live.key);
  await limited.stop();

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(answers[0]!.headers.get('ratelimit-policy')).toBe('"key";q=3;w=300');
  expect(answers[0]!.headers.get('ratelimit')).toBe('"key";r=2;t=100');
  expect(answers[3]!.body).toMatchObject({ error: { code: 'rate_limited' } });
  expect(Number(answers[3]!.headers.get('retry-after'))).toBeGreaterThan(1);
  expect(theirs.status).toBe(200);
});

test('all keys of a tenant share its limit, and other tenants are not affected', async () => {
  const limited = await startTestApi({
    limits: {
      anonymous: null,
      key: { perSecond: 0.01, burst: 3 },
      tenant: { perSecond: 0.01, burst: 4 },
      widget: null,
      verify: null,
    },
  });
  const [one, other] = [await limited.tenant(), await limited.tenant()];
  const ask = (credential: string) => send('GET', `${limited.baseUrl}/v1/providers`, { credential });

  const answers = [];
  for (const key of [one.live.key, one.test.key, one.live.key, one.test.key, one.live.key])
    answers.push(await ask(key));
  const theirs = await ask(other.live.key);
  await limited.stop();

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
  expect(answers[0]!.headers.get('ratelimit-policy')).toBe('"key";q=3;w=300');
  expect(answers[4]!.headers.get('ratelimit-policy')).toBe('"tenant";q=4;w=400');
  expect(theirs.status).toBe(200);
});

describe('a refusal explains what to do:', () => {
  const refusal = async (method: string, path: string, body?: unknown, credential = tenant.live.key) => {
    const answer = await send(method, api.baseUrl + path, { credential, ...(body === undefined ? {} : { body }) });
    const { error } = answer.body as { error: { message: string; details: { path: string }[] | null } };
    return { status: answer.status, message: error.message, paths: error.details?.map(({ path: at }) => at) };
  };

  test.each<[string, string, unknown, string, string[]]>([
    [
      'POST',
      '/v1/connections',
      {},
      'application_id is required. hostname is required.',
      ['body.application_id', 'body.hostname'],
    ],
    ['POST', '/v1/connections', undefined, 'The body is required.', ['body']],
    ['POST', '/v1/connections', [], 'The body must be an object.', ['body']],
    ['POST', '/v1/tokens', { application_id: 'x' }, 'application_id must be a UUID.', ['body.application_id']],
    ['POST', '/v1/applications', { name: 5 }, 'name must be a string.', ['body.name']],
    ['POST', '/v1/applications', { name: '' }, 'name must not be empty.', ['body.name']],
    ['POST', '/v1/applications', { name: 'x', nmae: 'y' }, 'There is no field nmae.', ['body']],
    [
      'POST',
      '/v1/applications',
      { name: 'x', environment: 'prod' },
      'environment must be one of test, live.',
      ['body.environment'],
    ],
    ['GET', '/v1/connections?limit=500', undefined, 'limit must be at most 100.', ['query.limit']],
    [
      'GET',
      '/v1/connections?state=alive',
      undefined,
      expect.stringMatching(/^state must be one of created, /) as string,
      ['query.state'],
    ],
  ])('%s %s %j', async (method, path, body, message, paths) => {
    expect(await refusal(method, path, body)).toEqual({ status: 400, message, paths });
  });

  test('an unknown provider gets the list of providers', async () => {
    const path = `/v1/applications/${tenant.live.application_id}/credentials`;
    const { status, message, paths } = await refusal('POST', path, { provider: 'clodflare', credentials: {} });

    expect([status, paths]).toEqual([400, ['body.provider']]);
    expect(message).toBe(
      `provider must be one of ${descriptors()
        .map(({ slug }) => slug)
        .join(', ')}.`,
    );
  });

  test('a mistyped path gets the path that was probably meant, and no list of all paths', async () => {
    const top = await refusal('GET', '/v1/conections');
    const below = await refusal('POST', `/v1/connections/${crypto.randomUUID()}/verfy`);
    const otherVersion = await refusal('GET', '/v2/connections');
    const nowhere = await refusal('GET', '/wp-login.php');

    const everyPath = 'The API reference at /docs lists every path.';
    for (const { status } of [top, below, otherVersion, nowhere]) expect(status).toBe(404);
    expect(top.message).toBe(`No such path. Did you mean /v1/connections? ${everyPath}`);
    expect(below.message).toBe(`No such path. Did you mean /v1/connections/{id}/verify? ${everyPath}`);
    expect(otherVersion.message).toBe(`No such path. Did you mean /v1/connections? ${everyPath}`);
    expect(nowhere.message).toBe(`No such path. ${everyPath}`);
  });

  test('an expired widget token is reported as expired, but not a token that we did not sign', async () => {
    const grant = {
      tenantId: tenant.tenant_id,
      applicationId: tenant.live.application_id,
      environment: 'live' as const,
      hostname: null,
      externalId: null,
      mintedBy: (await findKey(api.deps.pool, tenant.live.key))!.id,
    };
    const mint = async (keys = api.deps.keys.widgetTokens) =>
      (await mintWidgetToken(keys, api.deps.baseUrl, grant, new Date(Date.now() - 3_601_000))).token;

    const ours = await refusal('POST', '/v1/connections', {}, await mint());
    const forged = await refusal('POST', '/v1/connections', {}, await mint([testKey('w1')]));

    expect([ours.status, ours.message]).toEqual([401, expect.stringMatching(/has expired/)]);
    expect([forged.status, forged.message]).toEqual([401, expect.not.stringMatching(/expired/)]);
  });
});

test('a body that is not UTF-8 is refused, and an empty body counts as no body', async () => {
  const url = `${api.baseUrl}/v1/applications/${tenant.live.application_id}`;
  const patch = async (body?: Uint8Array<ArrayBuffer>) => {
    const response = await fetch(url, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${tenant.live.key}`, 'content-type': 'application/json' },
      ...(body ? { body } : {}),
    });
    return { status: response.status, text: await response.text() };
  };
  const broken = await patch(new Uint8Array([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('"}')]));
  const [empty, none] = [await patch(new Uint8Array()), await patch()];

  expect([broken.status, broken.text]).toEqual([400, expect.stringContaining('not valid UTF-8')]);
  expect(empty).toEqual(none);
  expect(empty.status).toBe(400);
});

test.each([
  ['allowed_origins', ['https://*.example.com'], 'origin'],
  ['origin_url', 'http://192.0.2.10', 'own_host'],
  ['origin_url', 'http://[2001:db8:0:0::10]:8080', 'own_host'],
  ['origin_url', 'https://edge.service.dev', 'own_host'],
  ['origin_url', 'http://shop.example.com:25', 'port'],
  ['origin_url', 'http://shop.example.com:22', 'port'],
  ['origin_url', 'https://shop.example.com:5432', 'port'],
  ['origin_url', 'http://shop.example.com:6379', 'port'],
])('%s must not be %s', async (field, value, code) => {
  const { status, body } = await send('PATCH', `${api.baseUrl}/v1/applications/${tenant.live.application_id}`, {
    credential: tenant.live.key,
    body: { [field]: value },
  });

  expect([status, body]).toMatchObject([400, { error: { details: [{ code }] } }]);
});
