import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { pino } from 'pino';
import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import { createPool, none, sql, type Pool } from '../src/db/pool.ts';
import { ensureDatabase, migrate } from '../src/db/migrate.ts';
import { createTenant } from '../src/db/tenant/tenants.ts';
import { cacheDir } from '../src/embedded/folders.ts';
import { startPostgres } from '../src/embedded/postgres.ts';
import { openTemporal, startConnection } from '../src/temporal/client.ts';
import { registerSearchAttributes } from '../src/temporal/search-attributes.ts';
import { newConnection } from '../test/support/fixtures/new-connection.ts';
import { TemporalOnPostgres } from '../test/support/servers/temporal-on-postgres.ts';
import { touchSignal, connectionWorkflowId } from '../workflows/messages.ts';
import { inParallel } from './support/in-parallel.ts';
import { cpuMs, table } from './support/process-cost.ts';
import { startWorkerProcess, type WorkerProcess } from './support/worker-process.ts';

/**
 * Measures the cost of monitoring N live connections with one worker, whose workflows let Temporal retry one activity.
 * A plain loop follows for comparison: a workflow that repeats a timer and an activity. Temporal is the server on
 * Postgres, as in production. Progress goes to stderr.
 *   node bench/monitoring.ts [N …]       1000 and 10000 by default
 */
const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000, 10_000];
/** Duration of a measurement. Each measured connection is checked every three seconds meanwhile. */
const MEASURED_SECONDS = 45;
/** Number of measured connections. The machine cannot keep up with so many, so the measured rate is its maximum. */
const SAMPLE = 600;
/**
 * Time for which Temporal caches the search attributes of a namespace and may refuse a start with new ones. The
 * service's outbox would retry the start; this benchmark waits.
 */
const CACHED_FOR_MS = 12_000;
const MEMORY_LIMIT_MB = 1_024;
/** Live connections are checked once an hour. */
const CHECKS_A_DAY = 24;
const SECONDS_BETWEEN_CHECKS = 3_600;

const folder = await mkdtemp(join(tmpdir(), 'bench-'));
const onProgress = () => undefined;
const postgres = await startPostgres({
  dataDir: join(folder, 'postgres'),
  cacheDir: cacheDir(),
  password: 'bench',
  durable: false,
  onProgress,
});
const server = await TemporalOnPostgres.start(postgres.url, folder);
const databaseUrl = await ensureDatabase(postgres.url, 'bench');
await migrate(databaseUrl);
const pool = await createPool(databaseUrl, { max: 10, name: 'bench' });
const temporal = openTemporal({ TEMPORAL_ADDRESS: server.address }, 'connections');
await registerSearchAttributes(temporal, pino({ level: 'error' }));
await pause(CACHED_FOR_MS);
const tenant = await createTenant(pool, 'Bench');

/** Rows of the printed table. "Of the need": the measured rate, divided by the rate that hourly checks require. */
const rows: string[][] = [
  [
    'connections',
    'worker RSS',
    'of the limit',
    'started/s',
    'checks/s',
    'of the need',
    'worker CPU/check',
    'Temporal CPU/check',
    'events/check',
    'history/check',
    'history/day each',
  ],
];
try {
  const broughtLive = await bringLive(300);
  for (const size of SIZES) rows.push(await watchMany(size));
  rows.push(await plainLoop(200));
  process.stdout.write(`\nCreated and brought live: ${broughtLive.toFixed(0)} connections a second.\n`);
  table(`Monitoring live connections, one worker (limit ${MEMORY_LIMIT_MB} MB)`, rows);
} finally {
  await temporal.connection.close();
  await pool.end();
  await server.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Returns how many sandbox connections become `live` per second, with 20 creations in parallel. */
async function bringLive(size: number): Promise<number> {
  const worker = await startWorkerProcess('ours', databaseUrl, server.address);
  const ids: string[] = [];
  const began = performance.now();
  await inParallel([...Array(size).keys()], 20, 'Creating', async () => {
    const row = await newConnection(pool, tenant, `${uuidv7()}.auto.test`, { target: 'edge.localhost' });
    await startConnection(temporal, row);
    ids.push(connectionWorkflowId(row));
  });
  const live = () =>
    pool.oneFirst(sql.type(z.object({ n: z.number() }))`SELECT count(*) AS n FROM connections WHERE state = 'live'`);
  while ((await live()) < size) await pause(200);
  const perSecond = size / ((performance.now() - began) / 1_000);
  await worker.stop();
  await endAll(ids);
  return perSecond;
}

/**
 * Starts the workflows of all connections, then touches a sample and measures it. After a touch, a connection is
 * checked every 3 s. A touch also ends the current round, which is one activity with its retries and otherwise lasts a
 * day.
 */
async function watchMany(size: number): Promise<string[]> {
  const connections = await liveConnections(pool, size);
  const worker = await startWorkerProcess('ours', databaseUrl, server.address);
  const began = performance.now();
  await inParallel(connections, 40, `Starting ${size}`, (connection) => startConnection(temporal, connection));
  const startedPerSecond = size / ((performance.now() - began) / 1_000);
  await firstChecksDone(worker, size);
  const sample = connections.slice(0, SAMPLE).map(connectionWorkflowId);
  const untouched = await historyOf(sample);
  await inParallel(sample, 40, 'Touching', (id) => temporal.client.workflow.getHandle(id).signal(touchSignal));
  const touched = await quietHistory(sample);
  const cost = await measure(worker, MEASURED_SECONDS, sample);
  const { rss } = await worker.ask();
  await worker.stop();
  await endAll(connections.map(connectionWorkflowId));
  return row({
    what: String(size),
    size,
    rss,
    startedPerSecond,
    cost,
    roundBytes: (touched.bytes - untouched.bytes) / sample.length,
  });
}

/** Measures workflows that repeat a timer of 3 s and an activity, for comparison. */
async function plainLoop(size: number): Promise<string[]> {
  const worker = await startWorkerProcess('loop', databaseUrl, server.address);
  const client = new Client({ connection: await Connection.connect({ address: server.address }) });
  const ids = Array.from({ length: size }, (_, index) => `loop-${index}`);
  await inParallel(ids, 40, 'Starting the plain loop', (workflowId) =>
    client.workflow.start('loop', { workflowId, taskQueue: 'loop', args: [3_000] }),
  );
  await pause(6_000);
  const cost = await measure(worker, MEASURED_SECONDS, ids);
  const { rss } = await worker.ask();
  await worker.stop();
  await client.connection.close();
  return row({ what: `plain loop, ${size}`, size, rss, startedPerSecond: null, cost, roundBytes: 0 });
}

/** Cost of all checks during a measurement: processor time in ms, and growth of the workflow histories. */
interface Cost {
  checks: number;
  seconds: number;
  worker: number;
  temporal: number;
  events: number;
  bytes: number;
}

async function measure(worker: WorkerProcess, seconds: number, ids: readonly string[]): Promise<Cost> {
  const history = await historyOf(ids);
  const costs = async () => ({ ...(await worker.ask()), worker: cpuMs(worker.pid), temporal: cpuMs(server.pid) });
  const before = await costs();
  await pause(seconds * 1_000);
  const after = await costs();
  const grown = await historyOf(ids);
  return {
    checks: after.checks - before.checks,
    seconds,
    worker: after.worker - before.worker,
    temporal: after.temporal - before.temporal,
    events: grown.events - history.events,
    bytes: grown.bytes - history.bytes,
  };
}

interface Measured {
  what: string;
  size: number;
  rss: number;
  startedPerSecond: number | null;
  cost: Cost;
  /** Bytes that a connection adds to its history when one daily round ends and the next begins. */
  roundBytes: number;
}

function row({ what, size, rss, startedPerSecond, cost, roundBytes }: Measured): string[] {
  const megabytes = rss / 2 ** 20;
  const perSecond = cost.checks / cost.seconds;
  const bytesPerCheck = cost.bytes / cost.checks;
  return [
    what,
    `${megabytes.toFixed(0)} MB`,
    (megabytes / MEMORY_LIMIT_MB).toFixed(2),
    startedPerSecond === null ? '' : startedPerSecond.toFixed(0),
    perSecond.toFixed(0),
    `${(perSecond / (size / SECONDS_BETWEEN_CHECKS)).toFixed(0)} times`,
    `${(cost.worker / cost.checks).toFixed(1)} ms`,
    `${(cost.temporal / cost.checks).toFixed(1)} ms`,
    (cost.events / cost.checks).toFixed(2),
    `${bytesPerCheck.toFixed(0)} B`,
    `${((CHECKS_A_DAY * bytesPerCheck + roundBytes) / 1_000).toFixed(1)} kB`,
  ];
}

async function liveConnections(on: Pool, size: number) {
  const connections = Array.from({ length: size }, () => {
    const id = uuidv7();
    const state = { environment: 'test', state: 'live', provider: null, error_code: null } as const;
    const owner = { tenant_id: tenant.tenant_id, application_id: tenant.test.application_id, external_id: null };
    return { id, ...owner, hostname: `${id}.auto.test`, ...state, phase_started_at: null };
  });
  for (let from = 0; from < size; from += 1_000) {
    const page = connections.slice(from, from + 1_000);
    await on.query(sql.type(none)`
      INSERT INTO connections (id, tenant_id, application_id, environment, hostname, kind, state, challenge_token, desired_records, live_at, phase_started_at)
      SELECT id, ${tenant.tenant_id}, ${tenant.test.application_id}, 'test', hostname, 'subdomain', 'live', 'token',
             jsonb_build_array(jsonb_build_object('host', hostname, 'type', 'CNAME', 'value', 'edge.localhost', 'ttl', 300, 'priority', NULL)), now(), now()
      FROM ${sql.unnest(
        page.map(({ id, hostname }) => [id, hostname]),
        ['uuid', 'text'],
      )} AS made (id, hostname)
    `);
  }
  return connections;
}

/** Terminates the workflows, so that they do not disturb the next measurement. */
function endAll(ids: readonly string[]): Promise<void> {
  return inParallel(ids, 40, 'Ending', (id) => temporal.client.workflow.getHandle(id).terminate());
}

/** Waits until every connection was checked once. */
async function firstChecksDone(worker: WorkerProcess, size: number): Promise<void> {
  for (;;) {
    const { watched } = await worker.ask();
    if (watched >= size) return;
    process.stderr.write(`First checks: ${watched} of ${size}\n`);
    await pause(5_000);
  }
}

/** Returns the total number of events and bytes in the histories of these workflows. */
async function historyOf(ids: readonly string[]): Promise<{ events: number; bytes: number }> {
  const sum = { events: 0, bytes: 0 };
  await inParallel(ids, 20, null, async (id) => {
    const { historyLength, historySize } = await temporal.client.workflow.getHandle(id).describe();
    sum.events += historyLength;
    sum.bytes += historySize ?? 0;
  });
  return sum;
}

/**
 * Waits until the histories stop growing, then returns their totals. From then on every check is a retry, which adds no
 * event.
 */
async function quietHistory(ids: readonly string[]): Promise<{ events: number; bytes: number }> {
  for (let before = await historyOf(ids); ;) {
    await pause(6_000);
    const now = await historyOf(ids);
    if (now.events === before.events) return now;
    before = now;
  }
}
