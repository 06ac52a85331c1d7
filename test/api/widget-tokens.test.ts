import { decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from 'jose';
import { findKey } from '../../src/db/tenant/keys.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { expectData, someName, startTestApi, testKey, type TestApi } from '../support/fixtures/api.ts';
import { send } from '../support/http.ts';

const ORIGIN = 'https://app.shop-site.com';

let api: TestApi;
let tenant: NewTenant;
let mkid: string;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
  mkid = (await findKey(api.deps.pool, tenant.live.key))!.id;
  const path = { id: tenant.live.application_id };
  expectData(
    await api
      .client(tenant.live.key)
      .PATCH('/v1/applications/{id}', { params: { path }, body: { allowed_origins: [ORIGIN] } }),
  );
});
afterAll(() => api.stop());

const mint = async (domain?: string) =>
  expectData(
    await api.client(tenant.live.key).POST('/v1/tokens', {
      body: { application_id: tenant.live.application_id, ...(domain === undefined ? {} : { domain }) },
    }),
  );
const create = (credential: string, hostname: string, headers: Record<string, string> = {}) =>
  send('POST', `${api.baseUrl}/v1/connections`, {
    credential,
    headers,
    body: { application_id: tenant.live.application_id, hostname },
  });

test('a token is valid for an hour, names its application, and is signed by a key that can be rotated', async () => {
  const { auth_token, expires_at } = await mint('Shop.Shop-Site.com.');

  const claims = decodeJwt(auth_token);
  expect(decodeProtectedHeader(auth_token)).toEqual({ alg: 'HS256', typ: 'widget+jwt', kid: 'w1' });
  expect(claims).toMatchObject({
    iss: api.baseUrl,
    aud: 'widget',
    sub: tenant.live.application_id,
    tid: tenant.tenant_id,
    env: 'live',
    scp: ['connections:read', 'connections:write'],
    dom: 'shop.shop-site.com',
  });
  expect(claims.exp! - claims.iat!).toBe(3600);
  expect(Date.parse(expires_at)).toBe(claims.exp! * 1000);
});

test('a token accepts any spelling of its application id', async () => {
  const { auth_token } = await mint();

  const answer = await send('POST', `${api.baseUrl}/v1/connections`, {
    credential: auth_token,
    body: { application_id: tenant.live.application_id.toUpperCase(), hostname: someName() },
  });

  expect(answer.status).toBe(201);
});

test('a bound token acts only on its hostname, in any spelling', async () => {
  const [hostname, other] = [someName(), someName()];
  const { auth_token } = await mint(hostname);

  const own = await create(auth_token, `${hostname.toUpperCase()}.`);
  const foreign = await create(auth_token, other);

  expect([own.status, foreign.status]).toEqual([201, 403]);
});

test('metadata and before_dns are bound to the token, and the browser cannot choose its own', async () => {
  const { application_id } = tenant.live;
  const mintBound = async (bound: object) =>
    expectData(await api.client(tenant.live.key).POST('/v1/tokens', { body: { application_id, ...bound } })).auth_token;
  const bound = { metadata: { plan: 'gold' }, before_dns: false };
  const auth_token = await mintBound(bound);
  const hostname = someName();
  const made = await create(auth_token, hostname);
  expect(made.status).toBe(201);
  const params = { path: { id: (made.body as { id: string }).id } };
  expect(
    expectData(await api.client(tenant.live.key).GET('/v1/connections/{id}', { params: { ...params, query: {} } })),
  ).toMatchObject(bound);
  // No credential and no delegation zone lets us order a certificate first.
  const early = await create(await mintBound({ before_dns: true }), someName());
  expect(early).toMatchObject({ status: 400, body: { error: { details: [{ code: 'before_dns_needs_dns' }] } } });
  const own = await send('POST', `${api.baseUrl}/v1/connections`, {
    credential: auth_token,
    body: { application_id: tenant.live.application_id, hostname: someName(), metadata: { plan: 'free' } },
  });
  expect(own.status).toBe(400);
  const large = await send('POST', `${api.baseUrl}/v1/tokens`, {
    credential: tenant.live.key,
    body: { application_id: tenant.live.application_id, metadata: { a: 'x'.repeat(4_096) } },
  });
  expect(large.status).toBe(400);
});

test('a bound token finds no other connection of its application', async () => {
  const made = await create(tenant.live.key, someName());
  const { id } = made.body as { id: string };
  const { auth_token } = await mint(someName());

  const { status } = await send('GET', `${api.baseUrl}/v1/connections/${id}`, { credential: auth_token });

  expect(status).toBe(404);
});

test('a token is refused for another application, and finds nothing of it', async () => {
  const { auth_token } = await mint();
  const elsewhere = await send('POST', `${api.baseUrl}/v1/connections`, {
    credential: auth_token,
    body: { application_id: tenant.test.application_id, hostname: 'a.auto.test' },
  });
  const made = await send('POST', `${api.baseUrl}/v1/connections`, {
    credential: tenant.test.key,
    body: { application_id: tenant.test.application_id, hostname: 'b.auto.test' },
  });

  const found = await send('GET', `${api.baseUrl}/v1/connections/${(made.body as { id: string }).id}`, {
    credential: auth_token,
  });

  expect([elsewhere.status, found.status]).toEqual([403, 404]);
});

test('an idempotent answer for a bound token is not replayed to a token with another hostname', async () => {
  const hostname = someName();
  const headers = { 'idempotency-key': 'widget' };
  await create((await mint(hostname)).auth_token, hostname, headers);

  const replay = await create((await mint(someName())).auth_token, hostname, headers);

  expect(replay.status).toBe(403);
});

describe('a forged token is refused:', () => {
  const claims = () => ({ tid: tenant.tenant_id, env: 'live', scp: ['connections:read', 'connections:write'], mkid });
  const signed = (
    change: (token: SignJWT) => SignJWT,
    header: object = {},
    secret = api.deps.keys.widgetTokens[0].secret,
  ) =>
    change(
      new SignJWT(claims())
        .setProtectedHeader({ alg: 'HS256', typ: 'widget+jwt', kid: 'w1', ...header })
        .setIssuer(api.baseUrl)
        .setAudience('widget')
        .setSubject(tenant.live.application_id)
        .setJti('x')
        .setIssuedAt()
        .setExpirationTime('1h'),
    ).sign(secret);
  const same = (token: SignJWT) => token;

  test.each<[string, () => Promise<string> | string]>([
    [
      'no signature',
      () => new UnsecuredJWT(claims()).setSubject(tenant.live.application_id).setExpirationTime('1h').encode(),
    ],
    ['another algorithm', () => signed(same, { alg: 'HS512' }, Buffer.alloc(64, 1))],
    ['another key', () => signed(same, {}, testKey('w1').secret)],
    ['an unknown kid', () => signed(same, { kid: 'w0' })],
    ['another type', () => signed(same, { typ: 'JWT' })],
    ['another issuer', () => signed((token) => token.setIssuer('https://elsewhere.dev'))],
    ['another audience', () => signed((token) => token.setAudience('api'))],
    ['expired', () => signed((token) => token.setExpirationTime('-1s'))],
    ['an unknown application', () => signed((token) => token.setSubject('019a0000-0000-7000-8000-000000000001'))],
    [
      'a tenant that does not own the application',
      async () => {
        const other = await api.tenant();
        return signed((token) => token.setSubject(other.live.application_id));
      },
    ],
  ])('%s', async (_, forge) => {
    const { status, body } = await create(await forge(), someName());

    expect([status, body]).toMatchObject([401, { error: { code: 'unauthorized' } }]);
  });

  test('but a correct token is accepted', async () => {
    expect((await create(await signed(same), someName())).status).toBe(201);
  });
});

test('tokens of the previous key are valid while the key is still listed', async () => {
  const { auth_token } = await mint();
  const old = api.deps.keys.widgetTokens[0];
  const rotated = await startTestApi({
    databaseUrl: api.databaseUrl,
    baseUrl: api.baseUrl,
    keys: { ...api.deps.keys, widgetTokens: [testKey('w2'), old] },
  });
  const retired = await startTestApi({
    databaseUrl: api.databaseUrl,
    baseUrl: api.baseUrl,
    keys: { ...api.deps.keys, widgetTokens: [testKey('w2')] },
  });
  const ask = (port: string) =>
    send('GET', `${port}/v1/connections/019a0000-0000-7000-8000-000000000001`, { credential: auth_token });

  const answers = [await ask(rotated.internalUrl), await ask(retired.internalUrl)];
  await Promise.all([rotated.stop(), retired.stop()]);

  expect(answers.map(({ status }) => status)).toEqual([404, 401]);
});

describe('browsers', () => {
  const preflight = (origin: string, path = '/v1/connections') =>
    send('OPTIONS', api.baseUrl + path, { headers: { origin, 'access-control-request-method': 'POST' } });

  test('get the allowed methods and headers for an allowed origin', async () => {
    const { status, headers } = await preflight(ORIGIN);

    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(headers.get('access-control-allow-methods')).toBe('POST');
    expect(headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('vary')).toContain('Origin');
  });

  test('get no CORS headers on routes without widget access', async () => {
    const { status, headers } = await preflight(ORIGIN, '/v1/applications');

    expect([status, headers.get('access-control-allow-origin')]).toEqual([405, null]);
  });

  test('of an origin that is not allowed can read that, and nothing else', async () => {
    const origin = 'https://not-set-up.shop-site.com';
    const { auth_token } = await mint();

    const asked = await preflight(origin);
    const refused = await create(auth_token, someName(), { origin });
    const unknown = await create('a.b.c', someName(), { origin });

    expect(asked.headers.get('access-control-allow-origin')).toBe(origin);
    expect([refused.status, unknown.status]).toEqual([403, 401]);
    expect(refused.headers.get('access-control-allow-origin')).toBe(origin);
    expect(refused.body).toMatchObject({
      error: {
        code: 'forbidden',
        message: expect.stringMatching(
          new RegExp(`${origin} .*allowed_origins.*PATCH /v1/applications/${tenant.live.application_id}`),
        ) as string,
        details: { reason: 'origin_not_allowed', origin },
      },
    });
  });

  test('learn the same about every origin without a valid token, so that the answers reveal no tenant', async () => {
    const answers = await Promise.all(
      [ORIGIN, 'https://no-tenant.dev'].map(async (origin) => {
        const { status, headers, body } = await create('a.b.c', someName(), { origin });
        const { headers: asked } = await preflight(origin);
        const shown = [headers, asked].map((one) => one.get('access-control-allow-origin') === origin);
        return { status, body, shown };
      }),
    );

    expect(answers[0]).toEqual(answers[1]);
  });

  test('cannot use an API key from an origin that no application allows', async () => {
    const [strange, own] = await Promise.all(
      ['https://evil.dev', ORIGIN].map((origin) => create(tenant.live.key, someName(), { origin })),
    );

    expect(strange!.headers.get('access-control-allow-origin')).toBeNull();
    expect(own!.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  });

  test('are checked against the application of their token, and can read the refusal', async () => {
    const other = await api.tenant();
    const elsewhere = 'https://other.shop-site.com';
    await api.client(other.live.key).PATCH('/v1/applications/{id}', {
      params: { path: { id: other.live.application_id } },
      body: { allowed_origins: [elsewhere] },
    });
    const { auth_token } = await mint();

    const own = await create(auth_token, someName(), { origin: ORIGIN });
    const foreign = await create(auth_token, someName(), { origin: elsewhere });
    const expired = await create('a.b.c', someName(), { origin: ORIGIN });

    expect([own.status, foreign.status, expired.status]).toEqual([201, 403, 401]);
    expect(own.headers.get('access-control-expose-headers')).toMatch(
      /X-Request-Id, Retry-After, RateLimit, RateLimit-Policy/,
    );
    expect(foreign.headers.get('access-control-allow-origin')).toBe(elsewhere);
    expect(expired.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  });

  test('can read why their body or credential was refused', async () => {
    const url = `${api.baseUrl}/v1/connections`;
    const { auth_token } = await mint();
    const post = (body: string, more: { credential?: string; headers?: Record<string, string> }) =>
      send('POST', url, { ...more, body, headers: { origin: ORIGIN, ...more.headers } });
    const credential = auth_token;
    const refusals = [
      await post('{', { credential }),
      await post(JSON.stringify('x'.repeat(110_000)), { credential }),
      await post('x', { credential, headers: { 'content-type': 'text/plain' } }),
      await post('{', {}),
    ];

    expect(refusals.map(({ status }) => status)).toEqual([400, 413, 415, 401]);
    for (const { headers } of refusals) expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
  });
});
