import {
  reserveOrder,
  settleOrder,
  withdrawOrder,
  type Order,
  type Reservation,
} from '../../src/db/certificate-orders.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { EDGE_PACE, ISSUANCE_LIMITS, type IssuanceLimit } from '../../src/domain/issuance.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-01-01T00:00:00Z');

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 10, name: 'test' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Each test has an account of its own. */
const someAccount = (): string => `https://${crypto.randomUUID()}.authority.test/directory`;

const orderOf = (hostname: string, account: string): Order => ({
  hostname,
  account,
  registeredDomain: hostname.split('.').slice(-2).join('.'),
});

const reserve = (hostname: string, account: string, at: number): Promise<Reservation> =>
  reserveOrder(pool, orderOf(hostname, account), at);

/** An order that was made and came to its end. */
async function order(hostname: string, account: string, at: number, outcome: 'issued' | 'failed'): Promise<void> {
  const reserved = await reserve(hostname, account, at);
  if (reserved.outcome !== 'reserved') throw new Error(`No room for ${hostname}: ${JSON.stringify(reserved)}`);
  await settleOrder(pool, reserved.id, outcome);
}

/** The n-th of the orders that a limit counts together, and one that it leaves alone. */
const COUNTED: Record<IssuanceLimit['scope'], (n: number) => string> = {
  account: (n) => `shop.domain-${n}.com`,
  domain: (n) => `n${n}.busy-domain.com`,
  hostname: () => 'shop.busy-domain.com',
};
const ELSEWHERE: Record<IssuanceLimit['scope'], (account: string) => [hostname: string, account: string]> = {
  account: () => ['shop.domain-0.com', someAccount()],
  domain: (account) => ['n0.quiet-domain.com', account],
  hostname: (account) => ['other.busy-domain.com', account],
};

describe.each(ISSUANCE_LIMITS.map((limit) => [limit.title, limit] as const))('the limit of %s', (_title, limit) => {
  const { scope, most, withinMs, title } = limit;
  const name = COUNTED[scope];
  const outcome = limit.failedOnly ? 'failed' : 'issued';
  const apart = Math.floor(withinMs / (2 * most));
  const firstLeaves = START + withinMs;

  test('is kept to the last order, concerns nobody else, and says to the moment when there is room for one more', async () => {
    const account = someAccount();
    for (let n = 0; n < most; n++) await order(name(n), account, START + n * apart, outcome);
    const limited = (until: number) => ({ outcome: 'limited', title, until });

    expect(await reserve(name(most), account, START + most * apart)).toEqual(limited(firstLeaves));
    expect((await reserve(...ELSEWHERE[scope](account), START + most * apart)).outcome).toBe('reserved');
    expect(await reserve(name(most), account, firstLeaves - 1)).toEqual(limited(firstLeaves));

    await order(name(most), account, firstLeaves, outcome);
    const again = await reserve(name(most + 1), account, firstLeaves + apart - 1);
    expect(again).toEqual(limited(firstLeaves + apart));
  });
});

test('an order that failed counts for the account and not as a certificate; one that was never made counts for nothing', async () => {
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

test('a name that two limits keep waiting is told the later end', async () => {
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

test('ten orders begin in ten seconds, and the eleventh waits for its turn', async () => {
  const account = someAccount();
  for (let n = 0; n < EDGE_PACE.most; n++)
    expect((await reserve(`shop.domain-${n}.com`, account, START)).outcome).toBe('reserved');
  const turn = START + EDGE_PACE.withinMs;
  expect(await reserve('shop.late.com', account, START)).toEqual({ outcome: 'queued', until: turn });
  expect((await reserve('shop.late.com', account, turn)).outcome).toBe('reserved');
});

test('two that reserve at once never both take the last place', async () => {
  const account = someAccount();
  const all = await Promise.all(Array.from({ length: 20 }, (_, n) => reserve(`shop.racing-${n}.com`, account, START)));
  expect(all.filter(({ outcome }) => outcome === 'reserved')).toHaveLength(EDGE_PACE.most);
});
