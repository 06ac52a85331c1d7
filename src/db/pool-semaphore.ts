import { AsyncLocalStorage } from 'node:async_hooks';
import { Semaphore, waitUpTo } from '../net/semaphore.ts';

/** The database cannot serve now: it is unreachable, starting, stopping or full, or all our connections are in use. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway';
}

export interface PoolLimits {
  /** Tasks that may hold a connection at the same time. */
  permits: number;
  /** Tasks that may wait for a permit; further tasks fail immediately. */
  queue: number;
  /** Longest wait for a permit; within `sharingOneWait`, the longest wait of all tasks together. */
  waitMs: number;
}

/** Time that the tasks of the current request have waited for permits so far. */
const waited = new AsyncLocalStorage<{ ms: number }>();

/** Runs a request whose tasks share one wait limit, so it fails equally early no matter which task waits. */
export const sharingOneWait = <T>(request: () => Promise<T>): Promise<T> => waited.run({ ms: 0 }, request);

/** Bounds the tasks that use or wait for a pool, and their wait, so that one tenant's slow work blocks no other. */
export class PoolSemaphore {
  private readonly semaphore: Semaphore;
  private readonly waitMs: number;

  constructor({ waitMs, ...limits }: PoolLimits) {
    this.semaphore = new Semaphore(limits);
    this.waitMs = waitMs;
  }

  /** Runs the task with a permit. Rejects with DatabaseAway if no permit is available in time. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    await this.acquire();
    try {
      return await task();
    } finally {
      this.semaphore.release();
    }
  }

  private async acquire(): Promise<void> {
    const before = waited.getStore() ?? { ms: 0 };
    const began = performance.now();
    const outcome = await this.semaphore.acquire(waitUpTo(this.waitMs - before.ms));
    before.ms += performance.now() - began;
    if (outcome === 'queue_full') throw new DatabaseAway('Too many requests wait for the database.');
    if (outcome === 'timed_out') throw new DatabaseAway(`No database connection was free within ${this.waitMs} ms.`);
  }
}

/** Requests wait briefly, because their clients can retry. Background work is bounded by the worker's slots. */
const WAITING = { requests: { waitMs: 3_000, perConnection: 10 }, work: { waitMs: 30_000, perConnection: Infinity } };
export type Served = keyof typeof WAITING;

export function poolSemaphore(serves: Served, connections: number): PoolSemaphore {
  const { waitMs, perConnection } = WAITING[serves];
  return new PoolSemaphore({ permits: connections, queue: perConnection * connections, waitMs });
}
