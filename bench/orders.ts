import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { runningServers } from '../src/embedded/orphans.ts';
import { inParallel } from './support/in-parallel.ts';
import { startOrderingService } from './support/ordering-service.ts';
import { costByProgram, table } from './support/process-cost.ts';

/**
 * Measures how many certificates a minute the worker orders, at Pebble with DNS challenges in PowerDNS, and the processor
 * time of an order by program. The connections hold (`before_dns`, `point: hold`), so nothing but the orders happens.
 *   npm run bench:orders -- [hostnames]
 */
/** The service allows a tenant 60 new orders in three hours. */
const SIZE = Math.min(60, Number(process.argv[2] ?? 60));
const PER_ZONE = 10;
const GOAL = 60;
const GIVE_UP_MS = 180_000;

const { internet, service, pebble, applicationId, giveCredential, stop } =
  await startOrderingService('http://127.0.0.1:9');
const database = new pg.Client({ connectionString: (await runningServers(service.dataDir))!.database_url });
await database.connect();
try {
  await giveCredential();
  // The demo's receiver gets every event. bench/webhooks.ts measures the cost of events.
  await database.query('DELETE FROM webhook_endpoints');
  await order(5); // registers the account, fills caches and compiles code
  await database.query(`UPDATE certificate_orders SET ordered_at = ordered_at - interval '1 day'`);
  const before = costByProgram(service.pid);
  const placedBefore = pebble.orders.length;
  const began = performance.now();
  await order(SIZE);
  const minutes = (performance.now() - began) / 60_000;
  const after = costByProgram(service.pid);
  const each = [...after].map(([name, ms]) => ({ name, ms: (ms - (before.get(name) ?? 0)) / SIZE }));
  const total = each.reduce((sum, { ms }) => sum + ms, 0);
  const rate = SIZE / minutes;
  table(
    `${SIZE} orders in ${Math.ceil(SIZE / PER_ZONE)} zones, ${pebble.orders.length - placedBefore} placed at the CA`,
    [
      ['', 'reached', 'goal', 'ratio'],
      ['orders a minute', rate.toFixed(0), String(GOAL), (rate / GOAL).toFixed(2)],
      ...each.filter(({ ms }) => ms >= 0.5).map(({ name, ms }) => [`  ${name}`, `${ms.toFixed(0)} ms`, '', '']),
      ['processor time of an order', `${total.toFixed(0)} ms`, '', ''],
    ],
  );
  process.exitCode = rate >= GOAL ? 0 : 1;
} finally {
  await database.end();
  await stop();
}

/** Connects hostnames in new zones, and waits until each has its certificate. */
async function order(count: number): Promise<void> {
  const zones: string[] = [];
  for (let n = 0; n < count / PER_ZONE; n++) zones.push(await internet.domain());
  const hostnames = Array.from({ length: count }, (_, i) => `shop-${i}.${zones[i % zones.length]}`);
  await inParallel(hostnames, 10, null, async (hostname) => {
    const body = { application_id: applicationId, hostname, before_dns: true, point: 'hold' };
    const { status, body: answer } = await service.call('POST', '/connections', body);
    if (status !== 201) throw new Error(`${hostname} was refused: ${JSON.stringify(answer)}`);
  });
  const end = performance.now() + GIVE_UP_MS;
  for (let issued = 0; issued < count;) {
    if (performance.now() > end) throw new Error(`Only ${issued} of ${count} orders ended in time.`);
    await pause(100);
    const { rows } = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM certificates c JOIN connections ON connections.id = c.connection_id
       WHERE hostname = ANY($1) AND c.source = 'ordered'`,
      [hostnames],
    );
    issued = rows[0]?.n ?? 0;
  }
}
