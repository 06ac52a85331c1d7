import { fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import { recordEvents } from '../src/db/webhook/events.ts';
import { ensureDatabase, migrate } from '../src/db/migrate.ts';
import { createPool, none, sql } from '../src/db/pool.ts';
import { createTenant } from '../src/db/tenant/tenants.ts';
import { insertEndpoint } from '../src/db/webhook/endpoints.ts';
import { cacheDir } from '../src/embedded/folders.ts';
import { startPostgres } from '../src/embedded/postgres.ts';
import { openVault } from '../src/vault/vault.ts';
import { sealSecrets } from '../src/webhooks/secrets.ts';
import { mintWebhookSecret, signatureHeaders } from '../src/webhooks/sign.ts';
import { newConnection } from '../test/support/fixtures/new-connection.ts';
import { TemporalOnPostgres } from '../test/support/servers/temporal-on-postgres.ts';
import { cpuMs, table } from './support/process-cost.ts';

/**
 * Measures the time from an event's commit to its first attempt, with 100 endpoints. Five of them are dead: three refuse,
 * two never answer. Then measures deliveries per second next to a bare loop of undici that signs and posts. Temporal is the
 * server on Postgres, and everything shares the machine's processors. Each event goes to one endpoint.
 *   node bench/webhooks.ts [seconds]
 */
const SECONDS = Number(process.argv[2] ?? 30);
const RATES = [50, 200];
const BURST = 2_000;
const [ENDPOINTS, REFUSING, SILENT] = [100, 3, 2];
const KEYS = `bench:${Buffer.alloc(32, 1).toString('base64')}`;

const folder = await mkdtemp(join(tmpdir(), 'bench-'));
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), cacheDir: cacheDir(), password: 'bench', durable: false, onProgress: () => undefined }); // prettier-ignore
const temporal = await TemporalOnPostgres.start(postgres.url, folder);
const databaseUrl = await ensureDatabase(postgres.url, 'bench');
await migrate(databaseUrl);
const pool = await createPool(databaseUrl, { max: 10, name: 'bench' });
const vault = openVault(KEYS);

const secrets = new Map<string, string>();
const received = { genuine: 0, forged: 0, ids: new Set<string>() };
const receiver = await listening(
  createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { 'x-svc-timestamp': timestamp, 'x-svc-signature': signature } = incoming.headers;
      const hmac = createHmac('sha256', secrets.get(incoming.url?.slice(1) ?? '') ?? '');
      const wanted = hmac
        .update(`${String(timestamp)}.`)
        .update(Buffer.concat(chunks))
        .digest('hex');
      received[signature === `sha256=${wanted}` ? 'genuine' : 'forged']++;
      received.ids.add(String(incoming.headers['x-svc-event-id']));
      response.writeHead(204).end();
    });
  }),
);
const silent = await listening(createServer(() => undefined));

const targets = await makeTargets(); // before a worker starts, which would begin to check the connections
const worker = fork(join(import.meta.dirname, 'support/webhook-server.ts'), [databaseUrl, temporal.address, KEYS, cacheDir()]); // prettier-ignore
await once(worker, 'message');
await pause(12_000); // the server caches what it knows of a namespace for this long

/** Condition that selects the deliveries of living endpoints. */
const isAlive = sql.fragment`endpoint_id IN (SELECT id FROM webhook_endpoints WHERE url LIKE ${`http://127.0.0.1:${portOf(receiver)}/%`})`;
let bareSent = 0;
const rows = [['events/s', 'sent', 'p50', 'p99', 'goal p99', 'ratio', 'worker CPU', 'Temporal CPU']];
try {
  for (const rate of RATES) {
    rows.push(await atRate(rate));
    process.stderr.write(`${rows.at(-1)?.join('  ')}\n`);
  }
  table(`From commit to first attempt, ${ENDPOINTS} endpoints, ${REFUSING + SILENT} of them dead`, rows);
  const bare = await bareLoop();
  const ours = await burst();
  table(`Deliveries a second, a burst of ${BURST} events`, [
    ['ours', 'bare undici, sign and post', 'ratio'],
    [ours.toFixed(0), bare.toFixed(0), (ours / bare).toFixed(2)],
  ]);
  const [healthy] = await counts();
  process.stdout.write(`\nEvents of living endpoints ${healthy}, received ${received.ids.size}, lost ${healthy - received.ids.size}, wrongly signed ${received.forged}, sent twice ${received.genuine - received.ids.size - bareSent}.\n`); // prettier-ignore
} finally {
  worker.disconnect();
  await once(worker, 'exit');
  await pool.end();
  await temporal.stop();
  await postgres.stop();
  for (const server of [receiver, silent]) server.closeAllConnections();
  for (const server of [receiver, silent]) server.close();
  await rm(folder, { recursive: true, force: true });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function listening(server: Server): Promise<Server> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** Creates a tenant, a connection and an endpoint per target. The first five endpoints are dead. */
async function makeTargets(): Promise<ConnectionRow[]> {
  const made: ConnectionRow[] = [];
  for (let i = 0; i < ENDPOINTS; i++) {
    const tenant = await createTenant(pool, `Bench ${i}`);
    const row = await newConnection(pool, tenant, `shop-${i}.bench-customer.com`);
    await pool.query(sql.type(none)`DELETE FROM outbox`);
    const owner = { id: uuidv7(), tenant_id: tenant.tenant_id, application_id: tenant.test.application_id };
    const secret = mintWebhookSecret();
    secrets.set(owner.id, secret);
    const at = i < REFUSING ? 1 : i < REFUSING + SILENT ? portOf(silent) : portOf(receiver);
    const sealed = sealSecrets(vault, owner, { current: secret, next: null });
    const url = `http://127.0.0.1:${at}/${owner.id}`;
    await pool.transaction((tx) => insertEndpoint(tx, { ...owner, ...sealed, environment: 'test', url, events: ['domain.drift'], active: true })); // prettier-ignore
    made.push(row);
  }
  return made;
}

function emit(row: ConnectionRow): Promise<void> {
  return pool.transaction((tx) => recordEvents(tx, [row], 'domain.drift', { now: new Date() }));
}

async function atRate(rate: number): Promise<string[]> {
  process.stderr.write(`${rate} events a second …\n`);
  const since = new Date();
  const before = { worker: cpuMs(worker.pid ?? 0), temporal: cpuMs(temporal.pid) };
  const emitted: Promise<void>[] = [];
  const began = performance.now();
  for (let n = 0; n < rate * SECONDS; n++) {
    const wait = began + (n * 1_000) / rate - performance.now();
    if (wait > 1) await pause(wait);
    emitted.push(emit(targets[n % ENDPOINTS]!));
  }
  await Promise.all(emitted);
  await settled();
  const spent = { worker: cpuMs(worker.pid ?? 0) - before.worker, temporal: cpuMs(temporal.pid) - before.temporal };
  const { p50, p99 } = await latencies(since);
  const n = rate * SECONDS;
  const of = (ms: number) => `${(ms / n).toFixed(1)} ms each`;
  return [String(rate), String(n), `${p50.toFixed(0)} ms`, `${p99.toFixed(0)} ms`, '500 ms', (p99 / 500).toFixed(2), of(spent.worker), of(spent.temporal)]; // prettier-ignore
}

/** Waits until every event of a living endpoint is delivered. */
async function settled(): Promise<void> {
  const end = Date.now() + 120_000;
  while (Date.now() < end) {
    const [all, delivered] = await counts();
    if (all === delivered) return;
    await pause(200);
  }
}

async function counts(): Promise<[number, number]> {
  const { all, delivered } = await pool.one(sql.type(z.object({ all: z.number(), delivered: z.number() }))`
    SELECT count(*) AS all, count(*) FILTER (WHERE status = 'delivered') AS delivered FROM webhook_deliveries WHERE ${isAlive}
  `);
  return [all, delivered];
}

/** Returns the times from the start of an event's transaction to the signature of its first attempt. */
function latencies(since: Date): Promise<{ p50: number; p99: number }> {
  return pool.one(sql.type(z.object({ p50: z.number(), p99: z.number() }))`
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY waited) AS p50, percentile_cont(0.99) WITHIN GROUP (ORDER BY waited) AS p99
    FROM (
      SELECT 1000 * extract(epoch FROM attempt.created_at - delivery.created_at)::float8 AS waited
      FROM webhook_attempts AS attempt JOIN webhook_deliveries AS delivery ON delivery.id = attempt.delivery_id
      WHERE attempt.number = 1 AND delivery.created_at >= ${sql.timestamp(since)} AND ${isAlive}
    ) AS measured
  `);
}

async function burst(): Promise<number> {
  process.stderr.write(`A burst of ${BURST} events …\n`);
  const [before] = await counts();
  const began = performance.now();
  const living = targets.slice(REFUSING + SILENT);
  for (let n = 0; n < BURST; n += 20)
    await Promise.all(Array.from({ length: 20 }, (_, i) => emit(living[(n + i) % living.length]!)));
  await settled();
  const [after] = await counts();
  return (after - before) / ((performance.now() - began) / 1_000);
}

/** Measures the minimum cost of a delivery: the same bytes, signed and posted, ten in parallel. */
async function bareLoop(): Promise<number> {
  const [endpointId = '', secret = ''] = [...secrets].at(-1) ?? [];
  const agent = new Agent();
  const body = Buffer.from(
    JSON.stringify({ id: uuidv7(), data: { connection: { hostname: 'shop.example.com' } } }).padEnd(600),
  );
  const began = performance.now();
  const one = async () => {
    while (performance.now() - began < 5_000) {
      const timestamp = Math.floor(Date.now() / 1_000);
      const headers = { ...signatureHeaders({ eventId: 'bare', body, timestamp }, { current: secret, next: null }), 'x-svc-event-id': 'bare' }; // prettier-ignore
      const { body: answer } = await request(`http://127.0.0.1:${portOf(receiver)}/${endpointId}`, { method: 'POST', headers, body, dispatcher: agent }); // prettier-ignore
      await answer.dump();
      bareSent++;
    }
  };
  await Promise.all(Array.from({ length: 10 }, one));
  received.ids.delete('bare');
  await agent.close();
  return bareSent / ((performance.now() - began) / 1_000);
}
