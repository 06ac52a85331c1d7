import { createPool, type Pool } from '../../src/db/pool.ts';
import type { ProviderContext } from '../../src/providers/contract.ts';
import { systemClock } from '../../src/providers/call.ts';
import { type HttpOptions, type ProviderHttp, providerHttp } from '../../src/providers/toolkit/http.ts';
import { type AllowanceStore, inProcessAllowances } from '../../src/providers/toolkit/rate-limiter.ts';
import { tokenCache } from '../../src/providers/toolkit/token-cache.ts';
import { inProcessZoneLock } from '../../src/providers/toolkit/zone-lock.ts';
import { sharedAllowances } from '../../src/provisioning/request-allowances.ts';
import { sharedZoneLock } from '../../src/provisioning/zone-lock.ts';
import { createTestDatabase } from '../support/fixtures/database.ts';

export interface Processes {
  /** Returns the context of each of two processes in turn. They share only a database. */
  next(): ProviderContext;
  stop(): Promise<void>;
}

/** Starts two processes as in production, with a shared limiter and a shared zone lock. */
export async function startProcesses(options: Pick<HttpOptions, 'onCall'> = {}): Promise<Processes> {
  const database = await createTestDatabase();
  const pools = await Promise.all([0, 1].map((i) => createPool(database.url, { max: 4, name: `process ${i}` })));
  const contexts = pools.map((pool) => contextIn(pool, options));
  let turn = 0;
  return {
    next: () => contexts[turn++ % 2]!,
    stop: async () => {
      await Promise.all(contexts.map(({ http }) => http.close()));
      await Promise.all(pools.map((pool) => pool.end()));
      await database.drop();
    },
  };
}

/** Returns the context of one process. */
export const contextIn = (pool: Pool, options: Pick<HttpOptions, 'onCall'> = {}): ProviderContext => ({
  http: providerHttp({ ...options, allowances: accelerated(sharedAllowances(pool)) }),
  zoneLock: sharedZoneLock(pool),
  tokens: tokenCache(systemClock),
  clock: systemClock,
  allowPrivate: true,
});

/** Makes windows a thousand times shorter: the counting is the same, and a suite takes minutes instead of hours. */
function accelerated(store: AllowanceStore): AllowanceStore {
  type Windows = Parameters<AllowanceStore['take']>[1];
  const shorter = (windows: Windows) => windows.map((window) => ({ ...window, seconds: window.seconds / 1_000 }));
  return {
    take: (account, windows, patienceMs) => store.take(account, shorter(windows), patienceMs),
    giveBack: (account, windows) => store.giveBack(account, shorter(windows)),
  };
}

/** Returns the context of a single process, for tests without limits and other processes. */
export const aloneWith = (http: ProviderHttp): ProviderContext => ({
  http,
  zoneLock: inProcessZoneLock(),
  tokens: tokenCache(systemClock),
  clock: systemClock,
});

/** Creates a client without request limits. */
export const uncountedHttp = (): ProviderHttp =>
  providerHttp({
    allowances: { ...inProcessAllowances(), take: () => Promise.resolve({ outcome: 'granted', waitMs: 0 }) },
  });
