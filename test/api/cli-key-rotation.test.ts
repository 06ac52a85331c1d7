import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createPool } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { runCli } from '../support/fixtures/cli.ts';
import { asSuperuser, createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { startApiProcess, type HalfProcess } from '../support/fixtures/half-process.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';
import { until } from '../support/until.ts';

/** Two API processes behind a load balancer, which skips a process that is being restarted. */
let database: TestDatabase;
let tenant: NewTenant;
let processes: HalfProcess[] = [];
let inUse: Record<string, string>;
/** API key of the customer's backend. */
let key: string;

const fresh = (kid: string) => `${kid}:${randomBytes(32).toString('base64')}`;
const RINGS = ['CREDENTIAL_KEYS', 'WIDGET_TOKEN_KEYS', 'CURSOR_KEY'] as const;
const old = Object.fromEntries(RINGS.map((name) => [name, fresh('old')]));
const next = Object.fromEntries(RINGS.map((name) => [name, fresh('new')]));
const rings = (of: (name: string) => string) => Object.fromEntries(RINGS.map((name) => [name, of(name)]));

const suffix = crypto.randomUUID().slice(0, 8);
const loginUrl = (name: string): string => {
  const url = new URL(database.url);
  url.username = `${name}_${suffix}`;
  url.password = randomBytes(12).toString('base64url');
  return url.href;
};
const userOf = (url: string): string => new URL(url).username;

const SETTINGS = { RATE_LIMIT_KEY: '0', RATE_LIMIT_TENANT: '0', RATE_LIMIT_WIDGET: '0', EDGE: 'off' };
const startApi = () =>
  startApiProcess(inUse['DATABASE_URL']!, { ...SETTINGS, ...inUse, BASE_URL: 'http://service.localhost' });
const migrate = (api: string) => runCli(['migrate'], { MIGRATION_DATABASE_URL: database.url, API_DATABASE_URL: api });

beforeAll(async () => {
  database = await createTestDatabase();
  inUse = { DATABASE_URL: loginUrl('first'), ...old };
  expect((await migrate(inUse['DATABASE_URL']!)).code).toBe(0);
  const pool = await createPool(database.url, { max: 2, name: 'rotation' });
  tenant = await createTenant(pool, 'Rotation');
  for (const n of [1, 2, 3]) await newConnection(pool, tenant, `n${n}-${suffix}.shop-site.com`);
  await pool.end();
  key = tenant.test.key;
  processes = await Promise.all([startApi(), startApi()]);
});
afterAll(async () => {
  await Promise.all(processes.map((half) => half.stop('SIGKILL')));
  await database.drop();
});

/** Restarts the processes one by one with the current settings, each outside the load balancer. */
async function restartAll(): Promise<void> {
  for (let round = processes.length; round > 0; round--) {
    const leaving = processes.shift()!;
    await leaving.stop();
    processes.push(await startApi());
  }
}

let turn = 0;
const failures: string[] = [];
let answered = 0;

interface Call {
  credential?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a request to the next process in turn. A process that is stopping finishes the requests it has accepted. */
async function call(path: string, { credential = key, ...init }: Call = {}) {
  for (;;) {
    const { port } = processes[turn++ % processes.length]!;
    const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json', ...init.headers };
    const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, { ...init, headers }).catch(() => null);
    if (response === null && !processes.some((half) => half.port === port)) continue; // the load balancer tries the next process
    answered++;
    const text = response === null ? 'no answer' : await response.text();
    if (response?.ok === true) return JSON.parse(text) as Record<string, unknown>;
    failures.push(`${path}: ${text}`);
    return {};
  }
}

async function oneCustomer(): Promise<void> {
  const page = await call('/connections?limit=1');
  await call(`/connections?limit=1&cursor=${String(page['next_cursor'])}`);
  const minting = { method: 'POST', body: JSON.stringify({ application_id: tenant.test.application_id }) };
  const token = await call('/tokens', minting);
  const [connection] = page['data'] as { id: string }[];
  await call(`/connections/${connection!.id}`, { credential: String(token['auth_token']) });
  const again = { method: 'POST', headers: { 'idempotency-key': crypto.randomUUID() }, body: minting.body };
  await call('/tokens', again);
  await call('/tokens', again);
  const zone = `z${randomBytes(4).toString('hex')}.test`;
  const body = JSON.stringify({ provider: 'sandbox', credentials: { zone } });
  const credentials = `/applications/${tenant.test.application_id}/credentials`;
  const kept = await call(credentials, { method: 'POST', body });
  await call(`${credentials}/${String(kept['id'])}:test`, { method: 'POST' });
}

test('every key is rotated under traffic, and no request fails', async () => {
  const done = new AbortController();
  const traffic = Promise.all(
    [1, 2].map(async () => {
      while (!done.signal.aborted) {
        await oneCustomer();
        await pause(100); // frequent enough to hit every step, and leaves CPU time for the processes that restart
      }
    }),
  );
  const sinceThen = async () => {
    const before = answered;
    await until(() => answered > before + 20);
  };
  try {
    await sinceThen();
    // Every process knows the new keys before the first process signs with them.
    inUse = { ...inUse, ...rings((name) => `${old[name]},${next[name]}`) };
    await restartAll();
    await sinceThen();
    // A second login instead of a new password, so that processes with the old settings keep working.
    const secondLogin = loginUrl('second');
    expect((await migrate(secondLogin)).code).toBe(0);
    const firstLogin = inUse['DATABASE_URL']!;
    inUse = { ...rings((name) => `${next[name]},${old[name]}`), DATABASE_URL: secondLogin };
    await restartAll();
    await asSuperuser(`ALTER ROLE "${userOf(firstLogin)}" NOLOGIN`);
    await sinceThen();
    const operator = { DATABASE_URL: database.url };
    const keys = { ...operator, CREDENTIAL_KEYS: inUse['CREDENTIAL_KEYS']! };
    const rewrapped = await runCli(['credentials', 'rewrap', '--json'], keys);
    expect((JSON.parse(rewrapped.out) as { rewrapped: number }).rewrapped).toBeGreaterThan(0);
    inUse = { ...next, DATABASE_URL: secondLogin };
    await restartAll();
    // The new API key is in use before the old one is revoked.
    const named = ['--application', tenant.test.application_id, '--name', 'second', '--json'];
    const made = JSON.parse((await runCli(['key', 'create', ...named], operator)).out) as { secret: string };
    key = made.secret;
    await sinceThen();
  } finally {
    done.abort();
    await traffic;
  }
  expect(failures).toEqual([]);
  const doctor = await runCli(['doctor', '--json'], {
    DATABASE_URL: database.url,
    CREDENTIAL_KEYS: next['CREDENTIAL_KEYS']!,
    DNS_RESOLVERS: '127.0.0.1:9',
  });
  const { checks } = JSON.parse(doctor.out) as { checks: { name: string; status: string }[] };
  expect(checks.filter(({ name }) => name === 'keys').map(({ status }) => status)).toEqual(['ok']);
});
