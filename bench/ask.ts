import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import express from 'express';
import pg from 'pg';
import { pino } from 'pino';
import { migrate } from '../src/db/migrate.ts';
import { Admission } from '../src/edge/admission.ts';
import { DatabaseSource } from '../src/edge/database-source.ts';
import { internalHandler } from '../src/edge/internal.ts';
import { createMetrics } from '../src/metrics.ts';
import { EVERY_NETWORK } from '../src/net/address.ts';
import { median } from './support/median.ts';
import { startBenchPostgres } from './support/postgres.ts';

/**
 * Measures the ask endpoint with a million hostnames next to two others in the same process: Node's bare HTTP server, which
 * is the limit, and Express with one prepared SELECT, which is the common design. The measure is CPU time of the answering
 * process, so neither the client nor a busy machine distorts the comparison.
 */
const NAMES = Number(process.env['NAMES'] ?? 1_000_000);
const ROUNDS = 40;
const REQUESTS = 5_000;
const CONNECTIONS = 32;
/** About half of the requests that one core answers while the client shares the machine. */
const HALF_LOAD = 5_000;
const GOALS = { bare: 0.85, express: 4, p99Ms: 2 };

type Contestant = 'bare' | 'ours' | 'denied' | 'express';
interface Ready {
  ports: Record<Contestant, number>;
  rssBefore: number;
  rssAfter: number;
  loadSeconds: number;
}

const nameOf = (i: number): string => `customer-${i}.shop-${i % 4_999}.com`;
const pathOf = (name: string): string => `/internal/ask?domain=${name}`;

if (process.argv[2] === 'answer') await answer(process.argv[3] ?? '');
else await compare();

async function compare(): Promise<void> {
  const postgres = await startBenchPostgres();
  const database = new pg.Client({ connectionString: postgres.url });
  try {
    await migrate(postgres.url);
    await database.connect();
    await database.query(
      `INSERT INTO admissions SELECT 'customer-' || i || '.shop-' || i % 4999 || '.com', nextval('admission_sequence'), 'serving',
       gen_random_uuid(), ('00000000-0000-4000-8000-' || lpad((i % 1000)::text, 12, '0'))::uuid FROM generate_series(0, $1 - 1) i`,
      [NAMES],
    );
    await database.query('VACUUM ANALYZE admissions');
    await report(postgres.url, database);
  } finally {
    await database.end();
    await postgres.stop();
  }
}

async function report(databaseUrl: string, database: pg.Client): Promise<void> {
  const server = fork(import.meta.filename, ['answer', databaseUrl], { execArgv: ['--expose-gc'] });
  const [ready] = (await once(server, 'message')) as [Ready];
  const rates = { bare: [], ours: [], denied: [], express: [] } as Record<Contestant, number[]>;
  for (const who of ['bare', 'ours', 'denied'] as const) await measure(server, ready.ports[who], who);
  const scansBefore = await lookupsIn(database);
  for (let round = 0; round < ROUNDS; round++) {
    for (const who of ['bare', 'ours', 'denied'] as const)
      rates[who].push(await measure(server, ready.ports[who], who));
  }
  const statements = ((await lookupsIn(database)) - scansBefore) / (2 * ROUNDS * REQUESTS);
  const latencies = await paced(ready.ports.ours, HALF_LOAD, 3);
  const limit = await paced(ready.ports.bare, HALF_LOAD, 3);
  for (let round = 0; round < 4; round++) rates.express.push(await measure(server, ready.ports.express, 'express'));
  server.kill();

  const bare = median(rates.ours.map((rate, round) => rate / rates.bare[round]!));
  const others = median(rates.ours) / median(rates.express);
  const row = (who: string, all: number[], ratio: number) => ({
    handler: who,
    'asks/s/core': Math.round(median(all)),
    'µs/ask': (1e6 / median(all)).toFixed(1),
    'to bare': ratio.toFixed(2),
  });
  console.table([
    row('bare node:http', rates.bare, 1),
    row(`ours, ${NAMES} names, all allowed`, rates.ours, bare),
    row('ours, all denied', rates.denied, median(rates.denied) / median(rates.bare)),
    row('Express + prepared SELECT', rates.express, median(rates.express) / median(rates.bare)),
  ]);
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  console.table([
    goal('to bare node:http', bare.toFixed(2), `≥ ${GOALS.bare}`, bare >= GOALS.bare),
    goal('to Express + SELECT', others.toFixed(1), `≥ ${GOALS.express}`, others >= GOALS.express),
    goal(
      'p99 at 5,000 asks/s',
      `${latencies.p99.toFixed(2)} ms (bare ${limit.p99.toFixed(2)} ms)`,
      `≤ ${GOALS.p99Ms} ms`,
      latencies.p99 <= GOALS.p99Ms,
    ),
    goal('SQL statements per ask', statements.toFixed(4), '0', statements === 0),
  ]);
  console.log(
    `Loading ${NAMES} names took ${ready.loadSeconds.toFixed(1)} s; RSS ${megabytes(ready.rssBefore)} before, ${megabytes(ready.rssAfter)} with the table.`,
  );
}

function goal(what: string, measured: string, wanted: string, reached: boolean) {
  return { what, measured, goal: wanted, reached: reached ? 'yes' : 'no' };
}

/** Returns how often the table has been read. Postgres updates this counter with a delay of a second. */
async function lookupsIn(database: pg.Client): Promise<number> {
  await pause(2_500);
  const { rows } = await database.query<{ scans: string }>(
    `SELECT seq_scan + coalesce(idx_scan, 0) AS scans FROM pg_stat_user_tables WHERE relname = 'admissions'`,
  );
  return Number(rows[0]?.scans);
}

/** Returns the asks answered per second of the server's CPU time. */
async function measure(server: ChildProcess, port: number, who: Contestant): Promise<number> {
  const path = who === 'denied' ? (i: number) => pathOf(`x${i}.unknown-shop.com`) : (i: number) => pathOf(nameOf(i));
  const before = await cpuOf(server);
  let next = Math.floor(Math.random() * NAMES);
  let left = REQUESTS;
  const lane = async () => {
    const line = await openLine(port);
    while (left-- > 0) await line.get(path((next = (next + 7_919) % NAMES)));
    line.socket.destroy();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  return REQUESTS / ((await cpuOf(server)) - before);
}

/** Measures latencies at a fixed rate, from the time a request was due, so that a stall counts in full. */
async function paced(port: number, perSecond: number, seconds: number): Promise<{ p99: number }> {
  const lines = await Promise.all(Array.from({ length: CONNECTIONS }, () => openLine(port)));
  const idle = [...lines];
  const took: number[] = [];
  const start = performance.now();
  const pending: Promise<void>[] = [];
  for (let sent = 0; sent < perSecond * seconds;) {
    const due = start + (sent / perSecond) * 1_000;
    const line = performance.now() >= due ? idle.pop() : undefined;
    if (line === undefined) {
      await new Promise(setImmediate);
      continue;
    }
    sent++;
    const done = line.get(pathOf(nameOf(sent % NAMES))).then(() => {
      took.push(performance.now() - due);
      idle.push(line);
    });
    pending.push(done);
  }
  await Promise.all(pending);
  for (const { socket } of lines) socket.destroy();
  took.sort((a, b) => a - b);
  return { p99: took[Math.floor(took.length * 0.99)] ?? 0 };
}

async function openLine(port: number): Promise<{ socket: Socket; get(path: string): Promise<void> }> {
  const socket = connect(port, '127.0.0.1').setNoDelay();
  await once(socket, 'connect');
  let answered = (): void => undefined;
  let heard = '';
  socket.on('data', (chunk: Buffer) => {
    heard += chunk.toString('latin1');
    const head = heard.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(heard)?.[1]);
    if (head < 0 || heard.length < head + 4 + length) return;
    heard = '';
    answered();
  });
  return {
    socket,
    get: (path) =>
      new Promise((resolve) => {
        answered = resolve;
        socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
      }),
  };
}

async function cpuOf(server: ChildProcess): Promise<number> {
  server.send('cpu');
  const [seconds] = (await once(server, 'message')) as [number];
  return seconds;
}

/** Runs all three servers in the measured process, so that they share one runtime. */
async function answer(databaseUrl: string): Promise<void> {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1e6);
  });
  globalThis.gc?.();
  const rssBefore = process.memoryUsage.rss();
  const began = performance.now();
  const admission = new Admission(new DatabaseSource(databaseUrl), pino({ level: 'warn' }));
  while (!admission.isTrusted) await pause(20);
  const loadSeconds = (performance.now() - began) / 1_000;
  globalThis.gc?.();
  const handle = internalHandler(admission, {
    sandboxNames: 'admitted',
    authority: null,
    originDial: { allowed: EVERY_NETWORK },
    recordAsk: createMetrics().countAsk,
  });
  const ours = await serve((request, response) => void handle(request, response));
  const ports = {
    bare: await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 14 }).end('{"allow":true}');
    }),
    ours,
    denied: ours,
    express: await serve(expressWithSelect(databaseUrl)),
  };
  process.send?.({ ports, rssBefore, rssAfter: process.memoryUsage.rss(), loadSeconds } satisfies Ready);
}

function expressWithSelect(databaseUrl: string): RequestListener {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  const text = `SELECT FROM admissions WHERE hostname = $1 AND standing IN ('held', 'serving')`;
  const app = express();
  app.get('/internal/ask', async (request, response) => {
    const { rowCount } = await pool.query({ name: 'ask', text, values: [request.query['domain']] });
    response.status(rowCount === 1 ? 200 : 403).json({ allow: rowCount === 1 });
  });
  return app;
}

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
