import { Semaphore, waitUpTo } from '../../net/semaphore.ts';
import type { Call } from '../call.ts';
import { ProviderError } from '../provider-error.ts';
import { rethrowAbort } from './http.ts';

/**
 * Lets one writer at a time into a zone. Adapters hold it around "read the set, write the set" at providers that cannot
 * compare and swap. It keeps no connection and no transaction open while the provider is asked, so a slow provider costs
 * other tenants nothing; what is held is a lease, which the holder confirms before each write.
 */
export interface ZoneLock {
  /** Rejects with `transient` when the zone stays locked for longer than the call may last. */
  run<T>(key: string, task: (lease: Lease) => Promise<T>, call?: Call): Promise<T>;
}

export interface Lease {
  /** Returns when the lease surely outlasts one more request; rejects with `transient` if another writer may have it. */
  confirm(): Promise<void>;
}

/** Longest time that a writer waits for earlier writers. A caller can set a shorter time. */
export const LOCK_PATIENCE_MS = 30_000;

/**
 * A lock within one process. A lock that several processes share wraps this one, so that the tasks of each process enter
 * in order.
 */
export function inProcessZoneLock(): ZoneLock {
  const zones = new Map<string, Semaphore>();
  return {
    run: async (key, task, { signal, timeoutMs = LOCK_PATIENCE_MS } = {}) => {
      const semaphore = zones.get(key) ?? new Semaphore({ permits: 1 });
      zones.set(key, semaphore);
      const outcome = await semaphore.acquire(waitUpTo(Math.min(timeoutMs, LOCK_PATIENCE_MS), signal));
      try {
        rethrowAbort(signal);
        if (outcome !== 'acquired') throw zoneIsBusy();
        return await task({ confirm: () => Promise.resolve() });
      } finally {
        if (outcome === 'acquired') semaphore.release();
        if (semaphore.isIdle) zones.delete(key);
      }
    },
  };
}

export const zoneIsBusy = (): ProviderError =>
  new ProviderError('transient', 'Another change of this zone is under way; try again.');
