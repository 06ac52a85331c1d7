import { createPool, type Pool } from '../../src/db/pool.ts';
import type { ProviderContext } from '../../src/providers/contract.ts';
import { systemClock } from '../../src/providers/call.ts';
import { type HttpOptions, type ProviderHttp, providerHttp } from '../../src/providers/toolkit/http.ts';
import { type AllowanceStore, inProcessAllowances } from '../../src/providers/toolkit/rate-limiter.ts';
import { tokenCache } from '../../src/providers/toolkit/token-cache.ts';
import { inProcessZoneLock } from '../../src/providers/toolkit/zone-lock.ts';
import { sharedAllowances } from '../../src/provisioning/request-allowances.ts';
import { sharedZoneLock } from '../../src/provisioning/zone-lock.ts';
import { createTestDatabase, hasPostgres } from '../support/fixtures/database.ts';

export interface Processes {
  /** Returns the context of each of two processes in turn. They share only a database. */
  next(): ProviderContext;
  stop(): Promise<void>;
}

type CallOptions = Pick<HttpOptions, 'onCall'>;

/**
 * Starts two processes that share a limiter and a zone lock: those of production, in a database of their own, or
 * in-process ones if the run has no Postgres (`npm run test:provider`).
 */
export async function startProcesses(options: CallOptions = {}): Promise<Processes> {
  if (!hasPostgres()) {
    const shared = { allowances: inProcessAllowances(), zoneLock: inProcessZoneLock() };
    return inTurn([contextWith(shared, options), contextWith(shared, options)], () => Promise.resolve());
  }
  const database = await createTestDatabase();
  const pools = await Promise.all([0, 1].map((i) => createPool(database.url, { max: 4, name: `process ${i}` })));
  const contexts = pools.map((pool) => contextIn(pool, options));
  return inTurn(contexts, async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await database.drop();
  });
}

function inTurn(contexts: readonly ProviderContext[], stopShared: () => Promise<void>): Processes {
  let turn = 0;
  return {
    next: () => contexts[turn++ % contexts.length]!,
    stop: async () => {
      await Promise.all(contexts.map(({ http }) => http.close()));
      await stopShared();
    },
  };
}

/** Returns the context of one process, which shares its limiter and its zone lock through the database. */
export const contextIn = (pool: Pool, options: CallOptions = {}): ProviderContext =>
  contextWith({ allowances: sharedAllowances(pool), zoneLock: sharedZoneLock(pool) }, options);

const contextWith = (
  { allowances, zoneLock }: { allowances: AllowanceStore; zoneLock: ProviderContext['zoneLock'] },
  options: CallOptions,
): ProviderContext => ({
  http: providerHttp({ ...options, allowances: accelerated(allowances) }),
  zoneLock,
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
