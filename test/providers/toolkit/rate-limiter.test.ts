import fc from 'fast-check';
import { z } from 'zod';
import { createPool, sql, type Pool } from '../../../src/db/pool.ts';
import type { RequestWindow } from '../../../src/providers/descriptor.ts';
import { inProcessAllowances, awaitAllowance, countersFor } from '../../../src/providers/toolkit/rate-limiter.ts';
import {
  type AllowanceState,
  returnToken,
  type Stock,
  takeAhead,
  takeFromStock,
  takeToken,
} from '../../../src/providers/toolkit/request-allowance.ts';
import { sharedAllowances } from '../../../src/provisioning/request-allowances.ts';
import { createTestDatabase, type TestDatabase } from '../../support/fixtures/database.ts';

const window = fc.record({ count: fc.integer({ min: 1, max: 1_200 }), seconds: fc.constantFrom(1, 60, 300, 3_600) });

test('no period of a window’s length contains more requests than the window allows', () => {
  const gaps = fc.array(fc.constantFrom(0, 1, 50, 1_000, 30_000, 400_000), { minLength: 50, maxLength: 400 });
  fc.assert(
    fc.property(fc.array(window, { minLength: 1, maxLength: 3 }), gaps, (windows, waits) => {
      let state: AllowanceState = {};
      let now = 0;
      const sentAt: number[] = [];
      for (const wait of waits) {
        now += wait;
        const taken = takeToken(windows, state, now, 60_000);
        if (taken.outcome === 'refused') continue;
        state = taken.state;
        sentAt.push(now + taken.waitMs);
      }
      expectWithin(windows, sentAt);
    }),
  );
});

/** Checks that no window of the limits contains more requests than it allows. */
function expectWithin(windows: readonly RequestWindow[], sentAt: readonly number[]): void {
  const times = sentAt.toSorted((a, b) => a - b);
  for (const { count, seconds } of windows)
    for (let i = count; i < times.length; i++)
      expect(times[i]! - times[i - count]!).toBeGreaterThanOrEqual(seconds * 1_000 - 1);
}

test('processes that take tokens ahead never exceed a window together', () => {
  const requests = fc.array(
    fc.record({ wait: fc.constantFrom(0, 0, 1, 5, 40, 300, 999, 30_000), process: fc.integer({ min: 0, max: 2 }) }),
    { minLength: 50, maxLength: 400 },
  );
  fc.assert(
    fc.property(fc.array(window, { minLength: 1, maxLength: 3 }), requests, (windows, sequence) => {
      let state: AllowanceState = {};
      let now = 0;
      const stocks = new Map<number, Stock | undefined>();
      const sentAt: number[] = [];
      for (const { wait, process } of sequence) {
        now += wait;
        const stock = stocks.get(process);
        const left = stock && takeFromStock(windows, stock, now);
        stocks.set(process, left);
        if (left !== undefined) {
          sentAt.push(now);
          continue;
        }
        const taken = takeToken(windows, state, now, 60_000);
        if (taken.outcome === 'refused') continue;
        sentAt.push(now + taken.waitMs);
        const ahead = takeAhead(windows, taken.state, now);
        ({ state } = ahead);
        if (ahead.tokens > 0) stocks.set(process, { tokens: ahead.tokens, takenAt: now });
      }
      expectWithin(windows, sentAt);
    }),
  );
});

test('tokens are taken ahead only from the upper half of a bucket, and only for a second', () => {
  const windows: RequestWindow[] = [{ count: 40, seconds: 3_600 }];
  const { tokens, state } = takeAhead(windows, {}, 0);
  expect(tokens).toBe(5);
  expect(takeAhead(windows, state, 0).tokens).toBe(0);
  expect(takeFromStock(windows, { tokens, takenAt: 0 }, 999)).toEqual({ tokens: 4, takenAt: 0 });
  expect(takeFromStock(windows, { tokens, takenAt: 0 }, 1_001)).toBeUndefined();
});

test('a stock loses tokens as fast as its bucket refills', () => {
  const windows: RequestWindow[] = [{ count: 100, seconds: 1 }]; // 75 tokens a second
  expect(takeFromStock(windows, { tokens: 8, takenAt: 0 }, 90)).toBeDefined();
  expect(takeFromStock(windows, { tokens: 8, takenAt: 0 }, 100)).toBeUndefined();
});

test('a caller that would wait too long is refused immediately and takes no token', () => {
  const windows: RequestWindow[] = [{ count: 20, seconds: 60 }];
  let state: AllowanceState = {};
  for (;;) {
    const taken = takeToken(windows, state, 0, 15_000);
    if (taken.outcome === 'refused') break;
    state = taken.state;
  }
  expect(takeToken(windows, state, 0, 15_000)).toMatchObject({ outcome: 'refused' });
  expect(takeToken(windows, state, 4_000, 15_000)).toMatchObject({ outcome: 'granted' });
});

test('a returned token is as if it had never been taken', () => {
  const windows: RequestWindow[] = [{ count: 4, seconds: 60 }];
  const first = takeToken(windows, {}, 0, 0);
  if (first.outcome !== 'granted') throw new Error('the first request is free');
  expect(takeToken(windows, first.state, 0, 0)).toMatchObject({ outcome: 'refused' });
  expect(takeToken(windows, returnToken(windows, first.state, 0), 0, 0)).toMatchObject({ outcome: 'granted' });
});

test('reads and writes are counted separately if the provider counts them separately', () => {
  const all = { count: 100, seconds: 60 };
  const writes = { count: 5, seconds: 60, counts: 'writes' } as const;
  expect(countersFor('account', [all, writes], { isWrite: false })).toEqual([{ key: 'account', windows: [all] }]);
  expect(countersFor('account', [all, writes], { isWrite: true })).toEqual([
    { key: 'account', windows: [all, writes] },
  ]);
});

test('a limit per zone counts each zone of an account separately, in addition to the limit of the account', async () => {
  const store = inProcessAllowances(() => 0);
  const limits: RequestWindow[] = [
    { count: 4, seconds: 60, counts: 'writes', per: 'zone' },
    { count: 12, seconds: 60 },
  ];
  const patient = { patienceMs: 0, signal: new AbortController().signal };
  const write = async (zone?: string) =>
    (await awaitAllowance(store, countersFor('account', limits, { isWrite: true, zone }), patient)).outcome;

  expect(await write('one.test')).toBe('go');
  expect(await write('one.test')).toBe('refused');
  expect(await write('two.test')).toBe('go');
  expect(await write()).toBe('go');
  expect(await write('three.test')).toBe('refused');
  // The account refused, so the zone got its token back.
  expect(await store.take('account three.test', limits.slice(0, 1), 0)).toMatchObject({ outcome: 'granted' });
});

test('forty callers on an account with twenty requests a minute do not starve the next caller', async () => {
  let now = 0;
  const store = inProcessAllowances(() => now);
  const windows: RequestWindow[] = [{ count: 20, seconds: 60 }];
  const left = new AbortController();
  const callers = Array.from({ length: 40 }, () =>
    awaitAllowance(store, [{ key: 'account', windows }], { patienceMs: 15_000, signal: left.signal }),
  );
  left.abort(new Error('gone'));
  const outcomes = await Promise.allSettled(callers);
  expect(outcomes.some((outcome) => outcome.status === 'fulfilled' && outcome.value.outcome === 'refused')).toBe(true);

  now = 5_000;
  const patient = { patienceMs: 0, signal: new AbortController().signal };
  expect(await awaitAllowance(store, [{ key: 'account', windows }], patient)).toEqual({ outcome: 'go' });
});

describe('allowances that processes share', () => {
  let database: TestDatabase;
  let pools: Pool[];
  beforeAll(async () => {
    database = await createTestDatabase();
    pools = await Promise.all(['a', 'b'].map((name) => createPool(database.url, { max: 4, name })));
  });
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await database.drop();
  });

  test('two processes together get no more than one would get, and another account is unaffected', async () => {
    const windows: RequestWindow[] = [{ count: 40, seconds: 3_600 }];
    const stores = pools.map(sharedAllowances);
    const takes = await Promise.all(Array.from({ length: 30 }, (_, i) => stores[i % 2]!.take('account', windows, 0)));
    const granted = takes.filter(({ outcome }) => outcome === 'granted').length;
    expect(granted).toBeLessThanOrEqual(10);
    // Each process may lose a part of a token that it took ahead.
    expect(granted).toBeGreaterThanOrEqual(8);
    expect(await stores[0]!.take('another', windows, 0)).toMatchObject({ outcome: 'granted' });

    await stores[1]!.giveBack('account', windows);
    expect(await stores[0]!.take('account', windows, 0)).toMatchObject({ outcome: 'granted', waitMs: 0 });
    expect(await stores[0]!.take('account', windows, 0)).toMatchObject({ outcome: 'refused' });
  });

  test('requests that follow one another share a statement, and few tokens are taken one at a time', async () => {
    const windows: RequestWindow[] = [{ count: 1_200, seconds: 300 }];
    const store = sharedAllowances(pools[0]!);
    await store.take('quick', windows, 0);
    const before = await stateOf('quick');
    for (let i = 0; i < 8; i++) expect(await store.take('quick', windows, 0)).toMatchObject({ waitMs: 0 });
    expect(await stateOf('quick')).toEqual(before);

    const slow: RequestWindow[] = [{ count: 8, seconds: 1 }];
    for (const other of pools.map(sharedAllowances))
      expect(await other.take('slow', slow, 0)).toMatchObject({ outcome: 'granted', waitMs: 0 });
  });

  const stateOf = (account: string) =>
    pools[0]!.oneFirst(sql.type(z.object({ state: z.unknown() }))`
      SELECT state FROM request_allowances WHERE account = ${account}
    `);
});
