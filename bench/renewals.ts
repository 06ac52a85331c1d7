import { recordRenewal, reserveOrder, settleOrder, type Order } from '../src/db/certificate/certificate-orders.ts';
import { ensureDatabase, migrate } from '../src/db/migrate.ts';
import { createPool, none, sql } from '../src/db/pool.ts';
import { HOUR } from '../src/domain/duration.ts';
import { inParallel } from './support/in-parallel.ts';
import { median } from './support/median.ts';
import { startBenchPostgres } from './support/postgres.ts';
import { table } from './support/process-cost.ts';

/**
 * Records the renewals of a million hostnames with 160-hour certificates, which are renewed every 80 hours, and places
 * the new orders that Let's Encrypt allows in the same time. Prints refusals and the cost of a new order, before and
 * after. Exits with 1 if an order is refused.
 *   npm run bench:renewals -- [renewals]
 */
const SIZE = Number(process.argv[2] ?? 1_000_000);
const PERIOD = 80 * HOUR;
const NEW_ORDERS_EVERY = 45_000;
const AT_ONCE = 8;
const START = Date.parse('2026-01-01T00:00:00Z');
const ACCOUNT = 'https://ca.example/directory';

const orderOf = (hostname: string): Order => ({
  hostname,
  registeredDomain: hostname.split('.').slice(-2).join('.'),
  account: ACCOUNT,
});

const postgres = await startBenchPostgres();
const databaseUrl = await ensureDatabase(postgres.url, 'bench');
await migrate(databaseUrl);
const pool = await createPool(databaseUrl, { max: AT_ONCE, name: 'bench' });
let refused = 0;
let placed = 0;
try {
  // The previous renewals of all hostnames.
  await pool.query(sql.type(none)`
    INSERT INTO certificate_orders (id, hostname, registered_domain, account, ordered_at, outcome, begun_by, kind)
    SELECT gen_random_uuid(), 'shop.site-' || n || '.com', 'site-' || n || '.com', ${ACCOUNT},
      ${sql.timestamp(new Date(START - PERIOD))} + n * ${PERIOD / SIZE} * interval '1 millisecond', 'issued', 'edge', 'renewal'
    FROM generate_series(0, ${SIZE - 1}::int) AS n
  `);
  const before = await costOfOrders(START - HOUR);
  await renewAndOrder();
  const after = await costOfOrders(START + PERIOD + 4 * HOUR);
  table(
    `${SIZE.toLocaleString('en')} renewals and ${placed.toLocaleString('en')} new orders in ${PERIOD / HOUR} hours`,
    [
      ['', 'before', 'after', 'ratio'],
      ['refused new orders', '', String(refused), ''],
      ['milliseconds for a new order', before.toFixed(2), after.toFixed(2), (after / before).toFixed(2)],
    ],
  );
  process.exitCode = refused === 0 ? 0 : 1;
} finally {
  await pool.end();
  await postgres.stop();
}

/** Spreads renewals and new orders over the period. A new order every 45 s is 240 in three hours of the allowed 300. */
async function renewAndOrder(): Promise<void> {
  let nextOrder = START;
  const lastFirst = Array.from({ length: SIZE }, (_, n) => SIZE - 1 - n); // inParallel takes from the end
  await inParallel(lastFirst, AT_ONCE, null, async (n) => {
    const at = START + (n * PERIOD) / SIZE;
    if (at >= nextOrder) {
      nextOrder += NEW_ORDERS_EVERY;
      await placeNew(at);
    }
    await recordRenewal(pool, orderOf(`shop.site-${n}.com`), at);
    if (n % 50_000 === 0) process.stderr.write(`${n.toLocaleString('en')} renewals, ${refused} refused\n`);
  });
}

async function placeNew(at: number): Promise<void> {
  const reserved = await reserveOrder(pool, orderOf(`shop.new-${placed++}.com`), at);
  if (reserved.outcome === 'reserved') await settleOrder(pool, reserved.id, 'issued');
  else refused += 1;
}

/** Returns the median time of a new order, in milliseconds. */
async function costOfOrders(from: number): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 50; n++) {
    const began = performance.now();
    await placeNew(from + n * NEW_ORDERS_EVERY);
    times.push(performance.now() - began);
  }
  return median(times);
}
