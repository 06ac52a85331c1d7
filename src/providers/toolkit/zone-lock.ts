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

/** How long a writer waits for those before it, unless its caller is less patient. */
export const LOCK_PATIENCE_MS = 30_000;

/** Enough for one process, and what a shared lock is wrapped in so that the tasks of one process take turns in order. */
export function inProcessZoneLock(): ZoneLock {
  const lastInLine = new Map<string, Promise<undefined>>();
  return {
    run: async (key, task, call = {}) => {
      const done = Promise.withResolvers<undefined>();
      const before = lastInLine.get(key) ?? Promise.resolve(undefined);
      const mine = before.then(() => done.promise);
      lastInLine.set(key, mine);
      void mine.then(() => lastInLine.get(key) === mine && lastInLine.delete(key));
      try {
        await inTime(before, call);
        return await task({ confirm: () => Promise.resolve() });
      } finally {
        done.resolve(undefined);
      }
    },
  };
}

/** Also a writer that gives up lets the next one in only when those before it are done. */
async function inTime(turn: Promise<undefined>, { signal, timeoutMs = LOCK_PATIENCE_MS }: Call): Promise<void> {
  const timeout = AbortSignal.timeout(Math.min(timeoutMs, LOCK_PATIENCE_MS));
  const enough = signal ? AbortSignal.any([signal, timeout]) : timeout;
  const given = Promise.withResolvers<'given up'>();
  const giveUp = () => given.resolve('given up');
  if (enough.aborted) giveUp();
  enough.addEventListener('abort', giveUp, { once: true });
  const outcome = await Promise.race([turn, given.promise]);
  enough.removeEventListener('abort', giveUp);
  rethrowAbort(signal);
  if (outcome === 'given up') throw zoneIsBusy();
}

export const zoneIsBusy = (): ProviderError =>
  new ProviderError('transient', 'Another change of this zone is under way; try again.');
