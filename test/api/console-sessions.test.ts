import pg from 'pg';
import { SCOPES } from '../../src/domain/scope.ts';
import { endsOf, roleOf, ROLES, scopesOf } from '../../src/domain/console-session.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { expectData, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { runCli } from '../support/fixtures/cli.ts';
import { ConsoleBrowser, makeLink, secretIn, signedIn, type Session } from '../support/fixtures/console.ts';

let api: TestApi;
let owner: pg.Client;
let tenant: NewTenant;
beforeAll(async () => {
  api = await startTestApi();
  owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await api.stop();
});
beforeEach(async () => {
  tenant = await api.tenant();
});

const list = async (key: string) => expectData(await api.client(key).GET('/v1/console-sessions')).data;
const end = async (key: string, id: string) =>
  (await api.client(key).DELETE('/v1/console-sessions/{id}', { params: { path: { id } } })).response.status;
const create = (key: string, body: object) => api.client(key).POST('/v1/console-sessions', { body });

describe('rules', () => {
  test('a role follows from its scopes, and has every scope that a lesser role has', () => {
    expect(roleOf(['connections:read', 'usage:read'])).toBe('reader');
    expect(roleOf(['connections:read', 'webhooks:write'])).toBe('member');
    expect(roleOf(['connections:read', 'apps:admin'])).toBe('admin');
    expect(scopesOf('reader')).toEqual(['connections:read', 'usage:read']);
    expect(scopesOf('member')).toEqual(SCOPES.filter((scope) => scope !== 'apps:admin'));
    expect(scopesOf('admin')).toEqual(SCOPES);
    for (const role of ROLES) expect(roleOf(scopesOf(role))).toBe(role);
  });

  test('a link lasts two minutes, but never longer than its session', () => {
    const now = new Date('2026-01-01T00:00:00Z');
    expect(endsOf(now)).toEqual({
      linkExpiresAt: new Date('2026-01-01T00:02:00Z'),
      expiresAt: new Date('2026-01-01T08:00:00Z'),
    });
    expect(endsOf(now, 60).linkExpiresAt).toEqual(new Date('2026-01-01T00:01:00Z'));
  });
});

test('a key creates a link whose secret is in the fragment, and only hashes of secrets are stored', async () => {
  const made = await makeLink(api, tenant.live.key);
  const browser = new ConsoleBrowser(api.baseUrl);
  await browser.signIn(made.url);

  expect(made.url).toMatch(new RegExp(`^${api.baseUrl}/console#link=[0-9A-Za-z]{43}$`));
  expect(Date.parse(made.link_expires_at)).toBeLessThan(Date.parse(made.expires_at));
  const { rows } = await owner.query(`SELECT console_sessions::text AS row FROM console_sessions WHERE id = $1`, [
    made.id,
  ]);
  for (const secret of [secretIn(made.url), ...browser.cookies.values()]) {
    expect(secret).toHaveLength(43);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(secret).toString('hex'));
  }
});

test('the same Idempotency-Key creates another link, because the first one is not stored', async () => {
  const headers = { 'Idempotency-Key': 'x' };
  const [first, second] = [
    await api.client(tenant.live.key).POST('/v1/console-sessions', { body: {}, headers }),
    await api.client(tenant.live.key).POST('/v1/console-sessions', { body: {}, headers }),
  ];

  expect([first.response.status, second.response.status]).toEqual([201, 201]);
  expect(second.data?.url).not.toBe(first.data?.url);
});

test('a key grants only scopes that it has, and connections:read unless it names others', async () => {
  const admin = expectData(
    await api.client(tenant.live.key).POST('/v1/applications/{id}/keys', {
      params: { path: { id: tenant.live.application_id } },
      body: { name: 'admin', scopes: ['apps:admin'] },
    }),
  ).secret!;

  expect((await create(admin, {})).response.status).toBe(403);
  expect((await create(admin, { scopes: ['apps:admin', 'usage:read'] })).response.status).toBe(403);
  expect((await create(admin, { scopes: ['apps:admin'] })).response.status).toBe(201);
  await makeLink(api, tenant.live.key);
  expect((await list(tenant.live.key)).map(({ scopes }) => scopes)).toEqual([['connections:read'], ['apps:admin']]);
});

test.each([59, 86_401, 1.5, '600'])('expires_in: %s is refused', async (expires_in) => {
  expect((await create(tenant.live.key, { expires_in })).response.status).toBe(400);
});

test('the list shows open links and sessions, newest first, and a test key sees those of test only', async () => {
  const { session } = await signedIn(api, tenant.test.key);
  const unused = await makeLink(api, tenant.live.key);
  const ended = await makeLink(api, tenant.live.key);
  await end(tenant.live.key, ended.id);

  const [newest, older] = await list(tenant.live.key);
  expect(newest).toMatchObject({
    id: unused.id,
    made_by: { kind: 'key' },
    environment: 'live',
    signed_in_at: null,
    last_seen_at: null,
    expires_at: unused.expires_at,
  });
  expect(older).toMatchObject({ id: session.id, environment: 'test', scopes: ['connections:read'] });
  expect(older?.signed_in_at).not.toBeNull();
  expect((await list(tenant.live.key)).length).toBe(2);
  expect((await list(tenant.test.key)).map(({ id }) => id)).toEqual([session.id]);
});

test('a test key cannot end a live session, and no one can end one of another tenant, or one that has ended', async () => {
  const stranger = await api.tenant();
  const { browser, session } = await signedIn(api, tenant.live.key);

  expect(await end(tenant.test.key, session.id)).toBe(404);
  expect(await end(stranger.live.key, session.id)).toBe(404);
  expect(await browser.status('GET', '/console/api/session')).toBe(200);
  expect(await end(tenant.live.key, session.id)).toBe(204);
  expect(await browser.status('GET', '/console/api/session')).toBe(401);
  expect(await end(tenant.live.key, session.id)).toBe(404);
});

test('the audit log names who made a link, the session that signed in, and what it did', async () => {
  const { browser, session } = await signedIn(api, tenant.live.key, [...SCOPES]);
  const path = `/console/api/v1/applications/${tenant.live.application_id}`;
  expect(await browser.status('PATCH', path, { name: 'Renamed' })).toBe(200);
  await end(tenant.live.key, session.id);

  const { data } = expectData(await api.client(tenant.live.key).GET('/v1/audit'));
  const seen = data.map(({ action, actor, target_id }) => [action, actor.kind, actor.session_id, target_id]);
  expect(seen.slice(0, 4)).toEqual([
    ['console_session.ended', 'key', null, session.id],
    ['application.updated', 'session', session.id, tenant.live.application_id],
    ['console_session.signed_in', 'session', session.id, session.id],
    ['console_session.created', 'key', null, session.id],
  ]);
});

test('with CONSOLE=off there is no console, and creating a link explains why', async () => {
  const off = await startTestApi({ databaseUrl: api.databaseUrl, console: null });
  try {
    const answer = await off.client(tenant.live.key).POST('/v1/console-sessions', { body: {} });
    expect([answer.response.status, answer.error?.error.code]).toEqual([409, 'invalid_state']);
    expect(answer.error?.error.message).toContain('CONSOLE=off');
    const browser = new ConsoleBrowser(off.baseUrl);
    expect(await browser.status('GET', '/console/api/session')).toBe(404);
    expect(await browser.status('GET', '/console/api/v1/connections')).toBe(404);
  } finally {
    await off.stop();
  }
});

describe('cli console link', () => {
  const link = (...args: string[]) =>
    runCli(['console', 'link', '--tenant', tenant.tenant_id, ...args], {
      DATABASE_URL: api.databaseUrl,
      BASE_URL: api.baseUrl,
    });

  test('prints a link that signs in as the tenant, with the scopes and the environment that were asked for', async () => {
    const scopes = 'connections:read,connections:write';
    const { out, code } = await link('--environment', 'test', '--scopes', scopes, '--json');
    const browser = new ConsoleBrowser(api.baseUrl);
    const answer = await browser.signIn((JSON.parse(out) as { url: string }).url);

    expect(code).toBe(0);
    expect(answer.body as Session).toMatchObject({
      tenant: { id: tenant.tenant_id, name: 'Test' },
      role: 'member',
      environment: 'test',
      scopes: scopes.split(','),
    });
    expect((await list(tenant.live.key))[0]?.made_by).toEqual({ kind: 'operator', key_id: null });
  });

  test('refuses a suspended tenant, an unknown scope and a BASE_URL at which no one can sign in', async () => {
    const env = { DATABASE_URL: api.databaseUrl, BASE_URL: 'http://domains.example.com' };
    expect((await link('--scopes', 'everything')).code).toBe(2);
    expect((await link('--environment', 'staging')).code).toBe(2);
    expect((await runCli(['console', 'link', '--tenant', tenant.tenant_id], env)).err).toContain('https');
    await owner.query('UPDATE tenants SET suspended_at = now() WHERE id = $1', [tenant.tenant_id]);
    expect((await link()).err).toContain('suspended');
  });
});
