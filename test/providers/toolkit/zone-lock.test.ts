import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { createPool, none, sql, type Pool } from '../../../src/db/pool.ts';
import { inProcessZoneLock } from '../../../src/providers/toolkit/zone-lock.ts';
import { sharedZoneLock } from '../../../src/provisioning/zone-lock.ts';
import { createTestDatabase, type TestDatabase } from '../../support/fixtures/database.ts';
import { source, startScript } from '../../support/node-script.ts';

test('tasks of one zone run one at a time and in order, even after a failure; another zone’s tasks run concurrently', async () => {
  const lock = inProcessZoneLock();
  const log: string[] = [];
  const task = (name: string) => async () => {
    log.push(`${name} begins`);
    await turn();
    log.push(`${name} ends`);
    if (name === 'one') throw new Error('failed');
  };
  const settled = await Promise.allSettled([
    lock.run('a', task('one')),
    lock.run('a', task('two')),
    lock.run('b', task('three')),
  ]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(log.filter((line) => !line.startsWith('three'))).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  expect(log.indexOf('three begins')).toBeLessThan(log.indexOf('two begins'));
});

test('a writer that gives up leaves the queue, and two writers never run at the same time', async () => {
  const lock = inProcessZoneLock();
  const inside = Promise.withResolvers<undefined>();
  const first = lock.run('a', () => inside.promise);
  await expect(lock.run('a', () => Promise.resolve('second'), { timeoutMs: 20 })).rejects.toMatchObject({
    code: 'transient',
    mayHaveChanged: false,
  });
  let isInside = false;
  const third = lock.run('a', () => Promise.resolve((isInside = true)));
  await pause(20);
  expect(isInside).toBe(false);
  inside.resolve(undefined);
  await Promise.all([first, third]);
  expect(isInside).toBe(true);
});

describe('the lock that processes share', () => {
  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = await createPool(database.url, { max: 2, name: 'lock' });
    await pool.query(sql.type(none)`CREATE TABLE shared_value (value integer NOT NULL)`);
    await pool.query(sql.type(none)`INSERT INTO shared_value VALUES (0)`);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  const shared = () => pool.oneFirst(sql.type(z.object({ value: z.number() }))`SELECT value FROM shared_value`);

  test('two processes that read, wait and write lose none of each other’s writes', async () => {
    const script = `
      const { createPool, sql } = await import('${source('db/pool.ts')}');
      const { sharedZoneLock } = await import('${source('provisioning/zone-lock.ts')}');
      const { z } = await import('zod');
      const { setTimeout: pause } = await import('node:timers/promises');
      const pool = await createPool('${database.url}', { max: 2, name: 'child' });
      const lock = sharedZoneLock(pool);
      await Promise.all(Array.from({ length: 10 }, () => lock.run('zone', async (lease) => {
        const value = await pool.oneFirst(sql.type(z.object({ value: z.number() }))\`SELECT value FROM shared_value\`);
        await pause(5);
        await lease.confirm();
        await pool.query(sql.type(z.object({}))\`UPDATE shared_value SET value = \${value + 1}\`);
      })));
      await lock.close();
      console.log('done');
      await pool.end();
    `;
    const children = [startScript(script), startScript(script)];
    expect(await Promise.all(children.map((child) => child.nextLine()))).toEqual(['done', 'done']);
    expect(await shared()).toBe(20);
  });

  test('while a provider is slow, the lock holds no pool connection', async () => {
    const locks = [sharedZoneLock(pool), sharedZoneLock(pool)];
    const slow = Promise.withResolvers<undefined>();
    const writers = Array.from({ length: 20 }, (_, i) => locks[i % 2]!.run('slow zone', () => slow.promise));
    for (let i = 0; i < 20; i++) expect(await shared()).toBe(20);
    slow.resolve(undefined);
    await Promise.all(writers);
  });

  test('a holder whose lease was taken over is refused before it writes', async () => {
    let now = 0;
    const lock = sharedZoneLock(pool, () => now);
    const stalled = lock.run('stolen', async (lease) => {
      await lease.confirm(); // fresh
      now = 20_000;
      await pool.query(sql.type(none)`UPDATE zone_leases SET expires_at = now() - interval '1 second'`);
      await sharedZoneLock(pool).run('stolen', () => Promise.resolve());
      await lease.confirm();
    });
    await expect(stalled).rejects.toMatchObject({ code: 'transient', mayHaveChanged: false });
  });

  const leases = () => pool.oneFirst(sql.type(z.object({ count: z.number() }))`SELECT count(*) FROM zone_leases`);

  test('writers of one process that follow one another share a lease, and it ends soon after the last', async () => {
    await pool.query(sql.type(none)`DELETE FROM zone_leases`);
    const holder = () => pool.oneFirst(sql.type(z.object({ holder: z.string() }))`SELECT holder FROM zone_leases`);
    const lock = sharedZoneLock(pool);
    const holders = await Promise.all([lock.run('followed', holder), lock.run('followed', holder)]);
    expect(holders[0]).toBe(holders[1]);
    await pause(200);
    expect(await leases()).toBe(0);
  });

  test('a process that wants the same zone again and again ends its lease after a second', async () => {
    let now = 0;
    const lock = sharedZoneLock(pool, () => now);
    const holder = () =>
      pool.oneFirst(sql.type(z.object({ holder: z.string() }))`SELECT holder FROM zone_leases LIMIT 1`);
    const first = await lock.run('wanted', holder);
    now = 1_000;
    expect(await lock.run('wanted', holder)).not.toBe(first);
    await lock.close();
  });

  test('a process that closes leaves no lease behind', async () => {
    await pool.query(sql.type(none)`DELETE FROM zone_leases`);
    const lock = sharedZoneLock(pool);
    await Promise.all(['one', 'two'].map((zone) => lock.run(zone, () => Promise.resolve())));
    await lock.close();
    expect(await leases()).toBe(0);
  });

  test('a writer waits no longer than its caller', async () => {
    const slow = Promise.withResolvers<undefined>();
    const inside = Promise.withResolvers<undefined>();
    const holder = sharedZoneLock(pool).run('busy', () => (inside.resolve(undefined), slow.promise));
    await inside.promise;
    const waiting = sharedZoneLock(pool).run('busy', () => Promise.resolve(), { timeoutMs: 50 });
    await expect(waiting).rejects.toMatchObject({ code: 'transient' });
    slow.resolve(undefined);
    await holder;
  });
});
