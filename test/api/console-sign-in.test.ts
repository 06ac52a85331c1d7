import { request } from 'node:http';
import pg from 'pg';
import { resumeTenant, suspendTenant } from '../../src/db/edge/blocked.ts';
import { SCOPES } from '../../src/domain/scope.ts';
import { MINUTE, SECOND } from '../../src/domain/duration.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import {
  ConsoleBrowser,
  FROM_CONSOLE,
  makeLink,
  secretIn,
  signedIn,
  statusOf,
  type Session,
} from '../support/fixtures/console.ts';
import { until } from '../support/until.ts';

const LOCK_IS_WAITED_FOR = `
  SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

const COOKIE = 'svc_console';
const SESSION = '/console/api/session';
const CONNECTIONS = '/console/api/v1/connections';

let api: TestApi;
let clock = 0;
let tenant: NewTenant;
const metered: string[] = [];
beforeAll(async () => {
  api = await startTestApi({
    now: () => new Date(Date.now() + clock),
    recordApiCall: (tenantId) => metered.push(tenantId),
  });
});
afterAll(() => api.stop());
beforeEach(async () => {
  clock = 0;
  tenant = await api.tenant();
});

const connect = async (side: NewTenant['test'], hostname = someName()) =>
  expectData(
    await api.client(side.key).POST('/v1/connections', { body: { application_id: side.application_id, hostname } }),
  );

describe('a link', () => {
  test('shows tenant, role and environment without being spent, then signs in', async () => {
    const { url, link_expires_at, expires_at, id } = await makeLink(api, tenant.live.key, {
      scopes: ['connections:read', 'usage:read'],
    });
    const browser = new ConsoleBrowser(api.baseUrl);
    const preview = () => browser.send('POST', `${SESSION}:preview`, { link: secretIn(url) });
    const shared = {
      tenant: { id: tenant.tenant_id, name: 'Test' },
      role: 'reader',
      scopes: ['connections:read', 'usage:read'],
      environment: 'live',
    };

    expect((await preview()).body).toEqual({ ...shared, link_expires_at });
    expect((await preview()).status).toBe(200);
    expect(browser.cookies.size).toBe(0);
    const signIn = await browser.signIn(url);
    expect(signIn.body).toMatchObject({ ...shared, id, expires_at });
    expect(signIn.headers.get('cache-control')).toBe('no-store');
    expect((await browser.send('GET', SESSION)).body).toEqual(signIn.body);
    expect((await preview()).status).toBe(401);
  });

  test('works once: of many browsers that hold a stolen copy, one is signed in', async () => {
    const { url } = await makeLink(api, tenant.live.key);
    const browsers = Array.from({ length: 8 }, () => new ConsoleBrowser(api.baseUrl));

    const answers = await Promise.all(browsers.map((browser) => browser.signIn(url)));

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(7).fill(401)]);
    expect(browsers.filter(({ cookies }) => cookies.size > 0)).toHaveLength(1);
    expect((await new ConsoleBrowser(api.baseUrl).signIn(url)).status).toBe(401);
  });

  test('works for two minutes', async () => {
    const { url } = await makeLink(api, tenant.live.key);
    clock = 2 * MINUTE + SECOND;
    const browser = new ConsoleBrowser(api.baseUrl);

    expect(await browser.status('POST', `${SESSION}:preview`, { link: secretIn(url) })).toBe(401);
    expect((await browser.signIn(url)).status).toBe(401);
    expect(browser.cookies.size).toBe(0);
  });

  test('does not work after its key was revoked, or after it was ended', async () => {
    const client = api.client(tenant.live.key);
    const path = { id: tenant.live.application_id };
    const key = expectData(
      await client.POST('/v1/applications/{id}/keys', { params: { path }, body: { name: 'short-lived' } }),
    );
    const [ofKey, ended] = [await makeLink(api, key.secret!), await makeLink(api, tenant.live.key)];
    await client.DELETE('/v1/applications/{id}/keys/{keyId}', { params: { path: { ...path, keyId: key.id } } });
    await client.DELETE('/v1/console-sessions/{id}', { params: { path: { id: ended.id } } });

    for (const { url } of [ofKey, ended]) expect((await new ConsoleBrowser(api.baseUrl).signIn(url)).status).toBe(401);
  });

  test('is spent only by a POST: opening its address as a page changes nothing', async () => {
    const { url } = await makeLink(api, tenant.live.key);
    for (const path of ['/console', `${SESSION}?link=${secretIn(url)}`]) await fetch(api.baseUrl + path);

    expect((await new ConsoleBrowser(api.baseUrl).signIn(url)).status).toBe(200);
  });

  test('must come in a body of at most 1 kB, the only one that strangers may send', async () => {
    const browser = new ConsoleBrowser(api.baseUrl);
    expect(await browser.status('POST', SESSION, { link: 'x'.repeat(2_000) })).toBe(413);
    expect(await browser.status('POST', SESSION, { link: 'x'.repeat(300) })).toBe(400);
    expect(await browser.status('POST', SESSION, '{')).toBe(400);
    expect(await browser.status('POST', SESSION)).toBe(400);
    expect(await browser.status('POST', CONNECTIONS, '{')).toBe(401); // not parsed
  });
});

describe('the cookie', () => {
  test('cannot be read by scripts, and goes to no other site', async () => {
    const { url } = await makeLink(api, tenant.live.key);
    const { headers } = await new ConsoleBrowser(api.baseUrl).signIn(url);

    expect(headers.getSetCookie()).toHaveLength(1);
    expect(headers.getSetCookie()[0]).toMatch(
      /^svc_console=[0-9A-Za-z]{43}; Max-Age=\d+; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
    );
  });

  test('has the prefix __Host- and Secure where BASE_URL is https, and no other name is accepted', async () => {
    const https = await startTestApi({ databaseUrl: api.databaseUrl, baseUrl: 'https://domains.service.dev' });
    try {
      const { url } = await makeLink(https, tenant.live.key);
      const browser = new ConsoleBrowser(https.baseUrl);
      const { headers } = await browser.signIn(url);

      expect(url).toMatch(/^https:\/\/domains\.service\.dev\/console#link=/);
      expect(headers.getSetCookie()[0]).toMatch(
        /^__Host-svc_console=.*; Path=\/; .*HttpOnly; Secure; SameSite=Strict$/,
      );
      expect(headers.getSetCookie()[0]).not.toMatch(/domain=/i);
      expect(await browser.status('GET', CONNECTIONS)).toBe(200);
      const plain = new ConsoleBrowser(https.baseUrl);
      plain.cookies.set(COOKIE, browser.cookies.get(`__Host-${COOKIE}`)!);
      expect(await plain.status('GET', CONNECTIONS)).toBe(401);
    } finally {
      await https.stop();
    }
  });

  test('gets a new value at each sign-in, so a value that was planted before is worthless (session fixation)', async () => {
    const planted = 'A'.repeat(43);
    const browser = new ConsoleBrowser(api.baseUrl);
    browser.cookies.set(COOKIE, planted);
    await browser.signIn((await makeLink(api, tenant.live.key)).url);
    const first = browser.cookies.get(COOKIE);
    await browser.signIn((await makeLink(api, tenant.live.key)).url);
    const second = browser.cookies.get(COOKIE);

    expect(new Set([planted, first, second]).size).toBe(3);
    const thief = new ConsoleBrowser(api.baseUrl);
    for (const value of [planted, first!]) {
      thief.cookies.set(COOKIE, value);
      expect(await thief.status('GET', SESSION)).toBe(401); // `first` ended when it was replaced
    }
    expect(await browser.status('GET', SESSION)).toBe(200);
  });

  test('is ignored at /v1, also next to no or a bad key', async () => {
    const { browser } = await signedIn(api, tenant.live.key, [...SCOPES]);

    expect(await browser.status('GET', CONNECTIONS)).toBe(200);
    expect(await browser.status('GET', '/v1/connections')).toBe(401);
    expect(
      await browser.status('GET', '/v1/connections', undefined, { ...FROM_CONSOLE, authorization: 'Bearer x' }),
    ).toBe(401);
    expect(await statusOf(api, 'GET', CONNECTIONS, { credential: tenant.live.key })).toBe(401); // and keys are ignored here
  });

  test('where BASE_URL is plain http on a network, no one can sign in', async () => {
    const insecure = await startTestApi({ databaseUrl: api.databaseUrl, baseUrl: 'http://domains.service.dev', demoKey: tenant.test.key }); // prettier-ignore
    try {
      const { url } = await makeLink(insecure, tenant.live.key);
      const browser = new ConsoleBrowser(insecure.baseUrl);
      const answer = await browser.signIn(url);

      expect(answer).toMatchObject({
        status: 403,
        body: { error: { code: 'forbidden', details: { reason: 'insecure_base_url' } } },
      });
      expect(await browser.status('POST', `${SESSION}:preview`, { link: secretIn(url) })).toBe(403);
      expect(await browser.status('POST', `${SESSION}:demo`)).toBe(403);
      expect(browser.cookies.size).toBe(0);
      const elsewhere = await signedIn(api, tenant.live.key);
      browser.cookies.set(COOKIE, elsewhere.browser.cookies.get(COOKIE)!);
      expect(await browser.status('GET', CONNECTIONS)).toBe(401);
    } finally {
      await insecure.stop();
    }
  });
});

describe('requests of other sites (CSRF)', () => {
  const FORGED: [string, Record<string, string>][] = [
    ['another site', { ...FROM_CONSOLE, 'sec-fetch-site': 'cross-site' }],
    ['a sibling host of the same site', { ...FROM_CONSOLE, 'sec-fetch-site': 'same-site' }],
    ['no page at all', { ...FROM_CONSOLE, 'sec-fetch-site': 'none' }],
    ['an old browser, without the header that a form cannot send', {}],
    ['a page that guesses the header', { 'x-svc-console': 'true' }],
  ];

  test.each(FORGED)('from %s change nothing', async (_, headers) => {
    const { browser } = await signedIn(api, tenant.live.key, [...SCOPES]);
    const { id } = await connect(tenant.live);
    const { url } = await makeLink(api, tenant.live.key);

    expect(await browser.status('DELETE', `${CONNECTIONS}/${id}`, undefined, headers)).toBe(403);
    expect(await browser.status('DELETE', SESSION, undefined, headers)).toBe(403);
    expect(await browser.status('POST', SESSION, { link: secretIn(url) }, headers)).toBe(403);
    expect(await browser.status('POST', `${SESSION}:preview`, { link: secretIn(url) }, headers)).toBe(403);
    expect(await browser.status('GET', `${CONNECTIONS}/${id}`)).toBe(200);
    expect(((await browser.send('GET', `${CONNECTIONS}/${id}`)).body as { state: string }).state).not.toBe('archived');
  });

  test('cannot read either, and no path of the console allows other origins', async () => {
    const { browser } = await signedIn(api, tenant.live.key);
    const origin = { origin: 'https://evil.example' };
    const preflight = await browser.send('OPTIONS', CONNECTIONS, undefined, {
      ...origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-svc-console',
    });

    expect(await browser.status('GET', CONNECTIONS, undefined, { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await browser.status('GET', SESSION, undefined, { 'sec-fetch-site': 'same-site' })).toBe(403);
    expect((await browser.send('GET', CONNECTIONS, undefined, origin)).headers.has('access-control-allow-origin')).toBe(
      false,
    );
    expect(preflight.headers.has('access-control-allow-origin')).toBe(false);
  });

  test('a browser without Sec-Fetch-Site can use the console with the header', async () => {
    const { browser } = await signedIn(api, tenant.live.key, [...SCOPES]);
    const { id } = await connect(tenant.live);

    expect(await browser.status('GET', CONNECTIONS, undefined, {})).toBe(200);
    expect(await browser.status('DELETE', `${CONNECTIONS}/${id}`, undefined, { 'x-svc-console': '1' })).toBe(200);
  });
});

describe('a session ends', () => {
  const alive = (browser: ConsoleBrowser) => browser.status('GET', CONNECTIONS);

  test('when the person signs out, and its cookie is worthless then', async () => {
    const { browser } = await signedIn(api, tenant.live.key);
    const thief = new ConsoleBrowser(api.baseUrl);
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value);

    expect(await browser.status('DELETE', SESSION)).toBe(204);
    expect(browser.cookies.size).toBe(0);
    expect(await alive(thief)).toBe(401);
    expect(await browser.status('DELETE', SESSION)).toBe(204); // again
  });

  test('when it is ended through the API or by another session', async () => {
    const [admin, old] = [await signedIn(api, tenant.live.key, [...SCOPES]), await signedIn(api, tenant.live.key)];
    expect(await admin.browser.status('DELETE', `/console/api/v1/console-sessions/${old.session.id}`)).toBe(204);

    expect([await alive(old.browser), await alive(admin.browser)]).toEqual([401, 200]);
  });

  test('at its time', async () => {
    const link = await makeLink(api, tenant.live.key, { expires_in: 600 });
    const browser = new ConsoleBrowser(api.baseUrl);
    await browser.signIn(link.url);
    clock = 9 * MINUTE;
    const before = await alive(browser);
    clock = 10 * MINUTE + SECOND;

    expect([before, await alive(browser), await browser.status('GET', SESSION)]).toEqual([200, 401, 401]);
  });

  test('with the key that created it', async () => {
    const client = api.client(tenant.live.key);
    const path = { id: tenant.live.application_id };
    const key = expectData(
      await client.POST('/v1/applications/{id}/keys', { params: { path }, body: { name: 'short-lived' } }),
    );
    const [ofKey, other] = [await signedIn(api, key.secret!), await signedIn(api, tenant.live.key)];
    await client.DELETE('/v1/applications/{id}/keys/{keyId}', { params: { path: { ...path, keyId: key.id } } });

    expect([await alive(ofKey.browser), await alive(other.browser)]).toEqual([401, 200]);
  });

  test('with the suspension of its tenant, and does not come back with it; nor does a link', async () => {
    const { browser } = await signedIn(api, tenant.live.key);
    const { url } = await makeLink(api, tenant.live.key);
    const others = await signedIn(api, (await api.tenant()).live.key);
    await api.deps.pool.transaction((tx) => suspendTenant(tx, tenant.tenant_id, 'Unpaid', new Date()));
    const during = [await alive(browser), (await new ConsoleBrowser(api.baseUrl).signIn(url)).status];
    await api.deps.pool.transaction((tx) => resumeTenant(tx, tenant.tenant_id));

    expect(during).toEqual([401, 401]);
    expect([await alive(browser), (await new ConsoleBrowser(api.baseUrl).signIn(url)).status]).toEqual([401, 401]);
    expect(await alive(others.browser)).toBe(200);
    expect(await statusOf(api, 'GET', '/v1/connections', { credential: tenant.live.key })).toBe(200);
  });

  test('also if its link is inserted while the suspension is being committed', async () => {
    const clients = [1, 2].map(() => new pg.Client({ connectionString: api.databaseUrl })) as [pg.Client, pg.Client];
    const [client, watcher] = clients;
    await Promise.all(clients.map((one) => one.connect()));
    await client.query('BEGIN');
    await client.query('UPDATE tenants SET suspended_at = now() WHERE id = $1', [tenant.tenant_id]);
    const link = makeLink(api, tenant.live.key); // waits for the tenant
    await until(async () => (await watcher.query(LOCK_IS_WAITED_FOR)).rowCount === 1);
    await client.query('COMMIT');
    const { url } = await link;
    await api.deps.pool.transaction((tx) => resumeTenant(tx, tenant.tenant_id));
    await Promise.all(clients.map((one) => one.end()));

    expect((await new ConsoleBrowser(api.baseUrl).signIn(url)).status).toBe(401);
  });
});

describe('a session reaches', () => {
  test('the objects of its tenant only: others get the same 404 as missing ones', async () => {
    const stranger = await api.tenant();
    const { browser } = await signedIn(api, tenant.live.key, [...SCOPES]);
    const theirs = await connect(stranger.live);
    const session = await signedIn(api, stranger.live.key);

    for (const [method, path] of [
      ['GET', `/connections/${theirs.id}`],
      ['DELETE', `/connections/${theirs.id}`],
      ['GET', `/applications/${stranger.live.application_id}`],
      ['GET', `/applications/${stranger.live.application_id}/keys`],
      ['DELETE', `/console-sessions/${session.session.id}`],
    ] as const)
      expect(await browser.status(method, `/console/api/v1${path}`)).toBe(404);
    expect((await browser.send('GET', CONNECTIONS)).body).toMatchObject({ data: [] });
  });

  test('of a test key, test objects only; of a live key, both', async () => {
    const [inTest, inLive] = [await connect(tenant.test, someName('shop.test')), await connect(tenant.live)];
    const [test, live] = [await signedIn(api, tenant.test.key), await signedIn(api, tenant.live.key)];
    const statuses = async ({ browser }: { browser: ConsoleBrowser }) => [
      await browser.status('GET', `${CONNECTIONS}/${inTest.id}`),
      await browser.status('GET', `${CONNECTIONS}/${inLive.id}`),
    ];

    expect(test.session.environment).toBe('test');
    expect(await statuses(test)).toEqual([200, 404]);
    expect(await statuses(live)).toEqual([200, 200]);
    const all = await test.browser.send('GET', `${CONNECTIONS}?environment=all`);
    expect((all.body as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual([inTest.id]);
  });

  test('the routes of its scopes only', async () => {
    const { browser } = await signedIn(api, tenant.live.key, ['connections:read']);
    const { id } = await connect(tenant.live);

    expect(await browser.status('GET', CONNECTIONS)).toBe(200);
    for (const [method, path] of [
      ['DELETE', `/connections/${id}`],
      ['GET', '/applications'],
      ['GET', '/audit'],
      ['GET', '/webhook-endpoints'],
      ['GET', '/console-sessions'],
    ] as const) {
      const answer = await browser.send(method, `/console/api/v1${path}`);
      expect(answer.status).toBe(403);
      expect((answer.body as { error: { message: string } }).error.message).toMatch(/lacks the scope/);
    }
  });

  test('no route that creates a key, a session, a widget token or an edge secret, as any role', async () => {
    const { browser } = await signedIn(api, tenant.live.key, [...SCOPES]);
    const id = tenant.live.application_id;

    for (const [path, body] of [
      [`/applications/${id}/keys`, { name: 'mine' }],
      ['/console-sessions', {}],
      ['/tokens', { application_id: id }],
      [`/applications/${id}/edge-secrets`, {}],
    ] as const) {
      const answer = await browser.send('POST', `/console/api/v1${path}`, body);
      expect(answer.status).toBe(403);
      expect((answer.body as { error: { message: string } }).error.message).toMatch(/cannot create credentials/);
    }
    expect(await browser.status('GET', `/console/api/v1/applications/${id}/keys`)).toBe(200);
  });

  test('everything that an API key creates: a connection with its external id, in one request', async () => {
    const { browser } = await signedIn(api, tenant.live.key, [...SCOPES]);
    const body = { application_id: tenant.live.application_id, hostname: someName(), external_id: 'c-1', serve: true };
    const headers = { ...FROM_CONSOLE, 'idempotency-key': 'once' };
    const first = await browser.send('POST', CONNECTIONS, body, headers);
    const again = await browser.send('POST', CONNECTIONS, body, headers);

    expect(first).toMatchObject({ status: 201, body: { external_id: 'c-1' } });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });
});

test('calls of a session are not metered, and it has a rate limit of its own, like a key', async () => {
  const limited = await startTestApi({
    databaseUrl: api.databaseUrl,
    limits: { ...api.deps.limits, key: { perSecond: 0.001, burst: 3 } },
    recordApiCall: (tenantId) => metered.push(tenantId),
  });
  try {
    const [first, second] = [await signedIn(limited, tenant.live.key), await signedIn(limited, tenant.live.key)];
    metered.length = 0;
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push(await first.browser.status('GET', CONNECTIONS));

    expect(statuses).toEqual([200, 200, 200, 429]);
    expect(await second.browser.status('GET', CONNECTIONS)).toBe(200);
    expect(metered).toEqual([]);
    expect(await statusOf(limited, 'GET', '/v1/connections', { credential: tenant.live.key })).toBe(200);
    expect(metered).toEqual([tenant.tenant_id]);
  } finally {
    await limited.stop();
  }
});

test('wrong links count against the limit of strangers', async () => {
  const limited = await startTestApi({
    databaseUrl: api.databaseUrl,
    limits: { ...api.deps.limits, anonymous: { perSecond: 0.001, burst: 2 } },
  });
  try {
    const browser = new ConsoleBrowser(limited.baseUrl);
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push(await browser.status('POST', SESSION, { link: `guess-${i}` }));
    expect(statuses).toEqual([401, 401, 429]);
  } finally {
    await limited.stop();
  }
});

describe('the button of the demo', () => {
  test('signs in as the demo tenant, with all that its key may do, and ends with that key', async () => {
    const demo = await startTestApi({ databaseUrl: api.databaseUrl, demoKey: tenant.test.key });
    try {
      const browser = new ConsoleBrowser(demo.baseUrl);
      const answer = await browser.send('POST', `${SESSION}:demo`);

      expect(answer.body as Session).toMatchObject({
        tenant: { id: tenant.tenant_id },
        role: 'admin',
        environment: 'test',
        scopes: [...SCOPES],
      });
      expect(await browser.status('GET', CONNECTIONS)).toBe(200);
      expect(await browser.status('POST', `${SESSION}:demo`, undefined, {})).toBe(403);
    } finally {
      await demo.stop();
    }
  });

  test('does not exist where the development defaults do not apply', async () => {
    expect(await new ConsoleBrowser(api.baseUrl).status('POST', `${SESSION}:demo`)).toBe(404);
  });

  test('works only under the names of this machine, so a page with a rebound DNS name cannot press it', async () => {
    const demo = await startTestApi({ databaseUrl: api.databaseUrl, demoKey: tenant.test.key });
    try {
      const { port } = new URL(demo.baseUrl);
      const press = (host: string) => pressAt(Number(port), host);
      expect([await press('rebound.evil.example'), await press(`localhost:${port}`)]).toEqual([403, 200]);
    } finally {
      await demo.stop();
    }
  });
});

/** Presses the button with a Host header, which fetch does not let a caller set. */
const pressAt = (port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(
      { port, host: '127.0.0.1', method: 'POST', path: `${SESSION}:demo`, headers: { ...FROM_CONSOLE, host } },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    sent.on('error', reject).end();
  });
