import { Semaphore, waitUpTo } from '../../net/semaphore.ts';
import type { Call } from '../call.ts';
import { ProviderError } from '../provider-error.ts';
import { rethrowAbort } from './http.ts';

/** Lets one writer at a time into a zone, without an open connection. Holders must confirm their lease to write. */
export interface ZoneLock {
  /** Runs the task. Rejects with `transient` if the zone stays locked for longer than the call may last. */
  run<T>(key: string, task: (lease: Lease) => Promise<T>, call?: Call): Promise<T>;
}

export interface Lease {
  /** Returns if the lease outlasts one more request. Rejects with `transient` if another writer may have the zone. */
  confirm(): Promise<void>;
}

/** Longest time that a writer waits for earlier writers. A caller can set a shorter time. */
export const LOCK_PATIENCE_MS = 30_000;

/** A lock within one process. The lock that several processes share wraps this one, to keep the order within each. */
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
  new ProviderError('transient', 'Another change to this zone is in progress; try again.');
