import pg from 'pg';
import { z } from 'zod';
import { PoolSemaphore, sharingOneWait } from '../../src/db/pool-semaphore.ts';
import { createPool, sql } from '../../src/db/pool.ts';
import type { NewTenant } from '../../src/db/tenant/tenants.ts';
import { someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { startFreezingProxy } from '../support/proxies/freezing-proxy.ts';
import { send } from '../support/http.ts';
import { until } from '../support/until.ts';

let api: TestApi;
let tenant: NewTenant;
beforeAll(async () => {
  api = await startTestApi();
  tenant = await api.tenant();
});
afterAll(() => api.stop());

const create = (hostname = someName()) =>
  send('POST', `${api.baseUrl}/v1/connections`, {
    credential: tenant.live.key,
    body: { application_id: tenant.live.application_id, hostname },
  });
const health = async () => (await send('GET', `${api.baseUrl}/healthz`)).body;

/** Holds every connection of the pool, as slow work for one tenant would. */
async function drainPool(): Promise<{ release(): Promise<void> }> {
  const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
  let inside = 0;
  const holders = Array.from({ length: 10 }, () =>
    api.deps.pool.transaction(async () => {
      inside++;
      await held;
    }),
  );
  await until(() => inside === 10);
  return {
    async release() {
      release(undefined);
      await Promise.all(holders);
    },
  };
}

test('a request that gets no connection in time is refused with Retry-After, others are answered, and health reports it', async () => {
  const made = (await create()).body as { id: string };
  const pool = await drainPool();

  const [refused, read, busy] = await Promise.all([
    create(),
    send('GET', `${api.baseUrl}/v1/connections/${made.id}`, { credential: tenant.live.key }),
    health(),
  ]);
  await pool.release();

  expect([refused.status, refused.body]).toMatchObject([503, { error: { code: 'unavailable' } }]);
  expect(refused.headers.get('retry-after')).toBe('2');
  expect(read.status).toBe(200);
  expect(busy).toMatchObject({ status: 'degraded', checks: { database: 'busy' } });
  expect(await health()).toMatchObject({ checks: { database: 'ok' } });
  expect((await create()).status).toBe(201);
});

test('a caller whose requests all wait takes no connection from another caller', async () => {
  const other = await api.tenant();
  const client = new pg.Client({ connectionString: api.databaseUrl });
  await client.connect();
  // Every create of the tenant counts its usage, so they all wait for this row.
  await create();
  await client.query('BEGIN');
  await client.query('SELECT FROM usage_counters WHERE tenant_id = $1 FOR UPDATE', [tenant.tenant_id]);
  const flood = Array.from({ length: 20 }, () => create());
  const mine = send('POST', `${api.baseUrl}/v1/connections`, {
    credential: other.live.key,
    body: { application_id: other.live.application_id, hostname: someName() },
  });

  expect((await mine).status).toBe(201);
  await client.query('COMMIT');
  await client.end();
  for (const { status } of await Promise.all(flood)) expect([201, 503]).toContain(status);
});

test('fifty creates at the same time by one key all pass', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => create()));

  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
});

test('requests beyond the queue are refused immediately, and none with a 500', async () => {
  const pool = await drainPool();
  const answers = await Promise.all(Array.from({ length: 150 }, () => create()));
  await pool.release();

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
});

describe('a share whose tasks are refused', () => {
  test('counts a refusal as no progress, so that the others are refused as early', async () => {
    jest.useFakeTimers();
    try {
      const share = new PoolSemaphore({ permits: 3, queue: 1_000, waitMs: 20_000, refusesEarly: true });
      const pool = new PoolSemaphore({ permits: 1, queue: 100, waitMs: 3_000, refusesEarly: true });
      void pool.run(() => new Promise(() => undefined));
      let refused = 0;
      for (let n = 0; n < 100; n++) void share.run(() => pool.run(() => Promise.resolve())).catch(() => (refused += 1));
      await jest.advanceTimersByTimeAsync(1_900);

      expect(refused).toBe(100);
    } finally {
      jest.useRealTimers();
    }
  });
});

test('with a slow database, excess requests are refused, and no write happens twice or without an answer', async () => {
  const proxy = await startFreezingProxy(api.databaseUrl);
  const far = await startTestApi({ databaseUrl: proxy.url });
  const names = Array.from({ length: 120 }, () => someName());
  const createFar = (hostname: string) =>
    send('POST', `${far.baseUrl}/v1/connections`, {
      credential: tenant.live.key,
      body: { application_id: tenant.live.application_id, hostname },
    });
  proxy.delay(500);
  const answers = await Promise.all(names.map(createFar));
  proxy.delay(0);

  const made = names.filter((_, i) => answers[i]?.status === 201);
  const turnedAway = answers.filter(({ status }) => status === 503);
  expect(made.length).toBeGreaterThan(0);
  expect(turnedAway.length).toBeGreaterThan(0);
  expect(made.length + turnedAway.length).toBe(names.length);
  for (const { headers } of turnedAway) expect(headers.get('retry-after')).not.toBeNull();
  const kept = await api.deps.pool.anyFirst(sql.type(z.object({ hostname: z.string() }))`
    SELECT hostname FROM connections WHERE hostname = ANY(${sql.array(names, 'text')})
  `);
  expect(kept.toSorted()).toEqual(made.toSorted());
  expect((await createFar(someName())).status).toBe(201);
  await far.stop();
  await proxy.stop();
});

test('a database without disk space is a 503, not a 500', async () => {
  const owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
  await owner.query(`
    CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER no_space BEFORE INSERT ON connections FOR EACH ROW EXECUTE FUNCTION no_space()`);
  const refused = await create();
  await owner.query('DROP TRIGGER no_space ON connections');
  await owner.end();

  expect([refused.status, refused.body]).toMatchObject([503, { error: { code: 'unavailable' } }]);
  expect(refused.text).not.toContain('No space left');
});

test('background work is never refused because the queue is full', async () => {
  const pool = await createPool(api.databaseUrl, { max: 2, name: 'work' });
  const one = sql.type(z.object({ one: z.number() }))`SELECT 1 AS one`;

  const answers = await Promise.all(Array.from({ length: 200 }, () => pool.oneFirst(one)));
  await pool.end();

  expect(answers).toHaveLength(200);
});

describe('the semaphore of a pool', () => {
  const task = () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    return { end: () => resolve(undefined), run: () => promise };
  };

  test('grants permits in the order of arrival, and refuses tasks while the queue is full', async () => {
    const semaphore = new PoolSemaphore({ permits: 1, queue: 2, waitMs: 60_000 });
    const first = task();
    const order: string[] = [];
    const running = semaphore.run(first.run).then(() => order.push('first'));
    const others = ['second', 'third'].map((name) =>
      semaphore.run(() => Promise.resolve()).then(() => order.push(name)),
    );
    await expect(semaphore.run(() => Promise.resolve())).rejects.toThrow('Too many requests wait');
    first.end();
    await Promise.all([running, ...others]);

    expect(order).toEqual(['first', 'second', 'third']);
  });

  test('refuses a task that waited too long, and keeps no permit for it', async () => {
    const semaphore = new PoolSemaphore({ permits: 1, queue: 2, waitMs: 1 });
    const first = task();
    const running = semaphore.run(first.run);
    await expect(semaphore.run(() => Promise.resolve())).rejects.toThrow('within 1 ms');
    first.end();
    await running;

    await expect(semaphore.run(() => Promise.resolve('in'))).resolves.toBe('in');
  });

  describe('that refuses early', () => {
    const early = { permits: 2, queue: 100, waitMs: 3_000, refusesEarly: true };
    beforeEach(() => {
      jest.useFakeTimers();
    });
    afterEach(() => {
      jest.useRealTimers();
    });
    const lasting = (ms: number) => () => new Promise<void>((resolve) => setTimeout(resolve, ms));
    /** Starts tasks and returns how many have been refused, or have ended, so far. */
    const start = (semaphore: PoolSemaphore, count: number, ms: number) => {
      const seen = { refused: 0, ended: 0 };
      for (let n = 0; n < count; n++)
        void semaphore.run(lasting(ms)).then(
          () => seen.ended++,
          () => seen.refused++,
        );
      return seen;
    };

    test('refuses within two seconds where no task ends', async () => {
      const seen = start(new PoolSemaphore(early), 10, 60_000);
      await jest.advanceTimersByTimeAsync(1_900);

      expect(seen.refused).toBe(8);
    });

    test('refuses a task almost immediately while no task has ended for long', async () => {
      const semaphore = new PoolSemaphore(early);
      start(semaphore, 2, 60_000);
      await jest.advanceTimersByTimeAsync(5_000);
      const late = start(semaphore, 3, 1);
      await jest.advanceTimersByTimeAsync(200);

      expect(late.refused).toBe(3);
    });

    test('refuses tasks that cannot expect a permit in time, once it knows how long tasks take', async () => {
      const semaphore = new PoolSemaphore(early);
      const seen = start(semaphore, 40, 1_000);
      await jest.advanceTimersByTimeAsync(1_900);
      expect(seen.refused).toBeGreaterThan(0);
      await jest.advanceTimersByTimeAsync(10_000);

      expect(seen.ended).toBeGreaterThanOrEqual(6); // three rounds of two
      expect(seen.ended + seen.refused).toBe(40);
    });

    test('refuses no task of a burst that can be carried', async () => {
      const seen = start(new PoolSemaphore(early), 20, 290);
      await jest.advanceTimersByTimeAsync(3_000);

      expect(seen).toEqual({ refused: 0, ended: 20 });
    });
  });

  test('a request that waited for one task waits that much less for the next', async () => {
    jest.useFakeTimers();
    try {
      const semaphore = new PoolSemaphore({ permits: 1, queue: 2, waitMs: 1_000 });
      const [first, second] = [task(), task()];
      const running = semaphore.run(first.run);
      const began = performance.now();
      const refusal = sharingOneWait(async () => {
        await semaphore.run(() => Promise.resolve());
        const other = semaphore.run(second.run);
        await expect(semaphore.run(() => Promise.resolve())).rejects.toThrow('within 1000 ms');
        second.end();
        await other;
        return performance.now();
      });
      await jest.advanceTimersByTimeAsync(700);
      first.end();
      await running;
      await jest.advanceTimersByTimeAsync(5_000);

      expect((await refusal) - began).toBeCloseTo(1_000);
    } finally {
      jest.useRealTimers();
    }
  });
});
