import { AsyncLocalStorage } from 'node:async_hooks';
import { Semaphore } from '../net/semaphore.ts';

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
  /** Whether a task fails as soon as it cannot expect a permit in time. Default: false. */
  refusesEarly?: boolean;
}

/** Time that the tasks of the current request have waited for permits so far. */
const waited = new AsyncLocalStorage<{ ms: number }>();

/** Runs a request whose tasks share one wait limit, so it fails equally early no matter which task waits. */
export const sharingOneWait = <T>(request: () => Promise<T>): Promise<T> => waited.run({ ms: 0 }, request);

/** Interval at which a waiting task expects its wait anew. */
const EXPECT_EVERY_MS = 100;
/** Time without a task that ends, after which no task expects a permit. */
const STALLED_MS = 1_500;
/** Weight of the last task in the moving average. */
const WEIGHT = 0.2;

/** Bounds the tasks that use or wait for a pool, and their wait, so that one tenant's slow work blocks no other. */
export class PoolSemaphore {
  private readonly semaphore: Semaphore;
  private readonly limits: PoolLimits;
  /** Moving average of the time for which tasks hold a permit. */
  private meanMs = 0;
  /** When a permit was last taken without a wait, or a task ended. */
  private movedAt = -Infinity;

  constructor(limits: PoolLimits) {
    this.semaphore = new Semaphore(limits);
    this.limits = limits;
  }

  /** Runs the task with a permit. Rejects with DatabaseAway if no permit is, or can be expected to be, free in time. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    await this.acquire();
    const began = performance.now();
    try {
      const result = await task();
      this.measure(began);
      return result;
    } catch (error) {
      // A task that was itself refused shows no progress.
      if (!(error instanceof DatabaseAway)) this.measure(began);
      throw error;
    } finally {
      this.semaphore.release();
    }
  }

  private measure(began: number): void {
    this.movedAt = performance.now();
    this.meanMs += WEIGHT * (this.movedAt - began - this.meanMs);
  }

  private async acquire(): Promise<void> {
    const { waitMs } = this.limits;
    const before = waited.getStore() ?? { ms: 0 };
    const began = performance.now();
    const wait = { hasBegun: false, isDoubtful: false };
    const outcome = await this.semaphore.acquire({
      remainingMs: (ahead) => {
        wait.hasBegun = true;
        const leftMs = waitMs - before.ms - (performance.now() - began);
        if (this.limits.refusesEarly !== true) return leftMs;
        // A process that lacked processor time seems stalled until it has handled what arrived meanwhile.
        const wasDoubtful = wait.isDoubtful;
        wait.isDoubtful = this.expectedMs(ahead) > leftMs;
        return wasDoubtful && wait.isDoubtful ? 0 : Math.min(leftMs, EXPECT_EVERY_MS);
      },
    });
    before.ms += performance.now() - began;
    if (outcome === 'queue_full') throw new DatabaseAway('Too many requests wait for the database.');
    if (outcome === 'timed_out') throw new DatabaseAway(`No database connection is free within ${waitMs} ms.`);
    if (!wait.hasBegun) this.movedAt = performance.now();
  }

  /** Returns the time after which a task with `ahead` others before it can expect a permit, from recent measurements. */
  private expectedMs(ahead: number): number {
    if (performance.now() - this.movedAt > STALLED_MS) return Infinity;
    return (ahead * this.meanMs) / this.limits.permits;
  }
}

/** Requests wait briefly, because their clients can retry. Background work is bounded by the worker's slots. */
const WAITING = {
  requests: { waitMs: 3_000, perConnection: 10, refusesEarly: true },
  work: { waitMs: 30_000, perConnection: Infinity, refusesEarly: false },
};
export type Served = keyof typeof WAITING;

export function poolSemaphore(serves: Served, connections: number): PoolSemaphore {
  const { perConnection, ...limits } = WAITING[serves];
  return new PoolSemaphore({ ...limits, permits: connections, queue: perConnection * connections });
}
