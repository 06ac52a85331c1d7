import { z } from 'zod';
import type { ServiceClient } from '../../client/index.ts';
import { archiveConnection, getConnection, lockConnection } from '../../src/db/connection/connections.ts';
import { releaseStarts } from '../../src/db/connection/held-starts.ts';
import { none, sql } from '../../src/db/pool.ts';
import { findOverdue } from '../../src/db/connection/reconcile.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { transition } from '../../src/db/connection/transitions.ts';
import { expectData, someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { send } from '../support/http.ts';

let api: TestApi;
let tenant: NewTenant;
let client: ServiceClient;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
  client = api.client(tenant.live.key);
});
afterAll(() => api.stop());

type Entry = string | { hostname: string; external_id?: string };
const post = (hostnames: Entry[], key?: string, by = client, application = tenant.live.application_id) =>
  by.POST('/v1/batches', {
    body: { application_id: application, hostnames },
    ...(key === undefined ? {} : { headers: { 'Idempotency-Key': key } }),
  });
const read = async (id: string, query: { limit?: number; cursor?: string } = {}) =>
  expectData(await client.GET('/v1/batches/{id}', { params: { path: { id }, query } }));

async function move(id: string, ...triggers: Parameters<typeof transition>[2][]): Promise<void> {
  await api.deps.pool.transaction(async (tx) => {
    for (const trigger of triggers) await transition(tx, (await getConnection(tx, id))!, trigger, { now: new Date() });
  });
}
const archive = (id: string) =>
  api.deps.pool.transaction(async (tx) => archiveConnection(tx, (await lockConnection(tx, id))!, new Date()));
const completions = (id: string) =>
  api.deps.pool.any(sql.type(z.object({ data: z.unknown() }))`
    SELECT data FROM events WHERE type = 'batch.completed' AND data #>> '{batch,batch_id}' = ${id}
  `);
const PROVE = ['checkStarted', 'challengeSeen'] as const;

test('every row has a result: created, existing, conflict or invalid with a suggestion', async () => {
  const [fresh, waiting, held] = [someName(), someName(), someName()];
  const other = await api.tenant();
  const foreign = expectData(await post([held], undefined, api.client(other.live.key), other.live.application_id));
  await move(foreign.rows[0]!.connection_id!, ...PROVE);
  const before = expectData(
    await client.POST('/v1/connections', { body: { application_id: tenant.live.application_id, hostname: waiting } }),
  );

  const { data, response } = await post([
    { hostname: ` ${fresh.toUpperCase()}. `, external_id: 'customer-1' },
    waiting,
    held,
    `https://${fresh}/shop`,
    { hostname: fresh, external_id: 'customer-1' },
    fresh,
  ]);

  expect(response.status).toBe(201);
  const batch = data!;
  expect(batch.rows.map(({ row, hostname, external_id, result }) => [row, hostname, external_id, result])).toEqual([
    [1, fresh, 'customer-1', 'created'],
    [2, waiting, null, 'existing'],
    [3, held, null, 'conflict'],
    [4, `https://${fresh}/shop`, null, 'invalid'],
    [5, fresh, 'customer-1', 'existing'],
    [6, fresh, null, 'invalid'],
  ]);
  expect(batch.rows[1]!.connection_id).toBe(before.id);
  expect(batch.rows[1]!.ownership_challenge).toEqual(before.ownership_challenge);
  expect(batch.rows[2]).toMatchObject({ connection_id: null, problem: { code: 'hostname_conflict' } });
  expect(batch.rows[3]!.problem).toMatchObject({ code: 'scheme', suggestion: fresh });
  expect(batch.rows[4]!.connection_id).toBe(batch.rows[0]!.connection_id);
  expect(batch.rows[5]!.problem).toEqual({
    code: 'duplicate_hostname',
    message: 'Row 1 has the same hostname with another external_id. Only one of them can be connected.',
  });
  expect(batch).toMatchObject({
    total: 6,
    results: { created: 1, existing: 2, conflict: 1, invalid: 2, quota_exceeded: 0 },
    states: { pending_ownership: 2 },
    completed_at: null,
  });
});

test('a batch of a thousand with duplicates creates each hostname once, and batch_id finds its connections', async () => {
  const names = Array.from({ length: 800 }, () => someName());
  const batch = expectData(await post([...names, ...names.slice(0, 200)]));

  expect(batch.results).toEqual({ created: 800, existing: 200, conflict: 0, invalid: 0, quota_exceeded: 0 });
  const ids = batch.rows.map(({ connection_id }) => connection_id);
  expect(new Set(ids).size).toBe(800);
  expect(ids.slice(800)).toEqual(ids.slice(0, 200));
  const query = { batch_id: batch.batch_id, limit: 100 };
  const page = expectData(await client.GET('/v1/connections', { params: { query } }));
  expect(page.data).toHaveLength(100);
  expect(page.data.every(({ batch_id }) => batch_id === batch.batch_id)).toBe(true);
});

test('the same key and body return the same batch, and another body is refused', async () => {
  const [first, second] = [someName(), someName()];
  const made = expectData(await post([first], 'import-1'));

  const again = await post([first], 'import-1');
  const other = await post([second], 'import-1');

  expect(again.data).toEqual(made);
  expect(again.response.headers.get('idempotent-replayed')).toBe('true');
  expect(other.response.status).toBe(422);
});

test('a batch that is interrupted leaves nothing, and a retry with its key runs again', async () => {
  const names = Array.from({ length: 300 }, () => someName()).toSorted();
  // The server closes the transaction's connection at this hostname, as a crash of either side would.
  await api.deps.pool.query(sql.type(none)`
    CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
      PERFORM pg_terminate_backend(pg_backend_pid());
      RETURN NEW;
    END $$
  `);
  await api.deps.pool.query(
    sql.type(none)`
      CREATE TRIGGER dies BEFORE INSERT ON connections FOR EACH ROW
      WHEN (NEW.hostname = ${sql.literalValue(names[150]!)}) EXECUTE FUNCTION die()
    `,
  );

  const broken = await post(names, 'import-2');
  const left = await client.GET('/v1/connections', { params: { query: { hostname: names[0]! } } });
  await api.deps.pool.query(sql.type(none)`DROP TRIGGER dies ON connections`);
  const tried = await post(names, 'import-2');

  expect(broken.response.status).toBe(503);
  expect(expectData(left).data).toEqual([]);
  expect(expectData(tried).results.created).toBe(300);
});

test('two concurrent batches of the same hostnames create one connection for each', async () => {
  const names = Array.from({ length: 60 }, () => someName());

  const both = await Promise.all([post(names), post(names.toReversed())]);

  const [one, other] = both.map((answer) => expectData(answer));
  expect(one!.results.created + other!.results.created).toBe(60);
  expect(one!.results.existing + other!.results.existing).toBe(60);
});

test('a batch completes when its last connection finishes, sends one event, and lists failures in order', async () => {
  const [first, second, third] = [someName(), someName(), someName()];
  const batch = expectData(await post(['*.wrong', first, second, third, first]));
  const ids = batch.rows.map(({ connection_id }) => connection_id ?? '');

  await move(ids[1]!, 'ownershipTimedOut');
  await archive(ids[2]!);
  const before = await read(batch.batch_id);
  const page = await read(batch.batch_id, { limit: 1 });
  const rest = await read(batch.batch_id, { cursor: page.failures.next_cursor! });
  const sent = await completions(batch.batch_id);
  await move(ids[3]!, ...PROVE, 'recordsAddedManually', 'recordsSeen', 'certificateSeen');
  await archive(ids[1]!); // it failed before, so it had already finished

  expect([before.completed_at, sent]).toEqual([null, []]);
  const after = await read(batch.batch_id);
  expect(after.completed_at).not.toBeNull();
  expect(after.states).toEqual({ archived: 2, live: 1 });
  expect(before.failures.data.map(({ row, state, result }) => [row, state, result])).toEqual([
    [1, null, 'invalid'],
    [2, 'failed', 'created'],
    [5, 'failed', 'existing'],
  ]);
  expect([page.failures.data, rest.failures.data].map((rows) => rows.map(({ row }) => row))).toEqual([[1], [2, 5]]);
  expect(await completions(batch.batch_id)).toMatchObject([
    { data: { batch: { batch_id: batch.batch_id, total: 5 } } },
  ]);
});

test('two last connections that finish at the same time complete the batch once', async () => {
  const batch = expectData(await post(Array.from({ length: 12 }, () => someName())));

  await Promise.all(batch.rows.map(({ connection_id }) => archive(connection_id!)));

  expect((await read(batch.batch_id)).completed_at).not.toBeNull();
  expect(await completions(batch.batch_id)).toHaveLength(1);
});

test('a batch whose rows are all refused is complete immediately', async () => {
  const batch = expectData(await post(['nowhere', 'http://']));

  expect(batch.completed_at).not.toBeNull();
  expect(await completions(batch.batch_id)).toHaveLength(1);
});

test('bodies up to 512 kB are accepted, larger ones and 1,001 hostnames are refused', async () => {
  const body = (size: number, count: number) => ({
    application_id: tenant.live.application_id,
    hostnames: Array.from({ length: count }, (_, index) => `${index}-${'x'.repeat(size)}`),
  });
  const status = async (json: object) =>
    (await send('POST', `${api.baseUrl}/v1/batches`, { credential: tenant.live.key, body: json })).status;

  expect(await status(body(500, 1_000))).toBe(201);
  expect(await status(body(520, 1_000))).toBe(413);
  expect(await status(body(5, 1_001))).toBe(400);
  expect(await status(body(5, 0))).toBe(400);
});

test('connections of a batch start as earlier ones are checked, and slower next to a single connect; the reconciler does not start the rest', async () => {
  const { pool } = api.deps;
  const owner = await api.tenant();
  const names = Array.from({ length: 5 }, () => someName());
  await pool.query(sql.type(none)`DELETE FROM held_starts`);
  await pool.query(sql.type(none)`UPDATE connections SET phase_started_at = now() - interval '1 minute'`);
  const batch = expectData(await post(names, undefined, api.client(owner.live.key), owner.live.application_id));
  const started = () =>
    pool.anyFirst(sql.type(z.object({ hostname: z.string() }))`
      SELECT hostname FROM outbox JOIN connections ON connections.id = aggregate_id
      WHERE outbox.kind = 'start' AND outbox.tenant_id = ${owner.tenant_id} AND batch_id IS NOT NULL ORDER BY outbox.id
    `);
  const recordCheck = (hostname: string) =>
    pool.query(sql.type(none)`
      UPDATE checks SET last_checked_at = now() FROM connections WHERE connections.id = connection_id AND hostname = ${hostname}
    `);
  const atFirst = await started();
  expect(await releaseStarts(pool, 2)).toBe(4);
  await releaseStarts(pool, 2);
  const alone = await started();

  await pool.query(sql.type(none)`
    UPDATE checks SET due_at = now() - interval '1 hour' FROM connections
    WHERE connections.id = connection_id AND batch_id = ${batch.batch_id}
  `);
  const orphans = (await findOverdue(pool, null)).map(({ hostname }) => hostname);

  const single = expectData(
    await api.client(owner.live.key).POST('/v1/connections', {
      body: { application_id: owner.live.application_id, hostname: someName() },
    }),
  );
  await recordCheck(alone[0]!);
  await releaseStarts(pool, 2);
  const nextToASingle = await started();
  await recordCheck(alone[1]!);
  await releaseStarts(pool, 2);
  const afterBoth = await started();
  await recordCheck(single.hostname);
  await releaseStarts(pool, 2);

  expect([atFirst, alone, nextToASingle, afterBoth, await started()].map(({ length }) => length)).toEqual([
    1, 2, 2, 3, 4,
  ]);
  expect(orphans.filter((name) => names.includes(name))).toEqual([]);
});

test('hostnames that wait for their target to move do not hold up the starts of others', async () => {
  const { pool } = api.deps;
  await pool.query(sql.type(none)`DELETE FROM held_starts`);
  await pool.query(sql.type(none)`UPDATE connections SET phase_started_at = now() - interval '1 minute'`);
  const owner = await api.tenant();
  const names = [someName(), someName(), someName()];
  expectData(await post(names, undefined, api.client(owner.live.key), owner.live.application_id));
  const waiting = () =>
    pool.oneFirst(sql.type(z.object({ held: z.number() }))`
      SELECT count(*) AS held FROM held_starts WHERE tenant_id = ${owner.tenant_id} AND released_at IS NULL
    `);
  await releaseStarts(pool, 1);
  await releaseStarts(pool, 1);
  const one = await waiting();
  const becomes = (proof: string) =>
    pool.query(sql.type(none)`
      UPDATE connections SET state = 'propagating', proof = ${proof} FROM held_starts
      WHERE connections.id = connection_id AND released_at IS NOT NULL AND connections.tenant_id = ${owner.tenant_id}
    `);

  await becomes('txt');
  await releaseStarts(pool, 1);
  const whilePropagating = await waiting();
  await becomes('cname_target');
  await releaseStarts(pool, 1);

  expect([one - whilePropagating, whilePropagating - (await waiting())]).toEqual([0, 1]);
});
