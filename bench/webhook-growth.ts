import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { recordEvents } from '../src/db/webhook/events.ts';
import { ensureDatabase, migrate } from '../src/db/migrate.ts';
import { createPool, none, sql } from '../src/db/pool.ts';
import { deleteExpired } from '../src/db/retention.ts';
import { createTenant } from '../src/db/tenant/tenants.ts';
import { cacheDir } from '../src/embedded/folders.ts';
import { startPostgres } from '../src/embedded/postgres.ts';
import { openVault } from '../src/vault/vault.ts';
import { newConnection } from '../test/support/fixtures/new-connection.ts';
import { subscribe } from '../test/support/fixtures/subscribe.ts';
import { table } from './support/process-cost.ts';

/**
 * Measures transactions that write events while retention deletes ten million rows older than 30 days. Shows the longest
 * write as a ratio to the longest without the deletion, and how often a write was seen waiting for a lock: of any holder
 * (writers wait for each other's connections), and of the deletion itself.
 *   node bench/webhook-growth.ts [millions of rows]
 */
const ROWS = Number(process.argv[2] ?? 10) * 1_000_000;
const [DELIVERIES, EVENTS] = [0.4 * ROWS, 0.2 * ROWS];
const ATTEMPTS = ROWS - DELIVERIES - EVENTS;
const ALONE_MS = 20_000;
const WRITES_A_SECOND = 50;
const Waiting = z.object({ at_all: z.number(), for_removal: z.number() });

const folder = await mkdtemp(join(tmpdir(), 'bench-'));
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), cacheDir: cacheDir(), password: 'bench', onProgress: () => undefined }); // prettier-ignore
const databaseUrl = await ensureDatabase(postgres.url, 'bench');
await migrate(databaseUrl);
const pool = await createPool(databaseUrl, { max: 10, name: 'bench' });
const REMOVAL = 'removal';
const removing = await createPool(`${databaseUrl}?application_name=${REMOVAL}`, { max: 1, name: REMOVAL });

try {
  const tenant = await createTenant(pool, 'Bench');
  await subscribe({ pool, vault: openVault(`bench:${Buffer.alloc(32, 1).toString('base64')}`) }, tenant, { url: 'http://127.0.0.1:1/' }); // prettier-ignore
  const rows = await Promise.all(
    Array.from({ length: 20 }, (_, i) => newConnection(pool, tenant, `shop-${i}.bench-customer.com`)),
  );
  let n = 0;
  const write = () => pool.transaction((tx) => recordEvents(tx, [rows[n++ % rows.length]!], 'domain.verified', { now: new Date() })); // prettier-ignore

  const filling = performance.now();
  await fill(tenant.tenant_id, tenant.test.application_id);
  process.stderr.write(`${ROWS / 1e6} million rows in ${((performance.now() - filling) / 1_000).toFixed(0)} s\n`);

  const alone = await writing(write, pause(ALONE_MS));
  const began = performance.now();
  let seconds = 0;
  let gone = 0;
  const removal = deleteExpired(removing).then((count) => {
    gone = count;
    seconds = (performance.now() - began) / 1_000;
  });
  const during = await writing(write, removal);
  table(`Writing ${WRITES_A_SECOND} events a second, in milliseconds`, [
    ['', 'writes', 'p50', 'p99', 'longest', 'seen waiting for a lock', 'held by the deletion'],
    ['alone', ...alone.cells],
    ['during the deletion', ...during.cells],
    ['ratio', '', ...['p50', 'p99', 'longest'].map((key) => (during.ms[key]! / alone.ms[key]!).toFixed(2)), '', ''],
  ]);
  const left = await pool.oneFirst(sql.type(z.object({ n: z.number() }))`
    SELECT (SELECT count(*) FROM webhook_attempts) + (SELECT count(*) FROM webhook_deliveries WHERE created_at < now() - interval '30 days')
      + (SELECT count(*) FROM events WHERE created_at < now() - interval '30 days') AS n
  `);
  process.stdout.write(`\n${gone} rows removed in ${seconds.toFixed(0)} s, ${(gone / seconds).toFixed(0)} a second; ${left} old rows left.\n`); // prettier-ignore
} finally {
  await Promise.all([pool.end(), removing.end()]);
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Inserts rows of the sixty days before the last thirty. */
async function fill(tenantId: string, applicationId: string): Promise<void> {
  const portion = 100_000;
  const old = sql.fragment`now() - interval '31 days' - (i % 86400) * interval '1 minute'`;
  const fillWith = async (rows: number, statement: (from: number, to: number) => ReturnType<typeof sql.fragment>) => {
    for (let from = 1; from <= rows; from += portion)
      await pool.transaction(async (tx) => {
        await tx.query(sql.type(none)`SET LOCAL synchronous_commit = off`);
        await tx.query(sql.type(none)`${statement(from, Math.min(from + portion - 1, rows))}`);
        process.stderr.write('.');
      });
  };
  await fillWith(
    EVENTS,
    (from, to) => sql.fragment`
    INSERT INTO events (id, tenant_id, application_id, environment, type, at, data, created_at)
    SELECT gen_random_uuid(), ${tenantId}::uuid, ${applicationId}::uuid, 'test', 'batch.completed', ${old}, '{"batch": {"total": 2}}', ${old}
    FROM generate_series(${from}::integer, ${to}::integer) AS i
  `,
  );
  await fillWith(
    DELIVERIES,
    (from, to) => sql.fragment`
    INSERT INTO webhook_deliveries (id, tenant_id, endpoint_id, event_id, event_type, status, attempts, created_at)
    SELECT gen_random_uuid(), ${tenantId}::uuid, gen_random_uuid(), gen_random_uuid(), 'batch.completed', 'delivered', 1, ${old}
    FROM generate_series(${from}::integer, ${to}::integer) AS i
  `,
  );
  await fillWith(
    ATTEMPTS,
    (from, to) => sql.fragment`
    INSERT INTO webhook_attempts (tenant_id, delivery_id, number, url, outcome, status_code, response, duration_ms, created_at)
    SELECT ${tenantId}::uuid, gen_random_uuid(), 1, 'https://hooks.shop-site.com/in', 'delivered', 200, 'ok', 20, ${old}
    FROM generate_series(${from}::integer, ${to}::integer) AS i
  `,
  );
  await pool.query(sql.type(none)`ANALYZE`);
}

/** Writes at a steady rate until the work is done, and samples meanwhile which sessions wait for a lock. */
async function writing(write: () => Promise<void>, work: Promise<unknown>) {
  const end = new AbortController();
  const over = work.finally(() => end.abort());
  const took: number[] = [];
  const waiting = { atAll: 0, forRemoval: 0 };
  const watching = (async () => {
    while (!end.signal.aborted) {
      const seen = await pool.one(sql.type(Waiting)`
        SELECT count(*) AS at_all, count(*) FILTER (WHERE EXISTS (
          SELECT FROM pg_stat_activity AS holder
          WHERE holder.pid = ANY(pg_blocking_pids(waiter.pid)) AND holder.application_name = ${REMOVAL})) AS for_removal
        FROM pg_stat_activity AS waiter WHERE waiter.wait_event_type = 'Lock'
      `);
      waiting.atAll += seen.at_all;
      waiting.forRemoval += seen.for_removal;
      await pause(20);
    }
  })();
  const written: Promise<void>[] = [];
  while (!end.signal.aborted) {
    const began = performance.now();
    written.push(write().then(() => void took.push(performance.now() - began)));
    await pause(1_000 / WRITES_A_SECOND);
  }
  await Promise.all([over, watching, ...written]);
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
  const ms: Record<string, number> = { p50: at(0.5), p99: at(0.99), longest: at(1) };
  return {
    ms,
    cells: [
      String(sorted.length),
      ...Object.values(ms).map((value) => value.toFixed(1)),
      String(waiting.atAll),
      String(waiting.forRemoval),
    ],
  };
}
