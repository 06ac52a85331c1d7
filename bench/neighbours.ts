import pg from 'pg';
import { createPool } from '../src/db/pool.ts';
import { createTenant } from '../src/db/tenant/tenants.ts';
import { runningServers } from '../src/embedded/orphans.ts';
import { ApiUser } from '../test/support/fixtures/api-user.ts';
import {
  giveCredential,
  hangingReceivers,
  newFlooder,
  oneBatch,
  silentNames,
  singles,
  slowProvider,
  type Flood,
} from './support/floods.ts';
import { startNeighbour, type Measured, type Neighbour } from './support/neighbour.ts';
import { startOrderingService } from './support/ordering-service.ts';
import { table } from './support/process-cost.ts';

/**
 * Measures what a small tenant feels of another tenant's flood: create to live, reads, and the first attempts of webhooks.
 * Hostnames are real: PowerDNS, a recursor, Pebble and Caddy. The last flood comes from the test application of the tenant
 * whose live application is measured. Each flood has ended, with its hostnames, before the next one begins.
 *   npm run bench:neighbours -- [hostnames] [hostnames of a batch] [numbers of the floods, such as 1,6]
 */
const NAMES = Number(process.argv[2] ?? 500);
const BATCH = Number(process.argv[3] ?? 1_000);
const ONLY = process.argv[4]?.split(',').map(Number);
/** Hostnames that the small tenant connects before and during each flood. */
const SINGLES = 10;
const LIMIT = 2;

const ordering = await startOrderingService('http://127.0.0.1:9', {
  settings: {
    ACME_EMAIL: 'bench@saas-product.com',
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8',
    RATE_LIMIT_TENANT: '0', // reads must not be refused because an application of the same tenant creates fast
  },
});
const { database_url } = (await runningServers(ordering.service.dataDir))!;
const pool = await createPool(database_url, { max: 2, name: 'bench' });
const database = new pg.Client({ connectionString: database_url });
await database.connect();
const { base_url: baseUrl } = await ordering.service.demo();
const world = { ordering, pool, database, baseUrl };
const rows = [['flood', '', 'usual', 'during', 'limit', 'ratio']];
const neighbours: Neighbour[] = [];
let worst = 0;
let endFlood = () => Promise.resolve();
try {
  // The demo's receiver gets every event, and prints it.
  await database.query('DELETE FROM webhook_endpoints');
  const [other, flooding] = [await createTenant(pool, 'Other'), await createTenant(pool, 'Test and live')];
  const neighbour = await neighbourOf(other.test, true);
  const sameTenant = { user: new ApiUser(baseUrl, flooding.test), applicationId: flooding.test.application_id };
  const scenarios: [Neighbour | (() => Promise<Neighbour>), () => Promise<Flood>][] = [
    [neighbour, async () => singles(world, await newFlooder(world), NAMES)],
    [neighbour, async () => silentNames(world, await newFlooder(world), BATCH)],
    [neighbour, async () => slowProvider(world, await newFlooder(world), NAMES)],
    [neighbour, async () => hangingReceivers(world, await newFlooder(world), NAMES)],
    [neighbour, async () => oneBatch(world, await newFlooder(world), BATCH)],
    [() => neighbourOf(flooding.live, false), () => singles(world, sameTenant, NAMES)],
  ];
  await neighbour.measure(2); // registers the account, fills caches and compiles code
  for (const [who, prepare] of scenarios.filter((_, index) => ONLY?.includes(index + 1) ?? true)) {
    await endFlood();
    await compare(typeof who === 'function' ? await who() : who, await prepare());
  }
  await endFlood();
  table('What a small tenant feels of a flood', rows);
  process.exitCode = worst <= LIMIT ? 0 : 1;
} finally {
  for (const neighbour of neighbours) await neighbour.stop();
  await database.end();
  await pool.end();
  await ordering.stop();
}

async function neighbourOf(
  { application_id, key }: { application_id: string; key: string },
  hasReceiver: boolean,
): Promise<Neighbour> {
  const domain = await ordering.internet.domain();
  await giveCredential(
    { user: new ApiUser(baseUrl, { application_id, key }), applicationId: application_id },
    ordering,
  );
  const neighbour = await startNeighbour({ baseUrl, key, application_id, domain, hasReceiver });
  neighbours.push(neighbour);
  return neighbour;
}

/** Measures the neighbour before and during the flood. */
async function compare(neighbour: Neighbour, flood: Flood): Promise<void> {
  // No hostname of an earlier flood may count towards the CA's limits.
  await database.query(`UPDATE certificate_orders SET ordered_at = ordered_at - interval '8 days'`);
  const usual = await neighbour.measure(SINGLES);
  process.stderr.write(`${flood.title} …\n`);
  const began = performance.now();
  const seconds = () => `${((performance.now() - began) / 1_000).toFixed(0)} s`;
  const accepted = flood.begin().then(() => process.stderr.write(`  accepted after ${seconds()}\n`));
  const during = await neighbour.measure(SINGLES);
  await accepted;
  process.stderr.write(`  measured after ${seconds()}\n`);
  endFlood = flood.end;
  report(flood.title, usual, during);
}

function report(title: string, usual: Measured, during: Measured): void {
  const line = (what: string, of: (measured: Measured) => number, isLimited: boolean) => {
    const [before, now] = [of(usual), of(during)];
    if (Number.isNaN(before)) return;
    if (isLimited) worst = Math.max(worst, now / before);
    rows.push([title, what, ms(before), ms(now), isLimited ? ms(LIMIT * before) : '', (now / before).toFixed(2)]);
    process.stderr.write(`  ${rows.at(-1)!.join('  ')}\n`);
  };
  line('create to live, median', ({ lives }) => percentile(lives, 0.5), true);
  line('create to live, slowest', ({ lives }) => Math.max(...lives), false);
  line('GET, median', ({ reads }) => percentile(reads, 0.5), false);
  line('GET, p99', ({ reads }) => percentile(reads, 0.99), true);
  line('webhook, median', ({ webhooks }) => percentile(webhooks, 0.5), true);
  line('webhook, p95', ({ webhooks }) => percentile(webhooks, 0.95), false);
}

function ms(time: number): string {
  return `${time.toFixed(0)} ms`;
}

/** Returns NaN without a value. */
function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? NaN;
}
