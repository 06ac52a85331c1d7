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
  /** What each of two processes lends to its adapters, in turn: they share a database and nothing else. */
  next(): ProviderContext;
  stop(): Promise<void>;
}

/** Two processes as production wires them: the shared limiter, and the shared lock of zones. */
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

/** What one process lends to its adapters. */
export const contextIn = (pool: Pool, options: Pick<HttpOptions, 'onCall'> = {}): ProviderContext => ({
  http: providerHttp({ ...options, allowances: hastened(sharedAllowances(pool)) }),
  zoneLock: sharedZoneLock(pool),
  tokens: tokenCache(systemClock),
  clock: systemClock,
  allowPrivate: true,
});

/** Windows a thousand times shorter: the same counting, and a suite of some minutes instead of some hours. */
function hastened(store: AllowanceStore): AllowanceStore {
  type Windows = Parameters<AllowanceStore['take']>[1];
  const shorter = (windows: Windows) => windows.map((window) => ({ ...window, seconds: window.seconds / 1_000 }));
  return {
    take: (account, windows, patienceMs) => store.take(account, shorter(windows), patienceMs),
    giveBack: (account, windows) => store.giveBack(account, shorter(windows)),
  };
}

/** One process by itself, for tests that need neither limits nor siblings. */
export const aloneWith = (http: ProviderHttp): ProviderContext => ({
  http,
  zoneLock: inProcessZoneLock(),
  tokens: tokenCache(systemClock),
  clock: systemClock,
});

/** A client whose requests nobody counts. */
export const uncountedHttp = (): ProviderHttp =>
  providerHttp({
    allowances: { ...inProcessAllowances(), take: () => Promise.resolve({ outcome: 'granted', waitMs: 0 }) },
  });
