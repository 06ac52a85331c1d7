import { fork, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { newEdgeToken, PublicKey, registerToken } from '../src/db/edge/registered-edges.ts';
import { migrate } from '../src/db/migrate.ts';
import { createPool, type Pool } from '../src/db/pool.ts';
import { Admission, type FollowedCopy } from '../src/edge/admission.ts';
import { untilEveryCopyKnows } from '../src/edge/barrier.ts';
import { CertificateFeed } from '../src/edge/certificate-feed.ts';
import { FeedClient } from '../src/edge/feed/client.ts';
import { FeedHub } from '../src/edge/feed/hub.ts';
import { startFeedServer } from '../src/edge/feed/server.ts';
import { FeedSource } from '../src/edge/feed/source.ts';
import { Journal } from '../src/edge/journal.ts';
import type { Position } from '../src/db/edge/feed.ts';
import { KeyStore, signingKey, usableCertificate } from '../src/edge/key-store.ts';
import { freePort } from '../src/embedded/ports.ts';
import { startBenchPostgres } from './support/postgres.ts';
import { table } from './support/process-cost.ts';

/**
 * Simulates many edges that follow a million hostnames through two API processes. One edge is whole: journal, table and
 * leases as in the agent. The others read, acknowledge and renew like it, and keep no table, because this machine could not
 * hold two hundred.
 *   npm run bench:feed -- [edges] [hostnames]
 */
const EDGES = Number(process.argv[2] ?? 200);
const NAMES = Number(process.argv[3] ?? 1_000_000);
const BURST = 10_000;
const SINGLE = 200;
const GOALS = { changeMs: 1_000, deleteRatio: 1.5, bytesPerName: 400, startMs: 2_000 };

interface Edge {
  url: string;
  token: string;
  name: string;
}

async function simulate(): Promise<void> {
  const postgres = await startBenchPostgres();
  await migrate(postgres.url);
  const pool = await createPool(postgres.url, { max: 10, name: 'bench' });
  const database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  const children: ChildProcess[] = [];
  const child = (role: string, ...args: string[]): ChildProcess => {
    const one = fork(import.meta.filename, process.argv.slice(2), {
      env: { ...process.env, FEED_BENCH: [role, ...args].join(' ') },
    });
    children.push(one);
    return one;
  };
  try {
    await fill(database);
    const apis = [child('api', postgres.url), child('api', postgres.url)];
    const urls = await Promise.all(apis.map(async (api) => (await next<{ url: string }>(api)).url));

    const start = await next<StartFigures>(child('start'));
    const whole = child('edge');
    whole.send(await register(pool, urls[0]!));
    const loaded = await next<{ bytes: number; ms: number; rss: number; position: Position }>(whole);
    const alone = await changes(pool, database, SINGLE);

    const many = child('many');
    const edges: Edge[] = [];
    for (let i = 1; i < EDGES; i++) edges.push(await register(pool, urls[i % 2]!));
    many.send({ edges, position: loaded.position });
    await next(many);
    const together = await changes(pool, database, SINGLE);

    const idle = await bytesOf(many, () => pause(20_000));
    let burstMs = 0;
    const burstBytes = await bytesOf(many, async () => {
      const began = performance.now();
      await burst(pool, database);
      burstMs = performance.now() - began;
    });
    const memories = await Promise.all(apis.map((api) => ask<{ rss: number }>(api, 'rss')));
    const perDay = (idle / 20) * 86_400 + burstBytes;

    const ratio = median(together) / median(alone);
    table(`${EDGES} edges × ${NAMES.toLocaleString('en')} hostnames, two API processes`, [
      ['', 'seen', 'goal', 'ratio'],
      ['snapshot', `${mb(loaded.bytes)} MB, ${(loaded.bytes / NAMES).toFixed(1)} bytes a hostname`, '', ''],
      ['  loaded by an empty edge in', `${(loaded.ms / 1_000).toFixed(1)} s`, '', ''],
      [`a day with ${BURST.toLocaleString('en')} changes`, `${mb(perDay)} MB an edge`, '', ''],
      ['  of which changes', `${mb(burstBytes)} MB`, '', ''],
      ['memory of an agent', `${mb(loaded.rss)} MB`, `${GOALS.bytesPerName} MB a million`, (loaded.rss / NAMES / GOALS.bytesPerName).toFixed(2)], // prettier-ignore
      ['memory of an API process', memories.map(({ rss }) => `${mb(rss)} MB`).join(', '), '', ''],
      ['a change at every edge, p99', `${percentile(together, 0.99).toFixed(0)} ms`, `${GOALS.changeMs} ms`, (percentile(together, 0.99) / GOALS.changeMs).toFixed(2)], // prettier-ignore
      ['  median', `${median(together).toFixed(0)} ms`, '', ''],
      ['DELETE, all edges : one edge', `${median(together).toFixed(0)} : ${median(alone).toFixed(0)} ms`, `${GOALS.deleteRatio}`, ratio.toFixed(2)], // prettier-ignore
      [`${BURST.toLocaleString('en')} changes at every edge`, `${(burstMs / 1_000).toFixed(1)} s`, '', ''],
      ['start from disk with 200,000', `${start.ms.toFixed(0)} ms`, `${GOALS.startMs} ms`, (start.ms / GOALS.startMs).toFixed(2)], // prettier-ignore
      ['  to JSON.parse of the same lines', '', '', (start.ms / start.parseMs).toFixed(2)],
    ]);
  } finally {
    for (const one of children) one.kill('SIGKILL');
    await database.end();
    await pool.end();
    await postgres.stop();
  }
}

async function fill(database: pg.Client): Promise<void> {
  await database.query(
    `INSERT INTO admissions (hostname, sequence, standing, connection_id, application_id)
     SELECT 'customer-' || i || '.shop-' || i % 4999 || '.com', nextval('admission_sequence'), 'serving',
       gen_random_uuid(), ('00000000-0000-4000-8000-' || lpad((i % 1000)::text, 12, '0'))::uuid FROM generate_series(0, $1 - 1) i`,
    [NAMES],
  );
  await database.query('VACUUM ANALYZE admissions');
}

async function register(pool: Pool, url: string): Promise<Edge> {
  const [name, token] = [`edge-${randomUUID()}`, newEdgeToken()];
  await registerToken(pool, name, token, { isNew: true });
  return { url, token, name };
}

/** Changes hostnames one after the other, and returns how long each took to reach every edge: the time of a DELETE. */
async function changes(pool: Pool, database: pg.Client, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const hostname = await change(database, [Math.floor(Math.random() * NAMES)]);
    const began = performance.now();
    await untilEveryCopyKnows(pool, { hostname });
    times.push(performance.now() - began);
  }
  return times;
}

async function burst(pool: Pool, database: pg.Client): Promise<void> {
  let last = '';
  for (let from = 0; from < BURST; from += 100)
    last = await change(
      database,
      Array.from({ length: 100 }, (_, i) => from + i),
    );
  await untilEveryCopyKnows(pool, { hostname: last });
}

/** Changes rows as the trigger on connections does, and returns the last hostname. */
async function change(database: pg.Client, numbers: readonly number[]): Promise<string> {
  const names = numbers.map((i) => `customer-${i}.shop-${i % 4_999}.com`);
  await database.query(
    `WITH changed AS (
       UPDATE admissions SET sequence = nextval('admission_sequence'),
         standing = CASE standing WHEN 'serving' THEN 'archived' ELSE 'serving' END
       WHERE hostname = ANY($1) RETURNING sequence, hostname)
     SELECT pg_notify('admission', json_build_object('sequence', sequence, 'hostname', hostname)::text) FROM changed`,
    [names],
  );
  return names.at(-1) ?? '';
}

/** Returns the bytes that one of the many edges received meanwhile. */
async function bytesOf(many: ChildProcess, during: () => Promise<unknown>): Promise<number> {
  const { bytes: before } = await ask<{ bytes: number }>(many, 'bytes');
  await during();
  return (await ask<{ bytes: number }>(many, 'bytes')).bytes - before;
}

async function next<T>(from: ChildProcess): Promise<T> {
  return ((await once(from, 'message')) as [T])[0];
}

async function ask<T>(whom: ChildProcess, what: string): Promise<T> {
  const answered = next<T>(whom);
  whom.send(what);
  return answered;
}

const mb = (bytes: number): string => (bytes / 1e6).toFixed(1);
const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
const percentile = (values: readonly number[], of: number): number =>
  sorted(values)[Math.ceil(values.length * of) - 1] ?? 0;
const median = (values: readonly number[]): number => percentile(values, 0.5);

async function runApi(databaseUrl: string): Promise<void> {
  const hub = new FeedHub(databaseUrl, pino({ level: 'warn' }));
  const port = await freePort();
  await startFeedServer({ hub, authority: null, host: '127.0.0.1', port, tls: undefined });
  while (!hub.isReady) await pause(10);
  process.send?.({ url: `http://127.0.0.1:${port}` });
  process.on('message', () => process.send?.({ rss: process.memoryUsage().rss }));
}

function clientOf({ url, token }: Edge): { client: FeedClient; bytes(): number } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = { privateKey, publicKey: PublicKey.parse(publicKey.export({ format: 'jwk' })) };
  const client = new FeedClient({ url, token, key, caFile: undefined });
  const open = client.open.bind(client);
  let bytes = () => 0;
  client.open = async (path, signal) => {
    const response = await open(path, signal);
    bytes = () => response.socket.bytesRead;
    return response;
  };
  return { client, bytes: () => bytes() };
}

interface StartFigures {
  ms: number;
  parseMs: number;
}

async function runEdge(): Promise<void> {
  const [edge] = (await once(process, 'message')) as [Edge];
  const folder = await mkdtemp(join(tmpdir(), 'feed-bench-'));
  const journal = await Journal.open(join(folder, 'edge'));
  const { client, bytes } = clientOf(edge);
  const began = performance.now();
  const admission = new Admission(await sourceOf(client, journal, folder), pino({ level: 'warn' }), journal);
  while (!admission.isTrusted) await pause(10);
  const ms = performance.now() - began;
  const size = bytes();
  while (journal.position === undefined) await pause(10);
  await pause(15_000); // until the garbage of the loading is collected, as in an agent that has been running
  process.send?.({ bytes: size, ms, rss: process.memoryUsage().rss, position: journal.position });
  process.on('disconnect', () => void rm(folder, { recursive: true, force: true }));
}

async function sourceOf(client: FeedClient, journal: Journal, folder: string): Promise<FeedSource> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const store = await KeyStore.open(join(folder, 'certificates'), privateKey, usableCertificate);
  const signing = await KeyStore.open(join(folder, 'secrets'), privateKey, signingKey);
  return new FeedSource({
    client,
    journal,
    certificates: new CertificateFeed({ store, signing, certificateOf: () => null, changeover: undefined }),
    staleForMs: 86_400_000,
    otherwise: () => Promise.reject(new Error('not trusted')),
    status: () => ({ version: 'bench', names: journal.size, certificates: 0, idleMs: 0 }),
    onDrain: () => undefined,
  });
}

/** Measures the start of an agent with 200,000 hostnames on its disk, and JSON.parse of the same lines. */
async function startFromDisk(): Promise<StartFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-bench-'));
  const journal = await Journal.open(folder);
  const rows = Array.from({ length: 200_000 }, (_, i) => ({
    hostname: `customer-${i}.shop-${i % 4_999}.com`,
    sequence: i + 1,
    standing: 'serving' as const,
    application_id: `00000000-0000-4000-8000-${String(i % 1_000).padStart(12, '0')}`,
    certificate_id: null,
    route: null,
  }));
  for (let from = 0; from < rows.length; from += 10_000)
    await journal.take(journal.begin(), rows.slice(from, from + 10_000));
  await journal.close();
  const began = performance.now();
  const again = await Journal.open(folder);
  const ms = performance.now() - began;
  if (again.size !== rows.length) throw new Error('The journal is not whole.');
  await again.close();
  const lines = rows.map((row) =>
    JSON.stringify(['name', row.hostname, row.sequence, row.standing, row.application_id]),
  );
  const parsing = performance.now();
  for (const line of lines) JSON.parse(line);
  const parseMs = performance.now() - parsing;
  await rm(folder, { recursive: true });
  return { ms, parseMs };
}

/** Follows the feed with many edges in one process. */
async function runMany(): Promise<void> {
  const [{ edges, position }] = (await once(process, 'message')) as [{ edges: Edge[]; position: Position }];
  const folder = await mkdtemp(join(tmpdir(), 'feed-bench-'));
  const stop = new AbortController();
  const counters: (() => number)[] = [];
  let trusted = 0;
  const follow = async (edge: Edge): Promise<void> => {
    let isTrusted = false;
    const copy: FollowedCopy = {
      take: () => Promise.resolve(),
      startOver: () => undefined,
      loaded: () => Promise.resolve(),
      trust: () => {
        if (!isTrusted) trusted++;
        isTrusted = true;
      },
      distrust: () => undefined,
      notify: () => undefined,
    };
    const { client, bytes } = clientOf(edge);
    counters.push(bytes);
    const memory = { id: randomUUID(), position, size: 0, recordPosition: () => undefined } as unknown as Journal;
    const source = await sourceOf(client, memory, join(folder, edge.name));
    while (!stop.signal.aborted)
      await source.follow(copy, stop.signal).catch((error: unknown) => console.error(edge.name, String(error)));
  };
  for (const edge of edges) {
    void follow(edge);
    await pause(10);
  }
  while (trusted < edges.length) await pause(50);
  process.send?.({});
  process.on('message', () => process.send?.({ bytes: counters[0]?.() ?? 0 }));
  process.on('disconnect', () => void rm(folder, { recursive: true, force: true }));
}

const [mode, argument = ''] = (process.env['FEED_BENCH'] ?? '').split(' ');
if (mode === 'api') await runApi(argument);
else if (mode === 'edge') await runEdge();
else if (mode === 'start') process.send?.(await startFromDisk());
else if (mode === 'many') await runMany();
else await simulate();
