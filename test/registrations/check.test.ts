import pg from 'pg';
import { z } from 'zod';
import { getConnection, lockConnection } from '../../src/db/connection/connections.ts';
import { getConnectionDetail } from '../../src/db/connection/connection-detail.ts';
import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { transition } from '../../src/db/connection/transitions.ts';
import { createPool, none, sql, type Pool } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import type { State } from '../../src/domain/connection/connection.ts';
import { registrationFindings } from '../../src/domain/connection/registration.ts';
import { EVERY_NETWORK } from '../../src/net/address.ts';
import { createHttpsJson, type HttpsJson } from '../../src/net/https-json.ts';
import { inProcessAllowances } from '../../src/providers/toolkit/rate-limiter.ts';
import { checkRegistrations, type Registrations } from '../../src/registrations/check.ts';
import { codeBlock } from '../support/code-blocks.ts';
import { startRdapServer, type RdapServer } from '../support/doubles/rdap-server.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

let database: TestDatabase;
let pool: Pool;
let tenant: NewTenant;
let server: RdapServer;
let http: HttpsJson;
let registrations: Registrations;
/** The worker's time. Tests move it forwards, and each begins a year after the one before. */
let now = Date.UTC(2026, 0, 1);
/** Domains that DNS denies, and whether its servers answer. */
let denied = new Set<string>();
let isSilent = false;
let taken: string[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  [pool, server] = [await createPool(database.url, { max: 6, name: 'registrations' }), await startRdapServer()];
  tenant = await createTenant(pool, 'Registrations');
  http = createHttpsJson({ allowed: EVERY_NETWORK }, {}, { accept: 'application/rdap+json' });
  const allowances = inProcessAllowances(() => now);
  registrations = {
    pool,
    bootstrapFile: await server.bootstrapFile('com', 'co.uk'),
    http,
    allowances: {
      ...allowances,
      take: (key, windows, patienceMs) => {
        taken.push(key);
        now += 1_000; // instead of waiting
        return allowances.take(key, windows, patienceMs);
      },
    },
    isDenied: (domain) => Promise.resolve(isSilent ? null : denied.has(domain)),
    clock: () => new Date(now),
  };
});
afterAll(async () => {
  await Promise.all([http.close(), server.stop()]);
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  await pool.query(sql.type(none)`UPDATE connections SET state = 'archived' WHERE state <> 'archived'`);
  now += 365 * DAY;
  [denied, isSilent, taken] = [new Set(), false, []];
  server.registered.clear();
  server.asked.length = 0;
  [server.answer, server.limitedFor] = [null, null];
});

const check = (signal = new AbortController().signal) => checkRegistrations(registrations, signal);
const days = async (count: number) => {
  for (let day = 0; day < count; day++) {
    now += DAY;
    await check();
  }
};
let names = 0;
/** Creates a connection that was proved now, in this state, with a domain that is registered for another year. */
async function connected(state: State = 'live', serve = true): Promise<ConnectionRow & { domain: string }> {
  const domain = `shop-${names++}.com`;
  server.registered.set(domain, { registeredAt: new Date(now - 900 * DAY), expiresAt: new Date(now + 365 * DAY) });
  const row = await newConnection(pool, tenant, `www.${domain}`);
  await pool.query(sql.type(none)`UPDATE connections SET state = 'verifying', serve = ${serve} WHERE id = ${row.id}`);
  await pool.transaction(async (tx) =>
    transition(tx, (await lockConnection(tx, row.id))!, 'challengeSeen', { now: new Date(now) }),
  );
  await pool.query(sql.type(none)`UPDATE connections SET state = ${state} WHERE id = ${row.id}`);
  return { ...row, domain };
}
const expiresIn = (domain: string, left: number) =>
  server.registered.set(domain, { registeredAt: new Date(now - 900 * DAY), expiresAt: new Date(now + left * DAY) });
const findings = async ({ id }: { id: string }) =>
  registrationFindings((await getConnectionDetail(pool, id))!.registration).map(({ code }) => code);
const Expiring = z.object({ days: z.number(), domain: z.string(), expires_at: z.string() });
const warnings = async ({ id }: { id: string }) =>
  (
    await pool.anyFirst(sql.type(z.object({ data: Expiring }))`
      SELECT data -> 'registration' AS data FROM events
      WHERE connection_id = ${id} AND type = 'domain.expiring' ORDER BY sequence
    `)
  ).map((data) => data.days);

test('a registration is asked for once a day, by two workers together too', async () => {
  const { domain } = await connected();
  await Promise.all([check(), check()]);
  await check();
  now += DAY - 2 * MINUTE;
  await check();
  expect(server.asked).toEqual([domain]);
  now += 3 * MINUTE;
  await Promise.all([check(), check()]);
  expect(server.asked).toEqual([domain, domain]);
  expect(taken).toEqual([`rdap ${server.url}`, `rdap ${server.url}`]);
});

test.each([
  ['served', true],
  ['records-only', false],
])(
  'a %s connection is warned 30, 7 and 1 days before the end, once each, and again before the next end',
  async (_, serve) => {
    const row = await connected('live', serve);
    expiresIn(row.domain, 40);
    await days(9);
    expect([await warnings(row), await findings(row)]).toEqual([[], []]);
    await days(2);
    expect([await warnings(row), await findings(row)]).toEqual([[30], ['domain_expiring']]);
    await days(28);
    expect(await warnings(row)).toEqual([30, 7, 1]);

    expiresIn(row.domain, 366);
    await days(1);
    expect([await warnings(row), await findings(row)]).toEqual([[30, 7, 1], []]);
    now += 334 * DAY;
    await days(2);
    expect(await warnings(row)).toEqual([30, 7, 1, 30]);
  },
);

test('connections of one domain are each warned, and one that came later is warned of what is left', async () => {
  const first = await connected();
  expiresIn(first.domain, 20);
  await check();
  const second = await newConnection(pool, tenant, `blog.${first.domain}`);
  await pool.query(sql.type(none)`UPDATE connections SET state = 'live' WHERE id = ${second.id}`);
  await days(1);
  expect([await warnings(first), await warnings(second)]).toEqual([[30], [30]]);
  expect(server.asked).toEqual([first.domain, first.domain]);
  await days(14);
  expect([await warnings(first), await warnings(second)]).toEqual([
    [30, 7],
    [30, 7],
  ]);
});

test('only serving connections are checked', async () => {
  for (const state of ['pending_ownership', 'propagating', 'failed', 'archived'] as const) await connected(state);
  const { domain } = await connected('drifted');
  await check();
  expect(server.asked).toEqual([domain]);
});

test('a domain below a private suffix is asked for as its registry delegates it, and one without a server not at all', async () => {
  await connected('archived');
  for (const hostname of ['shop.me.blogspot.com', 'a.b.shop-x.co.uk', '*.shop-y.com', 'shop.example.test']) {
    const { id } = await newConnection(pool, tenant, hostname);
    await pool.query(sql.type(none)`UPDATE connections SET state = 'live' WHERE id = ${id}`);
  }
  await check();
  expect(server.asked.toSorted()).toEqual(['blogspot.com', 'shop-x.co.uk', 'shop-y.com']);
});

test('a domain that was registered anew since its proof is reported, and a transfer to another registrar is not', async () => {
  const [sold, moved] = [await connected(), await connected()];
  await check();
  now += 100 * DAY;
  server.registered.set(sold.domain, { registeredAt: new Date(now), expiresAt: new Date(now + 365 * DAY) });
  server.registered.set(moved.domain, { ...server.registered.get(moved.domain)!, transferredAt: new Date(now) });
  await days(1);
  expect([await findings(sold), await findings(moved)]).toEqual([['registered_anew'], []]);
  expect((await getConnection(pool, sold.id))?.state).toBe('live');
});

test('a proof from before this release is dated by the timeline', async () => {
  const row = await connected();
  await pool.query(sql.type(none)`UPDATE connections SET proved_at = NULL WHERE id = ${row.id}`);
  server.registered.set(row.domain, { registeredAt: new Date(now + DAY), expiresAt: null });
  await days(2);
  expect(await findings(row)).toEqual(['registered_anew']);
});

test('a domain is gone after seven days without a registration and with NXDOMAIN, and not before', async () => {
  const [gone, delegated, unheard] = [await connected(), await connected(), await connected()];
  await check();
  server.registered.clear();
  denied = new Set([gone.domain]);
  await days(6);
  expect(await findings(gone)).toEqual([]);
  await days(1);
  expect([await findings(gone), await findings(delegated)]).toEqual([['domain_gone'], []]);

  isSilent = true;
  await days(10);
  expect(await findings(unheard)).toEqual([]);
  expect((await getConnection(pool, gone.id))?.state).toBe('live');
});

test('a registry that does not answer never causes a warning, and is asked again after a pause', async () => {
  const row = await connected();
  expiresIn(row.domain, 33);
  await check();
  server.answer = (_domain, response) => Boolean(response.writeHead(503).end());
  await days(20);
  expect([await warnings(row), await findings(row)]).toEqual([[], []]);
  server.answer = null;
  await days(1);
  expect([await warnings(row), await findings(row)]).toEqual([[30], ['domain_expiring']]);
});

test('a failing answer about one domain does not keep the others from being asked', async () => {
  const rows = [await connected(), await connected(), await connected()];
  const [bad] = rows.map(({ domain }) => domain).toSorted();
  server.answer = (domain, response) => domain === bad && Boolean(response.writeHead(500).end());
  for (let round = 0; round < 3; round++) {
    await check();
    now += 11 * MINUTE;
  }
  expect(new Set(server.asked)).toEqual(new Set(rows.map(({ domain }) => domain)));
  expect(server.asked).toHaveLength(3);
});

test('a server that wants fewer requests is left alone as long as it asks', async () => {
  const rows = [await connected(), await connected()];
  server.limitedFor = 3_600;
  await check();
  expect(server.asked).toHaveLength(1);
  server.limitedFor = null;
  now += 59 * MINUTE;
  await check();
  expect(server.asked).toHaveLength(1);
  now += 2 * MINUTE;
  await check();
  expect(server.asked.slice(1).toSorted()).toEqual(rows.map(({ domain }) => domain).toSorted());
});

test('a worker that stops leaves the rest to the next one', async () => {
  const { domain } = await connected();
  const stopping = new AbortController();
  stopping.abort();
  await check(stopping.signal);
  expect(server.asked).toEqual([]);
  now += 11 * MINUTE;
  await check();
  expect(server.asked).toEqual([domain]);
});

test('a-domain-changes-hands.md: its query shows a domain as the service knows it', async () => {
  const { domain } = await connected();
  await check();
  const { code } = codeBlock('docs/runbooks/a-domain-changes-hands.md', 'SELECT domain');
  const client = new pg.Client(database.url);
  await client.connect();
  const { rows } = await client.query(code.replace('customer.com', domain));
  await client.end();
  expect(rows).toMatchObject([{ domain, state: 'found', server: server.url }]);
});

test('nothing about persons is kept', async () => {
  const columns = await pool.anyFirst(sql.type(z.object({ column_name: z.string() }))`
    SELECT column_name FROM information_schema.columns WHERE table_name = 'registrations' ORDER BY ordinal_position
  `);
  expect(columns).toEqual([
    'domain',
    'server',
    'state',
    'registered_at',
    'expires_at',
    'missing_since',
    'missing_days',
    'checked_at',
    'answered_at',
    'next_check_at',
  ]);
});
