import type { Request } from 'express';
import { PoolSemaphore } from '../db/pool-semaphore.ts';
import { BoundedMap } from '../net/bounded-map.ts';

/** Requests of one credential that run at the same time, and those that may wait for them. */
const LIMITS = { permits: 2, queue: 1_000, waitMs: 20_000, refusesEarly: true };
const MAX_CREDENTIALS = 1_000;

/**
 * Limits the concurrent transactions of each credential, so that a flood of one caller waits behind itself and leaves
 * database connections and processor time to the others.
 */
export class Shares {
  private readonly shares = new BoundedMap<string, PoolSemaphore>(MAX_CREDENTIALS);

  run<T>(request: Request, task: () => Promise<T>): Promise<T> {
    const credential = request.get('authorization') ?? request.get('cookie');
    if (credential === undefined) return task();
    const share = this.shares.get(credential) ?? new PoolSemaphore(LIMITS);
    this.shares.set(credential, share);
    return share.run(task);
  }
}
