import { z } from 'zod';
import {
  beginOrder,
  hasRoom,
  recordRenewal,
  reserveOrder,
  settleOrder,
  withdrawOrder,
  type Order,
  type Reservation,
} from '../../src/db/certificate/certificate-orders.ts';
import { createPool, sql, type Pool } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { EDGE_PACE, ISSUANCE_LIMITS, type IssuanceLimit } from '../../src/domain/certificate/issuance.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-01-01T00:00:00Z');

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 10, name: 'test' });
  const [tenant, other] = [await createTenant(pool, 'Busy'), await createTenant(pool, 'Quiet')];
  for (let n = 0; n <= 61; n++) await claim(tenant, `shop.tenant-${n}.com`);
  await claim(other, 'shop.of-another-tenant.com');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function claim(tenant: NewTenant, hostname: string): Promise<void> {
  const { id } = await newConnection(pool, tenant, hostname);
  await pool.query(sql.type(z.object({}))`UPDATE connections SET state = 'issuing_cert' WHERE id = ${id}`);
}

/** A new account for each test. */
const someAccount = (): string => `https://${crypto.randomUUID()}.ca.test/directory`;

const orderOf = (hostname: string, account: string): Order => ({
  hostname,
  account,
  registeredDomain: hostname.split('.').slice(-2).join('.'),
});

const reserve = (hostname: string, account: string, at: number): Promise<Reservation> =>
  reserveOrder(pool, orderOf(hostname, account), at);

/** Places an order and records its outcome. */
async function order(hostname: string, account: string, at: number, outcome: 'issued' | 'failed'): Promise<void> {
  const reserved = await reserve(hostname, account, at);
  if (reserved.outcome !== 'reserved') throw new Error(`No room for ${hostname}: ${JSON.stringify(reserved)}`);
  await settleOrder(pool, reserved.id, outcome);
}

/** COUNTED gives the n-th of the hostnames that a limit counts together, ELSEWHERE an order outside the limit. */
const COUNTED: Record<IssuanceLimit['scope'], (n: number) => string> = {
  account: (n) => `shop.domain-${n}.com`,
  tenant: (n) => `shop.tenant-${n}.com`,
  domain: (n) => `n${n}.busy-domain.com`,
  hostname: () => 'shop.busy-domain.com',
};
const ELSEWHERE: Record<IssuanceLimit['scope'], (account: string) => [hostname: string, account: string]> = {
  account: () => ['shop.domain-0.com', someAccount()],
  tenant: (account) => ['shop.of-another-tenant.com', account],
  domain: (account) => ['n0.quiet-domain.com', account],
  hostname: (account) => ['other.busy-domain.com', account],
};

describe.each(ISSUANCE_LIMITS.map((limit) => [limit.title, limit] as const))('the limit of %s', (_title, limit) => {
  const { scope, most, withinMs, title } = limit;
  const name = COUNTED[scope];
  const outcome = limit.failedOnly ? 'failed' : 'issued';
  const apart = Math.floor(withinMs / (2 * most));
  const firstLeaves = START + withinMs;

  test('allows exactly its number of orders, affects no other scope, and returns the exact time of the next free slot', async () => {
    const account = someAccount();
    for (let n = 0; n < most; n++) await order(name(n), account, START + n * apart, outcome);
    const anotherHelps = limit.failedOnly !== true;
    const limited = (until: number) => ({ outcome: 'limited', title, until, anotherHelps });

    expect(await reserve(name(most), account, START + most * apart)).toEqual(limited(firstLeaves));
    expect((await reserve(...ELSEWHERE[scope](account), START + most * apart)).outcome).toBe('reserved');
    expect(await reserve(name(most), account, firstLeaves - 1)).toEqual(limited(firstLeaves));

    await order(name(most), account, firstLeaves, outcome);
    const again = await reserve(name(most + 1), account, firstLeaves + apart - 1);
    expect(again).toEqual(limited(firstLeaves + apart));
  });

  test('blocks no replacement, and a renewal only if it applies to renewals', async () => {
    const account = someAccount();
    const known = scope === 'hostname' ? name(0) : name(most + 1);
    await order(known, account, START - withinMs, 'issued');
    for (let n = 0; n < most; n++) await order(name(n), account, START + n * apart, outcome);
    const at = START + most * apart;

    expect((await reserve(name(most), account, at)).outcome).toBe('limited');
    const renewed = await reserve(known, account, at);
    expect(renewed.outcome).toBe(limit.exempt === 'renewals' ? 'reserved' : 'limited');
    if (renewed.outcome === 'reserved') await withdrawOrder(pool, renewed.id);
    const replaced = await reserveOrder(pool, { ...orderOf(known, account), replaces: true }, at);
    expect(replaced.outcome).toBe('reserved');
  });
});

test.each([
  [
    'an edge’s own',
    (hostname: string, account: string, at: number) => recordRenewal(pool, orderOf(hostname, account), at),
  ],
  [
    'ordered',
    async (hostname: string, account: string, at: number) => {
      const reserved = await reserveOrder(pool, { ...orderOf(hostname, account), replaces: true }, at);
      if (reserved.outcome === 'reserved') await settleOrder(pool, reserved.id, 'issued');
    },
  ],
])('renewals (%s) use up no limit of account, tenant and domain', async (_which, renew) => {
  const account = someAccount();
  const renewable = (n: number) => `shop.tenant-${n % 20}.com`;
  for (let n = 0; n < 20; n++) await order(renewable(n), account, START - 30 * DAY + n * 10_000, 'issued');
  for (let n = 0; n < 320; n++) await renew(renewable(n), account, START + n * 10_000);

  const at = START + 320 * 10_000;
  expect((await reserve('shop.tenant-60.com', account, at)).outcome).toBe('reserved');
  expect((await reserve('new.tenant-1.com', account, at)).outcome).toBe('reserved');
});

test('renewals that an edge places by itself do not slow down new orders', async () => {
  const account = someAccount();
  await order('shop.tenant-1.com', account, START - DAY, 'issued');
  for (let n = 0; n < 4 * EDGE_PACE.most; n++) await recordRenewal(pool, orderOf('shop.tenant-1.com', account), START);
  expect((await reserve('shop.tenant-2.com', account, START)).outcome).toBe('reserved');
});

test('a failed order counts for the account but not as a certificate; a withdrawn order does not count', async () => {
  const account = someAccount();
  for (let n = 0; n < 20; n++) await order('shop.unlucky.com', account, START + n * 3_600_000, 'failed');
  expect((await reserve('shop.unlucky.com', account, START + DAY)).outcome).toBe('reserved');

  const busy = someAccount();
  for (let n = 0; n < EDGE_PACE.most; n++) await order(`shop.domain-${n}.com`, busy, START, 'failed');
  expect((await reserve('shop.late.com', busy, START)).outcome).toBe('queued');

  const idle = someAccount();
  for (let n = 0; n < 20; n++) {
    const reserved = await reserve('shop.denied.com', idle, START);
    if (reserved.outcome === 'reserved') await withdrawOrder(pool, reserved.id);
    expect(reserved.outcome).toBe('reserved');
  }
});

test('a hostname that two limits block gets the later of the two times', async () => {
  const account = someAccount();
  const dayLater = START + DAY;
  for (let n = 0; n < 45; n++) await order(`n${n}.busy-domain.com`, account, START + n * 60_000, 'issued');
  for (let n = 0; n < 5; n++) await order('shop.busy-domain.com', account, dayLater + n * 60_000, 'issued');

  const until = dayLater + 7 * DAY;
  expect(await reserve('shop.busy-domain.com', account, dayLater + 600_000)).toMatchObject({
    outcome: 'limited',
    until,
  });
  expect((await reserve('shop.busy-domain.com', account, until)).outcome).toBe('reserved');
});

test('ten orders begin within ten seconds, and the eleventh is queued', async () => {
  const account = someAccount();
  for (let n = 0; n < EDGE_PACE.most; n++)
    expect((await reserve(`shop.domain-${n}.com`, account, START)).outcome).toBe('reserved');
  const turn = START + EDGE_PACE.withinMs;
  expect(await reserve('shop.late.com', account, START)).toEqual({ outcome: 'queued', until: turn });
  expect((await reserve('shop.late.com', account, turn)).outcome).toBe('reserved');
});

test('concurrent reservations never exceed the limit', async () => {
  const account = someAccount();
  const all = await Promise.all(Array.from({ length: 20 }, (_, n) => reserve(`shop.racing-${n}.com`, account, START)));
  expect(all.filter(({ outcome }) => outcome === 'reserved')).toHaveLength(EDGE_PACE.most);
});

describe('an order that a visitor’s handshake begins', () => {
  const begin = (hostname: string, account: string, at: number) => beginOrder(pool, orderOf(hostname, account), at);
  const ordersOf = (hostname: string, account: string) =>
    pool.any(sql.type(z.object({ outcome: z.string(), begun_by: z.string() }))`
      SELECT outcome, begun_by FROM certificate_orders WHERE hostname = ${hostname} AND account = ${account}
    `);

  test('is recorded once for any number of concurrent visitors, and the worker continues the same order', async () => {
    const [account, name] = [someAccount(), 'shop.visited.com'];
    const allowed = await Promise.all(Array.from({ length: 10 }, () => begin(name, account, START)));
    const reserved = await reserve(name, account, START);

    expect(new Set(allowed)).toEqual(new Set(['begun']));
    expect(await ordersOf(name, account)).toEqual([{ outcome: 'pending', begun_by: 'ask' }]);
    if (reserved.outcome === 'reserved') await settleOrder(pool, reserved.id, 'issued');
    expect(await ordersOf(name, account)).toEqual([{ outcome: 'issued', begun_by: 'ask' }]);
  });

  test('does not count in addition to the worker’s own order', async () => {
    const [account, name] = [someAccount(), 'shop.worked.com'];
    await reserve(name, account, START);

    expect(await begin(name, account, START)).toBe('begun');
    expect(await ordersOf(name, account)).toEqual([{ outcome: 'pending', begun_by: 'worker' }]);
  });

  test('is refused where a limit is used up, and after a failure until the worker would retry', async () => {
    const account = someAccount();
    for (let n = 0; n < 60; n++) await order(`shop.tenant-${n}.com`, account, START + n * 60_000, 'issued');
    expect(await begin('shop.tenant-60.com', account, START + DAY / 24)).toBe('limited');
    expect(await begin('shop.of-another-tenant.com', account, START + DAY / 24)).toBe('begun');

    const another = someAccount();
    await order('shop.failing.com', another, START, 'failed');
    expect(await begin('shop.failing.com', another, START + 5 * 60_000 - 1)).toBe('not_now');
    expect(await begin('shop.failing.com', another, START + 5 * 60_000)).toBe('begun');
  });

  test('counts as failed if its outcome is never reported', async () => {
    const [account, name] = [someAccount(), 'shop.silent.com'];
    await begin(name, account, START);
    await pool.query(sql.type(z.object({}))`
      UPDATE certificate_orders SET begun_at = begun_at - interval '1 hour' WHERE account = ${account}
    `);

    expect(await begin(name, account, START + 180_000)).toBe('not_now');
    expect(await begin(name, account, START + 300_000)).toBe('begun');
  });
});

test('an imported certificate waits while fewer than ten orders of its tenant are left', async () => {
  const account = someAccount();
  const room = (n: number) => hasRoom(pool, orderOf(`shop.tenant-${n}.com`, account), START + 1_000 * 60 * n);
  for (let n = 0; n < 49; n++) await order(`shop.tenant-${n}.com`, account, START + 1_000 * 60 * n, 'issued');
  expect(await room(49)).toBe(true);
  await order('shop.tenant-49.com', account, START + 1_000 * 60 * 49, 'issued');
  expect(await room(50)).toBe(false);
  expect(await hasRoom(pool, orderOf('shop.of-another-tenant.com', account), START + 1_000 * 60 * 50)).toBe(true);
});
