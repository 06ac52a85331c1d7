import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { suspendTenant } from '../../src/db/edge/blocked.ts';
import { MINUTE, SECOND } from '../../src/domain/duration.ts';
import { signToken, verifyToken } from '../../src/api/signed.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { expectData, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { ConsoleBrowser, signedIn, type Session } from '../support/fixtures/console.ts';
import { logIn, startOpenIdProvider, type OpenIdClient } from '../support/servers/openid-provider.ts';
import type { ServerProcess } from '../support/servers/server-process.ts';

/** Signing in to the console at a real OpenID provider, which runs here. */
const CLIENT = { clientId: 'domains', clientSecret: 'a secret of the client' };
const START = '/console/oidc/start';
const SESSION = '/console/api/session';
const STATE_COOKIE = 'svc_console_oidc';
/** A navigation from the console's own page. */
const NAVIGATION = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' };

let api: TestApi;
let provider: ServerProcess;
let clock = 0;
let tenant: NewTenant;

const clientOf = (baseUrl: string, port: number): OpenIdClient => ({
  ...CLIENT,
  port,
  redirectUri: `${baseUrl}/console/oidc/callback`,
  authenticatesBy: 'client_secret_basic',
  claimsIn: 'id token',
});
const settingsFor = (port: number) => ({
  ...CLIENT,
  issuer: `http://127.0.0.1:${port}`,
  tenantClaim: 'tenant',
  roleClaim: 'role',
});

beforeAll(async () => {
  const port = await freePort();
  api = await startTestApi({
    console: { oidc: settingsFor(port) },
    now: () => new Date(Date.now() + clock),
  });
  provider = await startOpenIdProvider(clientOf(api.baseUrl, port));
});
afterAll(async () => {
  await provider.stop();
  await api.stop();
});
beforeEach(async () => {
  clock = 0;
  tenant = await api.tenant();
});

/** Begins a sign-in, and returns the provider's URL to which the browser is sent. */
async function begin(browser: ConsoleBrowser): Promise<string> {
  const { status, headers } = await browser.send('GET', START, undefined, NAVIGATION);
  expect(status).toBe(302);
  return headers.get('location')!;
}

/** Comes back from the provider, which is another site, and returns where the browser is sent. */
async function comeBack(browser: ConsoleBrowser, url: string): Promise<string | null> {
  const { pathname, search } = new URL(url);
  const strict = browser.cookies.get('svc_console');
  browser.cookies.delete('svc_console'); // SameSite=Strict
  const { headers } = await browser.send('GET', pathname + search, undefined, { 'sec-fetch-site': 'cross-site' });
  if (strict !== undefined && !browser.cookies.has('svc_console')) browser.cookies.set('svc_console', strict);
  return headers.get('location');
}

/** Signs in with claims, and returns where the browser is sent. */
const signInWith = async (browser: ConsoleBrowser, claims: Record<string, unknown> | null) =>
  comeBack(browser, await logIn(await begin(browser), claims));
const sessionOf = async (browser: ConsoleBrowser) => (await browser.send('GET', SESSION)).body as Session;

test.each([
  ['reader', ['connections:read', 'usage:read']],
  ['member', ['connections:read', 'connections:write', 'webhooks:write', 'usage:read']],
  ['admin', ['connections:read', 'connections:write', 'apps:admin', 'webhooks:write', 'usage:read']],
])('the claims name the tenant, and the role %s gives its scopes', async (role, scopes) => {
  const browser = new ConsoleBrowser(api.baseUrl);

  expect(await signInWith(browser, { tenant: tenant.tenant_id, role })).toBe('/console');
  expect(await sessionOf(browser)).toMatchObject({
    tenant: { id: tenant.tenant_id, name: 'Test' },
    role,
    scopes,
    environment: 'live',
  });
  expect([...browser.cookies.keys()]).toEqual(['svc_console']); // the state is gone
  expect(await browser.status('GET', '/console/api/v1/connections')).toBe(200);
  const { data } = expectData(await api.client(tenant.live.key).GET('/v1/console-sessions'));
  expect(data.map(({ made_by }) => made_by)).toEqual([{ kind: 'openid_connect', key_id: null }]);
});

test('the request has PKCE, state and nonce, which are in a signed Lax cookie of the browser', async () => {
  const browser = new ConsoleBrowser(api.baseUrl);
  const { headers } = await browser.send('GET', START, undefined, NAVIGATION);
  const query = new URL(headers.get('location')!).searchParams;

  expect(Object.fromEntries(query)).toMatchObject({
    response_type: 'code',
    client_id: CLIENT.clientId,
    redirect_uri: `${api.baseUrl}/console/oidc/callback`,
    scope: 'openid profile',
    code_challenge_method: 'S256',
  });
  for (const name of ['state', 'nonce', 'code_challenge']) expect(query.get(name)).toMatch(/^[\w-]{43}$/);
  expect(headers.getSetCookie()[0]).toMatch(
    /^svc_console_oidc=[\w-]+; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
  );
});

test.each([
  ['no role', {}, 'oidc_role'],
  ['an unknown role', { role: 'owner' }, 'oidc_role'],
  ['two roles', { role: ['reader', 'admin'] }, 'oidc_role'],
  ['no tenant', { tenant: undefined, role: 'admin' }, 'oidc_tenant'],
  ['a tenant that does not exist', { tenant: '01a1e812-8b29-7612-a7a6-0ab24065ea05', role: 'admin' }, 'oidc_tenant'],
  ['a tenant by its name', { tenant: 'Test', role: 'admin' }, 'oidc_tenant'],
])('a person with %s is not signed in', async (_, claims, code) => {
  const browser = new ConsoleBrowser(api.baseUrl);

  expect(await signInWith(browser, { tenant: tenant.tenant_id, ...claims })).toBe(`/console#error=${code}`);
  expect(browser.cookies.size).toBe(0);
});

test('a person of a suspended tenant is not signed in', async () => {
  await api.deps.pool.transaction((tx) => suspendTenant(tx, tenant.tenant_id, 'Unpaid', new Date()));
  const browser = new ConsoleBrowser(api.baseUrl);

  expect(await signInWith(browser, { tenant: tenant.tenant_id, role: 'admin' })).toBe('/console#error=oidc_tenant');
  expect(browser.cookies.size).toBe(0);
});

test('a person who refuses at the provider sees that', async () => {
  expect(await signInWith(new ConsoleBrowser(api.baseUrl), null)).toBe('/console#error=oidc_refused');
});

describe('an answer of the provider is refused', () => {
  const claims = () => ({ tenant: tenant.tenant_id, role: 'admin' });
  const FAILED = '/console#error=oidc_failed';

  test('in a browser that did not ask (login CSRF), and the second time', async () => {
    const browser = new ConsoleBrowser(api.baseUrl);
    const url = await logIn(await begin(browser), claims());
    const state = browser.cookies.get(STATE_COOKIE)!;
    const victim = new ConsoleBrowser(api.baseUrl);

    expect(await comeBack(victim, url)).toBe(FAILED);
    await begin(victim); // has a state of its own
    expect(await comeBack(victim, url)).toBe(FAILED);
    expect(victim.cookies.size).toBe(0);
    expect(await comeBack(browser, url)).toBe('/console');
    browser.cookies.set(STATE_COOKIE, state);
    expect(await comeBack(browser, url)).toBe(FAILED);
  });

  test('after ten minutes', async () => {
    const browser = new ConsoleBrowser(api.baseUrl);
    const url = await logIn(await begin(browser), claims());
    clock = 10 * MINUTE + SECOND;

    expect(await comeBack(browser, url)).toBe(FAILED);
  });

  test.each(['state', 'nonce', 'verifier'])('if its %s is not that of the browser', async (field) => {
    const browser = new ConsoleBrowser(api.baseUrl);
    const url = await logIn(await begin(browser), claims());
    const keys = api.deps.keys.signedState;
    const purpose = 'console openid connect';
    const kept = JSON.parse(verifyToken(keys, purpose, browser.cookies.get(STATE_COOKIE)!)!) as Record<string, string>;
    browser.cookies.set(STATE_COOKIE, signToken(keys, purpose, JSON.stringify({ ...kept, [field]: 'x'.repeat(43) })));

    expect(await comeBack(browser, url)).toBe(FAILED);
    expect(browser.cookies.size).toBe(0);
  });

  test('if the cookie with the state was forged', async () => {
    const browser = new ConsoleBrowser(api.baseUrl);
    const url = await logIn(await begin(browser), claims());
    const state = browser.cookies.get(STATE_COOKIE)!;
    browser.cookies.set(STATE_COOKIE, `${state.startsWith('A') ? 'B' : 'A'}${state.slice(1)}`);

    expect(await comeBack(browser, url)).toBe(FAILED);
  });
});

test('a link of another site does not begin a sign-in, which would replace a session', async () => {
  for (const site of ['cross-site', 'same-site', 'none']) {
    const browser = new ConsoleBrowser(api.baseUrl);
    const { headers } = await browser.send('GET', START, undefined, { 'sec-fetch-site': site });
    expect([headers.get('location'), browser.cookies.size]).toEqual(['/console', 0]);
  }
});

test('the session that it replaces ends', async () => {
  const { browser } = await signedIn(api, tenant.live.key);
  const old = new ConsoleBrowser(api.baseUrl);
  old.cookies.set('svc_console', browser.cookies.get('svc_console')!);
  await signInWith(browser, { tenant: tenant.tenant_id, role: 'reader' });

  expect((await sessionOf(browser)).role).toBe('reader');
  expect(await old.status('GET', SESSION)).toBe(401);
});

test('a provider that starts later, takes the secret in the body, and returns claims at userinfo', async () => {
  const port = await freePort();
  const late = await startTestApi({ databaseUrl: api.databaseUrl, console: { oidc: settingsFor(port) } });
  const browser = new ConsoleBrowser(late.baseUrl);
  expect(await begin(browser)).toBe('/console#error=oidc_failed');
  const other = await startOpenIdProvider({
    ...clientOf(late.baseUrl, port),
    authenticatesBy: 'client_secret_post',
    claimsIn: 'userinfo',
  });
  try {
    expect(await signInWith(browser, { tenant: tenant.tenant_id, role: 'member' })).toBe('/console');
    expect((await sessionOf(browser)).role).toBe('member');
  } finally {
    await other.stop();
    await late.stop();
  }
});

test('without settings, and where BASE_URL is plain http on a network, no one is sent to a provider', async () => {
  const without = await startTestApi({ databaseUrl: api.databaseUrl });
  const insecure = await startTestApi({
    databaseUrl: api.databaseUrl,
    baseUrl: 'http://domains.service.dev',
    console: api.deps.console,
  });
  try {
    expect(await new ConsoleBrowser(without.baseUrl).status('GET', START)).toBe(404);
    expect(await begin(new ConsoleBrowser(insecure.baseUrl))).toBe('/console');
  } finally {
    await Promise.all([without.stop(), insecure.stop()]);
  }
});
