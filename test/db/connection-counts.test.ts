import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import pg from 'pg';
import { z } from 'zod';
import { archiveConnection, getConnection, lockConnection } from '../../src/db/connection/connections.ts';
import { foldCounts, readCounts, readSeries } from '../../src/db/connection/tenant-counts.ts';
import { transition } from '../../src/db/connection/transitions.ts';
import { migrate } from '../../src/db/migrate.ts';
import { asTenant, createPool, none, sql, type Pool } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { removeApplication, removeSome } from '../../src/db/zone/removal.ts';
import { MOVES, type Trigger } from '../../src/domain/connection/connection.ts';
import { countsOf, daysUntil, SECONDS_TO_LIVE, seriesOf } from '../../src/domain/connection/counts.ts';
import type { Finding } from '../../src/domain/observation/finding.ts';
import { asSuperuser, createTestDatabase, databaseUrl, type TestDatabase } from '../support/fixtures/database.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';
import { readRelease, restoreRelease } from '../upgrade/release-dump.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 8, name: 'counts' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const NOW = new Date();
const HOUR = 3_600_000;
const environments = ['test', 'live'] as const;
const DAYS = daysUntil(new Date(NOW.getTime() + 10 * 24 * HOUR), 90);

/** Returns what a tenant sees: the maintained counts. */
async function maintained(by: Pool, { tenant_id }: Pick<NewTenant, 'tenant_id'>) {
  return asTenant(by, tenant_id, async (tx) => ({
    counts: countsOf(await readCounts(tx, { environments })),
    series: seriesOf(DAYS, await readSeries(tx, { environments }, { first: DAYS[0]!, last: DAYS.at(-1)! })),
  }));
}

const Row = z.object({
  state: z.string(),
  certificate_status: z.string(),
  error_code: z.string().nullable(),
  dangling: z.boolean(),
  created_at: z.date(),
  live_at: z.date().nullable(),
  archived_at: z.date().nullable(),
});

/** Counts all rows of the tenant without the functions of the database. */
async function fullCount(by: Pool, { tenant_id }: Pick<NewTenant, 'tenant_id'>) {
  const rows = await by.any(sql.type(Row)`
    SELECT state, certificate_status, error_code, dangling, created_at, live_at, archived_at FROM connections
    WHERE tenant_id = ${tenant_id}
  `);
  const dayOf = (at: Date) => at.toISOString().slice(0, 10);
  const stepOf = (row: z.infer<typeof Row>) => {
    const seconds = (row.live_at!.getTime() - row.created_at.getTime()) / 1_000;
    return SECONDS_TO_LIVE.find((bound) => bound === null || seconds <= bound);
  };
  const isFailing = ({ state, certificate_status, error_code }: z.infer<typeof Row>) =>
    state !== 'archived' &&
    (['failed', 'expired'].includes(certificate_status) ||
      ['cert_failed', 'ca_rate_limited', 'caa_blocked', 'edge_unreachable'].includes(error_code ?? ''));
  const count = (isWanted: (row: z.infer<typeof Row>) => boolean) => rows.filter(isWanted).length;
  const happened = (column: 'created_at' | 'live_at' | 'archived_at', day: string) =>
    count((row) => row[column] !== null && dayOf(row[column]) === day);
  const empty = countsOf([]);
  return {
    counts: {
      total: rows.length,
      by_state: Object.fromEntries(
        Object.keys(empty.by_state).map((state) => [state, count((row) => row.state === state)]),
      ),
      attention: {
        ...empty.attention,
        stalled: count((row) => row.state === 'stalled'),
        drifted: count((row) => row.state === 'drifted'),
        failing_certificates: count(isFailing),
        dangling: count((row) => row.dangling),
      },
    },
    series: {
      days: DAYS.map((day) => ({
        day,
        created: happened('created_at', day),
        live: happened('live_at', day),
        archived: happened('archived_at', day),
      })),
      seconds_to_live: SECONDS_TO_LIVE.map((up_to) => ({
        up_to,
        count: count((row) => row.live_at !== null && stepOf(row) === up_to),
      })),
    },
  };
}

const label = () => `n${randomUUID().slice(0, 12)}`;

/** A step that picks a connection and one of its transitions by numbers. */
interface Step {
  connection: number;
  choice: number;
  afterHours: number;
  isAborted: boolean;
}
const steps = fc.array(
  fc.record({
    connection: fc.nat({ max: 4 }),
    choice: fc.nat({ max: 9 }),
    afterHours: fc.constantFrom(0, 0.002, 0.01, 0.5, 5, 30, 100),
    isAborted: fc.boolean(),
  }),
  { maxLength: 30 },
);

class Aborted extends Error {}

/** Makes one transition in a transaction of its own, and rolls some of them back. */
async function take(ids: readonly string[], { connection, choice, afterHours, isAborted }: Step): Promise<void> {
  const now = new Date(NOW.getTime() + afterHours * HOUR);
  try {
    await pool.transaction(async (tx) => {
      const row = (await lockConnection(tx, ids[connection]!))!;
      const triggers: readonly Trigger[] = [...(Object.keys(MOVES[row.state]) as Trigger[]), 'archive'];
      const trigger = triggers[choice % triggers.length]!;
      if (row.state === 'archived')
        await tx.query(sql.type(none)`UPDATE connections SET dangling = NOT dangling WHERE id = ${row.id}`);
      else if (trigger === 'archive') await archiveConnection(tx, row, now);
      else
        await transition(tx, row, trigger, {
          now,
          error_code: choice % 3 === 0 ? 'cert_failed' : null,
          certificate_status: choice % 4 === 0 ? 'expired' : 'issued',
        });
      if (isAborted) throw new Aborted();
    });
  } catch (error) {
    if (!(error instanceof Aborted)) throw error;
  }
}

test('after any transitions, one after the other or at the same time, the counts equal a full count', async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, fc.boolean(), async (one, other, isFolded) => {
      const tenant = await createTenant(pool, label());
      const made = await Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          newConnection(pool, tenant, `${label()}.test`, { environment: environments[index % 2]! }),
        ),
      );
      const ids = made.map(({ id }) => id);
      for (const step of one) await take(ids, step);
      if (isFolded) await foldCounts(pool);
      const during = Promise.all([foldCounts(pool), foldCounts(pool)]);
      await Promise.all(other.map((step) => take(ids, step)));
      await during;

      const expected = await fullCount(pool, tenant);
      expect(await maintained(pool, tenant)).toEqual(expected);
      await foldCounts(pool);
      expect(await maintained(pool, tenant)).toEqual(expected);
    }),
    { numRuns: 12 },
  );
});

const sumsOf = (tenantId: string) =>
  pool.one(sql.type(z.object({ rows: z.number(), fresh: z.number() }))`
    SELECT count(*) AS rows, count(*) FILTER (WHERE NOT folded) AS fresh FROM connection_counts WHERE tenant_id = ${tenantId}
  `);

test('a fold leaves one row for each count, and none for a count of zero', async () => {
  const tenant = await createTenant(pool, label());
  for (let i = 0; i < 4; i++) await newConnection(pool, tenant, `${label()}.test`);
  expect((await sumsOf(tenant.tenant_id)).fresh).toBeGreaterThan(4);

  await foldCounts(pool);

  // Two kinds: the state, and the day of creation. No connection stays in the state `created`.
  expect(await sumsOf(tenant.tenant_id)).toEqual({ rows: 2, fresh: 0 });
});

test('transactions of one application that both change counts do not wait for each other', async () => {
  const tenant = await createTenant(pool, label());
  const [one, other] = [
    await newConnection(pool, tenant, `${label()}.test`),
    await newConnection(pool, tenant, `${label()}.test`),
  ];
  await pool.transaction(async (open) => {
    await transition(open, (await getConnection(open, one.id))!, 'checkStarted', { now: NOW });
    await pool.transaction(async (tx) => {
      await tx.query(sql.type(none)`SET LOCAL lock_timeout = '2s'`);
      await transition(tx, (await getConnection(tx, other.id))!, 'checkStarted', { now: NOW });
    });
  });
  expect((await maintained(pool, tenant)).counts.by_state).toMatchObject({ verifying: 2, pending_ownership: 0 });
});

test('the counts of a removed application are gone, even if a fold runs at the same time', async () => {
  const tenant = await createTenant(pool, label());
  for (let i = 0; i < 3; i++) {
    const { id } = await newConnection(pool, tenant, `${label()}.test`);
    await pool.transaction(async (tx) => archiveConnection(tx, (await lockConnection(tx, id))!, NOW));
  }
  await pool.query(sql.type(none)`UPDATE connections SET cleanup = 'done' WHERE tenant_id = ${tenant.tenant_id}`);
  await foldCounts(pool);
  await Promise.all([removeSome(pool, tenant.test.application_id, NOW), foldCounts(pool)]);
  await Promise.all([pool.transaction((tx) => removeApplication(tx, tenant.test.application_id)), foldCounts(pool)]);

  expect(await sumsOf(tenant.tenant_id)).toEqual({ rows: 0, fresh: 0 });
});

test('a recount corrects wrong counts, and adds nothing to right ones', async () => {
  const tenant = await createTenant(pool, label());
  await newConnection(pool, tenant, `${label()}.test`);
  await pool.query(sql.type(none)`UPDATE connection_counts SET quantity = 7 WHERE tenant_id = ${tenant.tenant_id}`);
  await pool.query(sql.type(none)`SELECT FROM recount_connections()`);
  expect(await maintained(pool, tenant)).toEqual(await fullCount(pool, tenant));

  const before = await sumsOf(tenant.tenant_id);
  await pool.query(sql.type(none)`SELECT FROM recount_connections()`);
  expect(await sumsOf(tenant.tenant_id)).toEqual(before);
});

const codesOf = async (id: string) =>
  (
    await pool.anyFirst(sql.type(z.object({ code: z.string() }))`
      SELECT code FROM connection_findings WHERE connection_id = ${id} ORDER BY code
    `)
  ).join();

test('the codes of findings follow the findings of the connection', async () => {
  const tenant = await createTenant(pool, label());
  const { id } = await newConnection(pool, tenant, `${label()}.test`);
  const finding = (code: Finding['code']): Finding => ({ code, severity: 'error', message: 'm', fix: null });
  const check = (codes: Finding['code'][]) =>
    pool.transaction(async (tx) => {
      const row = (await getConnection(tx, id))!;
      const trigger = row.state === 'verifying' ? 'challengeAbsent' : 'checkStarted';
      await transition(tx, row, trigger, { now: NOW, findings: codes.map(finding) });
    });
  await check(['missing', 'missing', 'proxied']);
  expect(await codesOf(id)).toBe('missing,proxied');
  await check(['proxied', 'stale_aaaa']);
  expect(await codesOf(id)).toBe('proxied,stale_aaaa');
  await check([]);
  expect(await codesOf(id)).toBe('');
});

test('connections of an earlier release are counted by the migration, and their findings can be listed', async () => {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asSuperuser(`CREATE DATABASE ${name}`);
  const client = new pg.Client({ connectionString: databaseUrl(name) });
  await restoreRelease(databaseUrl(name), readRelease('0.1.0'));
  await client.connect();
  await client.query(
    `UPDATE connections SET findings = '[{"code": "proxied"}, {"code": "proxied"}]' WHERE state = 'stalled'`,
  );
  await migrate(databaseUrl(name));
  const migrated = await createPool(databaseUrl(name), { max: 2, name: 'migrated' });
  try {
    const tenants = await migrated.any(
      sql.type(z.object({ tenant_id: z.uuid() }))`SELECT DISTINCT tenant_id FROM connections`,
    );
    expect(tenants.length).toBeGreaterThan(0);
    for (const tenant of tenants) expect(await maintained(migrated, tenant)).toEqual(await fullCount(migrated, tenant));
    const { rows } = await client.query<{ id: string }>(
      "SELECT id FROM connections WHERE state = 'stalled' ORDER BY id",
    );
    const found = await client.query<{ id: string }>(
      "SELECT connection_id AS id FROM connection_findings WHERE code = 'proxied' ORDER BY 1",
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(found.rows).toEqual(rows);
  } finally {
    await migrated.end();
    await client.end();
    await asSuperuser(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
});
