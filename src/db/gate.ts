import { AsyncLocalStorage } from 'node:async_hooks';

/** The database cannot serve now: it is away, going or coming, out of room, or all our connections to it are in use. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway';
}

export interface GateLimits {
  /** How many may be inside at once. */
  places: number;
  /** How many may wait for a place; more are turned away at once. */
  queue: number;
  /** How long one waits for a place before it is turned away; within `sharingOneWait`, in all its tasks together. */
  waitMs: number;
}

/** How long a request has waited for places until now, in all of its tasks. */
const waited = new AsyncLocalStorage<{ ms: number }>();

/**
 * Runs a request whose tasks share one limit of waiting, so that it is turned away as early when its work waits as when
 * its key did.
 */
export const sharingOneWait = <T>(request: () => Promise<T>): Promise<T> => waited.run({ ms: 0 }, request);

interface Waiting {
  enter(): void;
  limit: NodeJS.Timeout;
}

/**
 * Lets a bounded number of tasks run, and a bounded number wait for a bounded time. A pool without it lets a slow database,
 * or one tenant's slow work, make every other request wait without end.
 */
export class Gate {
  private readonly limits: GateLimits;
  private inside = 0;
  private readonly waiting = new Set<Waiting>();

  constructor(limits: GateLimits) {
    this.limits = limits;
  }

  async through<T>(task: () => Promise<T>): Promise<T> {
    if (this.inside >= this.limits.places) await this.wait();
    else this.inside++;
    try {
      return await task();
    } finally {
      this.leave();
    }
  }

  /** A place is handed over, never given up in between: a newcomer does not overtake those that wait. */
  private leave(): void {
    const [next] = this.waiting;
    if (next === undefined) this.inside--;
    else next.enter();
  }

  private wait(): Promise<void> {
    const { queue, waitMs } = this.limits;
    if (this.waiting.size >= queue) return Promise.reject(new DatabaseAway('Too many requests wait for the database.'));
    const before = waited.getStore() ?? { ms: 0 };
    const began = performance.now();
    return new Promise((resolve, reject) => {
      const leaveQueue = () => {
        this.waiting.delete(one);
        clearTimeout(one.limit);
        before.ms += performance.now() - began;
      };
      const one: Waiting = {
        enter: () => {
          leaveQueue();
          resolve();
        },
        limit: setTimeout(() => {
          leaveQueue();
          reject(new DatabaseAway(`No connection to the database came free within ${waitMs} ms.`));
        }, waitMs - before.ms),
      };
      this.waiting.add(one);
    });
  }
}

/**
 * Requests wait briefly and in bounded number, because a caller waits for each and can try again. Work that no caller waits
 * for is bounded where it is begun (slots of the worker), and giving it up would only make it begin anew.
 */
const WAITING = {
  requests: { waitMs: 3_000, perConnection: 10 },
  work: { waitMs: 30_000, perConnection: Infinity },
};
export type Served = keyof typeof WAITING;

/** Before a pool of so many connections. */
export function gateFor(serves: Served, connections: number): Gate {
  const { waitMs, perConnection } = WAITING[serves];
  return new Gate({ places: connections, queue: perConnection * connections, waitMs });
}
