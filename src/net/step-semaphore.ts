import { performance } from 'node:perf_hooks';

/** Whose work it is. Work of one tenant and environment takes turns with the work of all others. */
export interface Party {
  tenant_id: string;
  environment: 'test' | 'live';
}

/** Steps that run at the same time. */
const PLACES = 8;
/** Steps of one party that run at the same time while another party has work too. */
export const SHARE = { usual: 2, withApi: 1 };
/** A step that lasts longer waits for something else, such as a slow provider, and leaves its place. */
const WORKS_FOR_MS = 500;
/** Time after its last step in which a party counts as having work. */
const PRESENT_FOR_MS = 10_000;
/** Number of waiting steps from which a party should begin nothing new. */
const BACKLOG = 4;

interface Waiting {
  party: Party;
  grant(): void;
}

const keyOf = ({ tenant_id, environment }: Party): string => `${tenant_id} ${environment}`;

/**
 * Lets tenants take turns with steps that need processor time, so that a tenant with few connections does not wait behind
 * another's flood. Within a tenant, live connections go first.
 */
export class StepSemaphore {
  private taken = 0;
  private readonly places = new Map<string, number>();
  private readonly lastAt = new Map<string, number>();
  /** Waiting steps by tenant. The tenant at the front is next. */
  private readonly queues = new Map<string, Waiting[]>();
  private readonly share: number;

  constructor(share: number = SHARE.usual) {
    this.share = share;
  }

  /** Runs a step when it is its turn. Rejects if the signal aborts before. */
  async run<T>(party: Party, signal: AbortSignal, step: () => Promise<T>): Promise<T> {
    await this.take(party, signal);
    let leave = () => {
      leave = () => undefined;
      this.leave(party);
    };
    const timer = setTimeout(() => leave(), WORKS_FOR_MS);
    try {
      return await step();
    } finally {
      clearTimeout(timer);
      leave();
    }
  }

  /** Notes that a party has work of any kind in this process. */
  note(party: Party): void {
    this.lastAt.set(keyOf(party), performance.now());
  }

  /** Parties that should begin nothing new, because their steps wait for a turn. */
  get backlogged(): Party[] {
    const counts = new Map<string, { party: Party; steps: number }>();
    for (const queue of this.queues.values())
      for (const { party } of queue) {
        const counted = counts.get(keyOf(party)) ?? { party, steps: 0 };
        counts.set(keyOf(party), { party, steps: counted.steps + 1 });
      }
    return [...counts.values()].filter(({ steps }) => steps >= BACKLOG).map(({ party }) => party);
  }

  private take(party: Party, signal: AbortSignal): Promise<undefined> {
    signal.throwIfAborted();
    this.note(party);
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const queue = this.queues.get(party.tenant_id) ?? [];
    const waiting: Waiting = {
      party,
      grant: () => {
        signal.removeEventListener('abort', giveUp);
        resolve(undefined);
      },
    };
    const giveUp = () => {
      queue.splice(queue.indexOf(waiting), 1);
      if (queue.length === 0) this.queues.delete(party.tenant_id);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', giveUp);
    const firstTest = queue.findIndex((other) => other.party.environment === 'test');
    queue.splice(party.environment === 'live' && firstTest >= 0 ? firstTest : queue.length, 0, waiting);
    this.queues.set(party.tenant_id, queue);
    this.grantNext();
    return promise;
  }

  private leave(party: Party): void {
    const key = keyOf(party);
    this.taken--;
    const left = (this.places.get(key) ?? 1) - 1;
    if (left === 0) this.places.delete(key);
    else this.places.set(key, left);
    this.note(party);
    this.grantNext();
  }

  /** Grants as many turns as there is room for. */
  private grantNext(): void {
    while (this.taken < PLACES) {
      const next = this.next();
      if (next === undefined) break;
      this.taken++;
      this.places.set(keyOf(next.party), this.heldBy(next.party) + 1);
      next.grant();
    }
  }

  /** Removes and returns the first waiting step that has a share left, tenants in turn. */
  private next(): Waiting | undefined {
    for (const [tenant, queue] of this.queues) {
      const index = queue.findIndex(({ party }) => this.heldBy(party) < this.shareOf(party));
      if (index < 0) continue;
      const [next] = queue.splice(index, 1);
      this.queues.delete(tenant); // the tenant goes to the end
      if (queue.length > 0) this.queues.set(tenant, queue);
      return next;
    }
    return undefined;
  }

  private heldBy(party: Party): number {
    return this.places.get(keyOf(party)) ?? 0;
  }

  /** A party alone may take every place. */
  private shareOf(party: Party): number {
    const since = performance.now() - PRESENT_FOR_MS;
    const own = keyOf(party);
    for (const [key, at] of this.lastAt) {
      if (at < since && !this.places.has(key)) this.lastAt.delete(key);
      else if (key !== own) return this.share;
    }
    return PLACES;
  }
}
