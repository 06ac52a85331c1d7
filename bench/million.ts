import { z } from 'zod';
import { listAudit } from '../src/db/audit.ts';
import { listApplications } from '../src/db/tenant/applications.ts';
import { listBatches, listBatchRows, settleBatchRows } from '../src/db/connection/batches.ts';
import { getConnectionDetail } from '../src/db/connection/connection-detail.ts';
import { listConnections } from '../src/db/connection/connection-list.ts';
import {
  countByState,
  findSandboxConnections,
  getConnection,
  listForOperator,
  listTouchable,
  withCompanions,
} from '../src/db/connection/connections.ts';
import { readConnectFacts } from '../src/db/connection/connect-facts.ts';
import { countByProvider, countCertificates } from '../src/db/connection/counts.ts';
import { foldCounts, readCounts, readSeries } from '../src/db/connection/tenant-counts.ts';
import { daysUntil } from '../src/domain/connection/counts.ts';
import { coveringCredential } from '../src/db/zone/credentials.ts';
import { listSandboxRecords } from '../src/db/zone/sandbox-records.ts';
import { listDeliveries } from '../src/db/webhook/deliveries.ts';
import { listEvents } from '../src/db/webhook/events.ts';
import { releaseStarts } from '../src/db/connection/held-starts.ts';
import { ownedValues } from '../src/db/zone/ledger.ts';
import { ensureDatabase, migrate } from '../src/db/migrate.ts';
import { announceCredential, checkOutbox, takeDue } from '../src/db/outbox.ts';
import { asTenant, createPool, none, sql, type Tx } from '../src/db/pool.ts';
import { findOverdue, findUnfinished } from '../src/db/connection/reconcile.ts';
import { createTenant, type NewTenant } from '../src/db/tenant/tenants.ts';
import { touchConnection } from '../src/db/connection/touches.ts';
import { remain } from '../src/db/connection/transitions.ts';
import { explaining } from './support/explain.ts';
import { table } from './support/process-cost.ts';
import { startBenchPostgres } from './support/postgres.ts';

/**
 * Measures the frequent queries with a million connections, half of them of one tenant. EXPLAIN ANALYZE runs three
 * times for every statement, and the table shows the best time and the indexes. A series of checks then shows how many
 * updates stay within their page, which Postgres calls HOT. The last tables show how much a hostname adds to the
 * database.
 *   npm run bench:million [connections]
 */
const SIZE = Number(process.argv[2] ?? 1_000_000);
const GOAL_MS = 10;

/** Changes of state between two folds of the counts, in a flood of 200 a second. */
const CHANGES = 1_000;

/**
 * Rows that a hostname adds in a year, and the days for which each row is kept (docs/operations.md). Most checks add no
 * row: they update the connection's row in `checks`.
 */
const A_YEAR = [
  { table: 'certificate_orders', why: 'renewed every 60 days', rows: 6, days: 90 },
  { table: 'events', why: 'one for each renewal', rows: 6, days: 30 },
  { table: 'observations', why: 'one for each week in which nothing changes', rows: 52, days: 7 },
  { table: 'timeline', why: 'drifted and back, once', rows: 2, days: 730 },
] as const;

const postgres = await startBenchPostgres();
const databaseUrl = await ensureDatabase(postgres.url, 'bench');
await migrate(databaseUrl);
const pool = await createPool(databaseUrl, { max: 2, name: 'bench' });
try {
  const large = await createTenant(pool, 'Large');
  const small = await createTenant(pool, 'Small');
  await fill(large, small);
  const rows = await explainAll(large);
  table(`${SIZE.toLocaleString('en')} connections, one statement a row (goal ${GOAL_MS} ms)`, [
    ['query', 'ms', 'of the goal', 'reads'],
    ...rows.map(({ title, ms, reads }) => [title, ms.toFixed(2), (ms / GOAL_MS).toFixed(2), reads]),
  ]);
  table('Rare queries', [
    ['query', 'ms', 'reads'],
    ...(await explainSeldom(large)).map(({ title, ms, reads }) => [title, ms.toFixed(2), reads]),
  ]);
  await checkMany(large);
  await sizes();
  process.exitCode = rows.every(({ ms }) => ms <= GOAL_MS) ? 0 : 1;
} finally {
  await pool.end();
  await postgres.stop();
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

/**
 * Inserts rows like those of a service that has run for years. Triggers are off, because they would insert some of the
 * rows again. The column `standing` of `admissions` stores how the edge may serve a hostname.
 */
async function fill(large: NewTenant, small: NewTenant): Promise<void> {
  progress('Filling …');
  await pool.transaction(async (tx) => {
    await tx.query(sql.type(none)`SET LOCAL session_replication_role = replica`);
    await tx.query(sql.type(none)`SET LOCAL statement_timeout = 0`);
    for (const [tenant, others] of [
      [large, false],
      [small, true],
    ] as const)
      await tx.query(sql.type(none)`
        INSERT INTO connections (
          id, tenant_id, application_id, environment, hostname, kind, state, setup_type, provider, external_id,
          challenge_token, desired_records, findings, phase_started_at, live_at, created_at,
          certificate_status, certificate_not_after, archived_at)
        SELECT gen_random_uuid(), ${tenant.tenant_id},
          CASE WHEN n % 20 = 0 THEN ${tenant.test.application_id}::uuid ELSE ${tenant.live.application_id}::uuid END,
          CASE WHEN n % 20 = 0 THEN 'test' ELSE 'live' END,
          'shop' || n || ${others ? '-other' : ''} || CASE WHEN n % 20 = 0 THEN '.auto.test' ELSE '.example.com' END,
          'subdomain',
          CASE WHEN n % 100 < 88 THEN 'live' WHEN n % 100 < 91 THEN 'drifted' WHEN n % 100 < 95 THEN 'pending_ownership'
            WHEN n % 100 < 98 THEN 'archived' ELSE 'failed' END,
          'manual', CASE WHEN n % 1000 = 0 THEN 'hetzner' ELSE 'cloudflare' END, 'customer-' || n, md5(n::text),
          jsonb_build_array(jsonb_build_object('host', 'shop' || n, 'type', 'CNAME', 'value', 'edge.example.com', 'ttl', 300, 'priority', NULL)),
          CASE WHEN n % 1000 = 0 THEN ${findingOf('proxied')} WHEN n % 10 = 0 THEN ${findingOf('flattened_ok')} ELSE '[]' END::jsonb,
          now() - n * interval '30 seconds',
          now() - n * interval '30 seconds', now() - n * interval '30 seconds',
          CASE WHEN n % 2000 = 7 THEN 'expired' ELSE 'issued' END, now() + interval '60 days',
          CASE WHEN n % 100 BETWEEN 95 AND 97 THEN now() - n * interval '10 seconds' END
        FROM generate_series(1, ${SIZE / 2}::int) AS n
      `);
    await tx.query(sql.type(none)`
      INSERT INTO checks (connection_id, tenant_id, last_checked_at, next_check_at, due_at)
      SELECT id, tenant_id, now() - interval '10 minutes', next, CASE WHEN state NOT IN ('failed', 'archived') THEN next END
      FROM connections, LATERAL (SELECT now() + random() * interval '1 hour' AS next) AS checked
    `);
    await tx.query(sql.type(none)`
      INSERT INTO connection_findings (connection_id, code, tenant_id, application_id, environment, connected_at)
      SELECT id, findings #>> '{0,code}', tenant_id, application_id, environment, created_at FROM connections
      WHERE findings <> '[]'
    `);
    progress('Timeline, admissions, orders, observations, events …');
    await tx.query(sql.type(none)`
      INSERT INTO timeline (tenant_id, connection_id, at, from_state, to_state)
      SELECT tenant_id, id, created_at, 'created', state FROM connections, generate_series(1, 3)
    `);
    await tx.query(sql.type(none)`
      INSERT INTO admissions (hostname, sequence, standing, connection_id, application_id)
      SELECT hostname, nextval('admission_sequence'), standing_of(state), id, application_id FROM connections
      WHERE standing_of(state) <> 'none'
    `);
    await tx.query(sql.type(none)`
      INSERT INTO certificate_orders (id, hostname, registered_domain, account, ordered_at, outcome, tenant_id)
      SELECT gen_random_uuid(), hostname, hostname, 'authority', now() - random() * interval '90 days', 'issued', tenant_id
      FROM connections WHERE state = 'live'
    `);
    await tx.query(sql.type(none)`
      INSERT INTO observations (tenant_id, connection_id, purpose, verdict, first_at, last_at, seen)
      SELECT tenant_id, id, 'records', 'match', now() - interval '6 days', now(), '{"records": [], "findings": []}' FROM connections
      WHERE state IN ('live', 'drifted')
    `);
    await tx.query(sql.type(none)`
      INSERT INTO events (id, tenant_id, application_id, connection_id, environment, type, sequence, at, created_at, data)
      SELECT gen_random_uuid(), tenant_id, application_id, id, environment, 'domain.connected', 1, created_at, created_at, '{}' FROM connections
      WHERE state = 'live'
    `);
    await tx.query(sql.type(none)`
      INSERT INTO touches (connection_id, tenant_id, touched_at) SELECT id, tenant_id, now() - interval '1 day' FROM connections
    `);
    const began = performance.now();
    await tx.query(sql.type(none)`SELECT FROM recount_connections()`);
    progress(`Counting all rows took ${((performance.now() - began) / 1_000).toFixed(1)} s.`);
  });
  await foldCounts(pool);
  await pool.query(sql.type(none)`VACUUM ANALYZE`);
}

function findingOf(code: string): string {
  return JSON.stringify([{ code, severity: 'info', message: 'm', fix: null }]);
}

interface Line {
  title: string;
  ms: number;
  reads: string;
}

/** Explains the frequent queries: those of API requests as the tenant, then those of workers as the service. */
async function explainAll(tenant: NewTenant): Promise<Line[]> {
  const { tenant_id, live, test } = tenant;
  const sample = await pool.one(sql.type(z.object({ id: z.uuid(), hostname: z.string() }))`
    SELECT id, hostname FROM connections WHERE tenant_id = ${tenant_id} AND state = 'live' AND environment = 'live' LIMIT 1
  `);
  const page = { limit: 50, after: null };
  const environments = ['live', 'test'] as const;
  const now = new Date();
  const days = daysUntil(now, 90);
  // The holder of a hostname is the connection with the claim. An external id is the tenant's own id of a customer.
  const apiQueries: Record<string, (tx: Tx) => Promise<unknown>> = {
    'GET connection': (tx) => getConnectionDetail(tx, sample.id),
    'list connections': (tx) => listConnections(tx, { environments }, page),
    'list of a state that many have': (tx) => listConnections(tx, { environments, state: 'live' }, page),
    'list of a state that none has': (tx) => listConnections(tx, { environments, state: 'stalled' }, page),
    'list of the smaller environment': (tx) => listConnections(tx, { environments: ['test'] }, page),
    'list of an application': (tx) => listConnections(tx, { environments, application_id: test.application_id }, page),
    'list by external id': (tx) => listConnections(tx, { environments, external_id: 'customer-77' }, page),
    'list by hostname': (tx) => listConnections(tx, { environments, hostname: sample.hostname }, page),
    'list by batch': (tx) => listConnections(tx, { environments, batch_id: sample.id }, page),
    'list by the beginning of a hostname': (tx) =>
      listConnections(tx, { environments, hostname_prefix: 'shop77' }, page),
    'list by a beginning that all have': (tx) => listConnections(tx, { environments, hostname_prefix: 'shop' }, page),
    'list by a provider of many': (tx) => listConnections(tx, { environments, provider: 'cloudflare' }, page),
    'list by a provider of few': (tx) => listConnections(tx, { environments, provider: 'hetzner' }, page),
    'list by a finding of many': (tx) => listConnections(tx, { environments, finding: 'flattened_ok' }, page),
    'list by a finding of few': (tx) => listConnections(tx, { environments, finding: 'proxied' }, page),
    'list of failing certificates': (tx) =>
      listConnections(tx, { environments, attention: 'failing_certificates' }, page),
    'list of drifted connections': (tx) => listConnections(tx, { environments, attention: 'drifted' }, page),
    'counts of a tenant': (tx) => readCounts(tx, { environments }),
    'counts of an application': (tx) => readCounts(tx, { environments, application_id: live.application_id }),
    'series of 90 days': (tx) => readSeries(tx, { environments }, { first: days[0]!, last: days.at(-1)! }),
    'deliveries of a connection': (tx) => listDeliveries(tx, { connection_id: sample.id }, page),
    'list of batches': (tx) => listBatches(tx, { environments }, page),
    'list of sandbox records': (tx) => listSandboxRecords(tx, page),
    'list of applications': (tx) => listApplications(tx, environments, page),
    'list of events': (tx) => listEvents(tx, { environments }, page),
    'list of audit': (tx) => listAudit(tx, environments, page),
    'facts of a new connection': (tx) =>
      readConnectFacts(tx, live.application_id, [{ hostname: sample.hostname, external_id: null, serve: true }], now),
    'connections with companions': (tx) => withCompanions(tx, sample.id),
    'touch a connection': (tx) => touchConnection(tx, { id: sample.id, tenant_id }, now),
    'sandbox hostnames at or below': (tx) =>
      findSandboxConnections(tx, { at: ['a.auto.test'], below: ['b.auto.test'] }),
    'rows of a batch': (tx) => listBatchRows(tx, sample.id, { which: 'all', page }),
  };
  // The relay sends outbox messages. The reconciler restarts missing workflows, which operators list as stuck. The
  // workflows of a batch start a few at a time. A batch row settles when its connection is live, failed or archived. A
  // covering credential can write in the hostname's zone. The values of a connection are the records that we wrote.
  const workerQueries: Record<string, (tx: Tx) => Promise<unknown>> = {
    'the worker reads a connection': (tx) => getConnection(tx, sample.id),
    // `remain` saves the result of a check without a transition.
    'a check is written': async (tx) => {
      const row = await getConnection(tx, sample.id);
      if (row !== null) await remain(tx, row, { now, last_checked_at: now, next_check_at: now });
    },
    'reconciler: overdue': (tx) => findOverdue(tx, null),
    'reconciler: all that should run': (tx) => findUnfinished(tx, null),
    'relay takes messages': (tx) => takeDue(tx, ['connection'], 20),
    'check the outbox': (tx) => checkOutbox(tx, ['connection']),
    'starts of batches': (tx) => releaseStarts(tx, 4),
    'a batch row settles': (tx) => settleBatchRows(tx, sample.id, now),
    'covering credential': (tx) => coveringCredential(tx, live.application_id, sample.hostname),
    'announce a new credential': (tx) =>
      announceCredential(tx, { tenant_id, application_id: live.application_id, zones: [sample.hostname] }),
    'values of a connection': (tx) => ownedValues(tx, sample.id),
    'operator: stuck': (tx) => listForOperator(tx, { stuck: true, state: null }),
  };
  const lines: Line[] = [];
  for (const [title, run] of Object.entries(apiQueries))
    lines.push(...(await asTenant(pool, tenant_id, (tx) => explainOf(tx, title, run))));
  for (const [title, run] of Object.entries(workerQueries))
    lines.push(...(await pool.transaction((tx) => explainOf(tx, title, run))));
  await addChanges(tenant_id);
  const read = (tx: Tx) => readCounts(tx, { environments });
  lines.push(...(await asTenant(pool, tenant_id, (tx) => explainOf(tx, `counts after ${CHANGES} changes`, read))));
  const began = performance.now();
  progress(`Adding up ${await foldCounts(pool)} changes took ${(performance.now() - began).toFixed(0)} ms.`);
  return lines;
}

/** Adds the rows of a flood of transitions that no worker has added up yet. Each leaves one state and enters another. */
async function addChanges(tenantId: string): Promise<void> {
  await pool.query(sql.type(none)`
    INSERT INTO connection_counts (tenant_id, application_id, environment, kind, day, quantity)
    SELECT tenant_id, application_id, environment, kind, day, change
    FROM connection_counts, (VALUES (1), (-1)) AS changes (change), generate_series(1, ${CHANGES}::int)
    WHERE tenant_id = ${tenantId} AND kind = 'state:live' AND environment = 'live'
  `);
}

/** Explains the queries that people run rarely and that may read whole tables. */
async function explainSeldom({ tenant_id, live }: NewTenant): Promise<Line[]> {
  return [
    ...(await asTenant(pool, tenant_id, (tx) =>
      explainOf(tx, "an application's connections that wait", (db) => listTouchable(db, live.application_id)),
    )),
    ...(await asTenant(pool, tenant_id, (tx) =>
      explainOf(tx, 'list by a finding of many and a state of few', (db) =>
        listConnections(
          db,
          { environments: ['live', 'test'], finding: 'flattened_ok', state: 'drifted' },
          { limit: 50, after: null },
        ),
      ),
    )),
    ...(await pool.transaction((tx) => explainOf(tx, 'connections by state', countByState))),
    ...(await pool.transaction((tx) => explainOf(tx, 'metrics: by state and provider', countByProvider))),
    ...(await pool.transaction((tx) => explainOf(tx, 'metrics: certificates that end', countCertificates))),
    ...(await pool.transaction((tx) =>
      explainOf(tx, 'operator: by state', (db) => listForOperator(db, { stuck: false, state: 'drifted' })),
    )),
  ];
}

/** Runs a function of `src/db`, and returns a line for each of its statements: the time, and the scans and indexes. */
async function explainOf(tx: Tx, title: string, run: (tx: Tx) => Promise<unknown>): Promise<Line[]> {
  progress(title);
  const explained: Parameters<typeof explaining>[1] = [];
  await run(explaining(tx, explained) as Tx);
  return explained.map(({ ms, scans, indexes }) => ({
    title,
    ms,
    reads: [...scans.map((name) => `all of ${name}`), ...indexes].join(', '),
  }));
}

/** Number of updated rows, and how many of the updates stayed within their page. */
interface Updates {
  updates: number;
  hot: number;
}

async function updatesOf(table: string): Promise<Updates> {
  await pool.query(sql.type(z.object({}))`SELECT pg_stat_force_next_flush()`);
  return pool.one(sql.type(z.object({ updates: z.number(), hot: z.number() }))`
    SELECT n_tup_upd AS updates, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE relname = ${table}
  `);
}

/** Counts the rows that monitoring updates: each of five thousand connections is checked twice without a finding. */
async function checkMany(tenant: NewTenant): Promise<void> {
  progress('Checking …');
  const ids = await pool.anyFirst(sql.type(z.object({ id: z.uuid() }))`
    SELECT id FROM connections WHERE tenant_id = ${tenant.tenant_id} AND state = 'live' LIMIT 5000
  `);
  const before = await updatesOf('connections');
  for (let round = 1; round <= 2; round++)
    for (const id of ids)
      await pool.transaction(async (tx) => {
        const row = await getConnection(tx, id);
        const now = new Date(Date.now() + round * 3_600_000);
        const next = new Date(now.getTime() + 3_600_000);
        if (row !== null) await remain(tx, row, { now, last_checked_at: now, next_check_at: next });
      });
  const after = await updatesOf('connections');
  const updates = after.updates - before.updates;
  process.stdout.write(
    `\n${2 * ids.length} checks: ${updates} rows of connections rewritten, ${after.hot - before.hot} of them within their page.\n`,
  );
}

async function sizes(): Promise<void> {
  const found = await pool.any(sql.type(z.object({ relname: z.string(), bytes: z.number(), rows: z.number() }))`
    SELECT relname, pg_total_relation_size(relid) AS bytes, n_live_tup AS rows FROM pg_stat_user_tables
    WHERE n_live_tup > 1000 ORDER BY bytes DESC
  `);
  table('Size on disk', [
    ['table', 'rows', 'MB', 'bytes a row'],
    ...found.map(({ relname, bytes, rows }) => [
      relname,
      rows.toLocaleString('en'),
      (bytes / 1e6).toFixed(0),
      (bytes / rows).toFixed(0),
    ]),
  ]);
  growth(new Map(found.map(({ relname, bytes, rows }) => [relname, bytes / rows])));
}

/** Prints how many bytes a hostname writes in a year, and how many of them are still kept at the end. */
function growth(bytesOf: ReadonlyMap<string, number>): void {
  const rows = A_YEAR.map(({ table: name, why, rows: made, days }) => {
    const bytes = made * (bytesOf.get(name) ?? 0);
    return { name, why, made, bytes, kept: (bytes * Math.min(days, 365)) / 365 };
  });
  table('Growth per hostname and year', [
    ['table', 'rows', 'why', 'bytes written', 'bytes kept at the end'],
    ...rows.map(({ name, made, why, bytes, kept }) => [name, String(made), why, bytes.toFixed(0), kept.toFixed(0)]),
  ]);
}
