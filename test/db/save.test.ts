import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createBatch } from '../../src/db/connection/batches.ts';
import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { getConnection } from '../../src/db/connection/connections.ts';
import { save, type Decision } from '../../src/db/connection/save.ts';
import { createPool, none, sql, type Pool, type Tx } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import type { RecordsCheck } from '../../src/domain/observation/check.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';
import { testProviderAccess } from '../support/fixtures/provider-access.ts';
import { subscribe } from '../support/fixtures/subscribe.ts';
import { until } from '../support/until.ts';

let database: TestDatabase;
let pool: Pool;
let tenant: NewTenant;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 8, name: 'save' });
  tenant = await createTenant(pool, 'Save');
  const { vault } = testProviderAccess(pool);
  await subscribe({ pool, vault }, tenant, { url: 'https://receiver.saas-product.com/hooks' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const now = new Date('2026-11-19T10:00:00Z');
const check: RecordsCheck = {
  verdict: 'match',
  sentence: 'There.',
  findings: [],
  providers: null,
  nameservers: null,
  evidence: null,
  records: [],
};
const proves: Decision = {
  observation: { purpose: 'challenge', check, now },
  moves: [
    { trigger: 'challengeSeen', from: 'verifying', change: { now, reason: 'Proved.', last_checked_at: now } },
    { trigger: 'credentialFound', change: { now, setup_type: 'automatic', next_check_at: now } },
    { trigger: 'written', change: { now, reason: 'Written.', provider: 'powerdns' } },
  ],
  ifClaimHeld: { trigger: 'claimHeldElsewhere', from: 'verifying', change: { now, error_code: 'hostname_conflict' } },
};
const create = async (hostname: string) => read(await newConnection(pool, tenant, hostname));
const read = async ({ id }: { id: string }): Promise<ConnectionRow> => (await getConnection(pool, id))!;
/** Another process changes the row, without a transition. */
const changeMeanwhile = ({ id }: ConnectionRow) =>
  pool.query(sql.type(none)`UPDATE connections SET external_id = ${randomUUID()} WHERE id = ${id}`);

/** Returns everything that a decision leaves behind, without ids. */
async function traces({ id }: ConnectionRow) {
  const own = new Set(['id', 'hostname', 'challenge_token', 'revision', 'external_id', 'created_at']);
  const row = Object.fromEntries(Object.entries(await read({ id })).filter(([name]) => !own.has(name)));
  const timeline = await pool.any(
    sql.type(
      z.object({ at: z.date(), kind: z.string(), from_state: z.string().nullable(), to_state: z.string().nullable(), reason: z.string().nullable() }), // prettier-ignore
    )`SELECT at, kind, from_state, to_state, reason FROM timeline WHERE connection_id = ${id} ORDER BY id OFFSET 1`,
  );
  const events = await pool.any(sql.type(
    z.object({ type: z.string(), sequence: z.number(), at: z.date(), state: z.string(), deliveries: z.number() }),
  )`
    SELECT type, sequence, at, data -> 'connection' ->> 'state' AS state,
      (SELECT count(*) FROM webhook_deliveries WHERE event_id = events.id) AS deliveries
    FROM events WHERE connection_id = ${id} ORDER BY sequence OFFSET 1`);
  const observations = await pool.any(sql.type(
    z.object({ purpose: z.string(), verdict: z.string(), checks: z.number() }),
  )`
    SELECT purpose, verdict, looks AS checks FROM observations WHERE connection_id = ${id} ORDER BY id`);
  return { row, timeline, events, observations };
}

test('a decision saved by one statement leaves the same row, timeline, events and observation as under a lock', async () => {
  const [quick, slow] = [await create('quick.save-customers.com'), await create('slow.save-customers.com')];
  await changeMeanwhile(slow);

  const decisions: string[] = [];
  const saved = [];
  for (const row of [quick, slow])
    saved.push(
      await save(pool, row, ({ hostname }) => {
        decisions.push(hostname);
        return proves;
      }),
    );

  const [left, right] = [await traces(quick), await traces(slow)];
  expect(left).toEqual(right);
  expect(decisions).toEqual([quick.hostname, slow.hostname, slow.hostname]); // decided again under the lock
  expect(left.row['state']).toBe('propagating');
  expect(left.timeline.map(({ from_state, to_state }) => [from_state, to_state])).toEqual([
    ['pending_ownership', 'verified'],
    ['verified', 'dns_writing'],
    ['dns_writing', 'propagating'],
  ]);
  expect(left.events).toEqual([{ type: 'domain.verified', sequence: 2, at: now, state: 'verified', deliveries: 1 }]);
  expect(left.observations).toEqual([{ purpose: 'challenge', verdict: 'match', checks: 1 }]);
  // `save` returns the row as the database holds it, so the next decision about it needs no lock either.
  expect(saved[0]).toEqual(await read(quick));
  expect(saved[1]).toEqual(await read(slow));
});

test('a decision about a row that another process has moved is made again, for the row as it is', async () => {
  const stale = await create('moved.save-customers.com');
  await save(pool, stale, () => proves);

  const seen: string[] = [];
  const after = await save(pool, stale, ({ state }) => {
    seen.push(state);
    return state === 'pending_ownership' ? proves : undefined;
  });

  expect(seen).toEqual(['pending_ownership', 'propagating']);
  expect(after).toEqual(await read(stale));
  expect((await traces(stale)).events).toHaveLength(1); // the event was not doubled
});

test('a check that changes nothing saves its times only, and never over the times of a later check', async () => {
  const row = await create('still.save-customers.com');
  const at = (minute: number) => new Date(now.getTime() + minute * 60_000);
  const times = (minute: number): Decision => ({
    moves: [{ trigger: null, change: { now: at(minute), last_checked_at: at(minute), next_check_at: at(minute + 5) } }],
  });
  const first = await save(pool, row, () => times(0));
  const later = await save(pool, first, () => times(2));
  expect(later).toEqual(await read(row));

  const outrun = await save(pool, first, ({ last_checked_at }) =>
    last_checked_at!.getTime() > at(1).getTime() ? undefined : times(1),
  );

  expect(outrun).toEqual(later);
  expect(await read(row)).toEqual(later);
});

test('of many processes that prove the same hostname at the same time, one takes the claim and the others report the conflict', async () => {
  const tenants = await Promise.all(Array.from({ length: 6 }, (_, n) => createTenant(pool, `Rival ${n}`)));
  const rows = await Promise.all(tenants.map((each) => newConnection(pool, each, 'rival.save-customers.com')));

  const states = (await Promise.all(rows.map((row) => save(pool, row, () => proves)))).map(({ state }) => state);

  expect(states.toSorted()).toEqual([...Array<string>(5).fill('pending_ownership'), 'propagating']);
  const refused = (await Promise.all(rows.map(read))).filter(({ error_code }) => error_code === 'hostname_conflict');
  expect(refused).toHaveLength(5);
});

test('of many processes that decide about one row at the same time, every one decides about what the others left', async () => {
  const row = await create('busy.save-customers.com');
  const count = (one: ConnectionRow) => one.mismatch_count + 1;

  await Promise.all(
    Array.from({ length: 12 }, () =>
      save(pool, row, (one) => ({ moves: [{ trigger: null, change: { now, mismatch_count: count(one) } }] })),
    ),
  );

  expect((await read(row)).mismatch_count).toBe(12);
});

describe('a batch completes when a connection that it names comes to rest,', () => {
  const fails: Decision = {
    moves: [{ trigger: 'ownershipTimedOut', change: { now, error_code: 'ownership_timeout' } }],
  };
  async function nameIn(tx: Tx, { id, hostname }: ConnectionRow): Promise<string> {
    const batch = { id: randomUUID(), tenant_id: tenant.tenant_id, application_id: tenant.test.application_id };
    const named = { hostname, external_id: null, result: 'existing', connection_id: id, problem: null } as const;
    await createBatch(tx, { ...batch, environment: 'test', now }, [named]);
    return batch.id;
  }
  const isComplete = (batch: string) =>
    pool.oneFirst(sql.type(z.object({ complete: z.boolean() }))`
      SELECT unsettled = 0 AND completed_at IS NOT NULL AS complete FROM batches WHERE id = ${batch}
    `);

  test('if the row was read before the batch', async () => {
    const row = await create('before.save-customers.com');
    const batch = await pool.transaction((tx) => nameIn(tx, row));
    expect((await save(pool, row, () => fails)).state).toBe('failed');
    expect(await isComplete(batch)).toBe(true);
  });

  test('if the row was read after the batch', async () => {
    const row = await create('after.save-customers.com');
    const batch = await pool.transaction((tx) => nameIn(tx, row));
    expect((await save(pool, await read(row), () => fails)).state).toBe('failed');
    expect(await isComplete(batch)).toBe(true);
  });

  test('if the batch is committed while the decision is saved', async () => {
    const row = await create('during.save-customers.com');
    const { held, commit, ended } = await hold((tx) => nameIn(tx, row));
    const saving = save(pool, row, () => fails);
    await until(isAnyoneWaiting);
    commit();
    await ended;
    expect((await saving).state).toBe('failed');
    expect(await isComplete(held)).toBe(true);
  });

  test('if the connection comes to rest while the batch waits for its row', async () => {
    const row = await create('first.save-customers.com');
    const { commit, ended } = await hold((tx) =>
      tx.query(sql.type(none)`UPDATE connections SET state = 'failed', version = version + 1 WHERE id = ${row.id}`),
    );
    const naming = pool.transaction((tx) => nameIn(tx, row));
    await until(isAnyoneWaiting);
    commit();
    await ended;
    expect(await isComplete(await naming)).toBe(true);
  });

  /** Does something in a transaction that stays open until `commit`. */
  async function hold<T>(body: (tx: Tx) => Promise<T>) {
    const [begun, over] = [Promise.withResolvers<T>(), Promise.withResolvers<undefined>()];
    const ended = pool.transaction(async (tx) => {
      begun.resolve(await body(tx));
      await over.promise;
    });
    return { held: await begun.promise, commit: () => over.resolve(undefined), ended };
  }

  const isAnyoneWaiting = () =>
    pool.exists(sql.type(none)`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
    `);
});
