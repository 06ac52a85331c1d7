import { pino } from 'pino';
import { checkOutbox, enqueue, STARTS_TOGETHER, takeDue, type BusyParties } from '../../src/db/outbox.ts';
import { createPool, none, sql, type Pool } from '../../src/db/pool.ts';
import { createTenant } from '../../src/db/tenant/tenants.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { createMetrics } from '../../src/metrics.ts';
import { openTemporal } from '../../src/temporal/client.ts';
import { relayDue } from '../../src/temporal/relay.ts';
import { createTestDatabase, type TestDatabase } from '../support/fixtures/database.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = await createPool(database.url, { max: 2, name: 'outbox' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

test('while Temporal is unreachable, the age of the oldest undelivered message grows, also between two attempts', async () => {
  const temporal = openTemporal({ TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}` }, 'test');
  const metrics = createMetrics();
  const relay = () => relayDue({ pool, temporal, log: pino({ level: 'silent' }), metrics });
  const oldest = async () => (await metrics.outboxOldestSeconds.get()).values[0]!.value;

  await relay();
  expect(await oldest()).toBe(0);
  await newConnection(pool, await createTenant(pool, 'Outbox'), 'shop.example-customer.com');
  expect(await relay()).toBe(1);
  const first = await oldest();
  expect(await relay()).toBe(0); // not due yet
  expect(await oldest()).toBeGreaterThan(first);
  await temporal.connection.close();
});

test('a tenant that adds many domains does not delay another tenant’s messages', async () => {
  const [many, few] = [await createTenant(pool, 'Many'), await createTenant(pool, 'Few')];
  for (let i = 0; i < 30; i++) await newConnection(pool, many, `shop${i}.many-customers.com`);
  const mine = await newConnection(pool, few, 'shop.few-customers.com');
  await enqueue(pool, mine, 'touch');

  const taken = await pool.transaction((tx) => takeDue(tx, ['connection'], 5));

  // The second message of this connection waits for the first: messages of one aggregate stay in order.
  expect(taken.filter(({ tenant_id }) => tenant_id === few.tenant_id)).toMatchObject([
    { aggregate_id: mine.id, kind: 'start' },
  ]);
  expect(taken).toHaveLength(5);
});

test('of the messages of one tenant, starts of live connections come first, and a busy environment starts none', async () => {
  await pool.query(sql.type(none)`DELETE FROM outbox`);
  const tenant = await createTenant(pool, 'Test and live');
  for (let i = 0; i < 30; i++) await newConnection(pool, tenant, `shop${i}.auto.test`);
  const mine = await newConnection(pool, tenant, 'shop.live-customers.com', { environment: 'live' });
  const take = (busy: BusyParties) => pool.transaction((tx) => takeDue(tx, ['connection'], 20, busy));

  const [first, ...others] = await take([]);
  expect(first?.aggregate_id).toBe(mine.id);
  expect(others).toHaveLength(STARTS_TOGETHER);
  const busy: BusyParties = [{ tenant_id: tenant.tenant_id, environment: 'test' }];
  expect((await take(busy)).map(({ aggregate_id }) => aggregate_id)).toEqual([mine.id]);
  expect(await checkOutbox(pool, ['connection'], busy)).toMatchObject({ isDue: true });
  await pool.query(sql.type(none)`DELETE FROM outbox WHERE aggregate_id = ${mine.id}`);
  expect(await checkOutbox(pool, ['connection'], busy)).toMatchObject({ isDue: false });
  expect(await checkOutbox(pool, ['connection'])).toMatchObject({ isDue: true });
});
