export type Acquisition = 'acquired' | 'queue_full' | 'timed_out';

/** Limits of one wait for a permit. */
export interface Wait {
  /**
   * Returns the time in milliseconds after which the semaphore asks again; 0 or less ends the wait. `ahead` is the number
   * of tasks that get a permit first.
   */
  remainingMs(ahead: number): number;
  /** Ends the wait early, with the outcome `timed_out`. */
  signal?: AbortSignal | undefined;
}

/** A counting semaphore with a bounded queue. Permits are granted in order; a new task never overtakes the queue. */
export class Semaphore {
  private available: number;
  private readonly permits: number;
  private readonly queue: number;
  /** Tasks that wait, by their place in the order of arrival. */
  private readonly waiting = new Map<number, () => void>();
  private places = 0;

  /** `queue` is the number of tasks that may wait; further tasks get `queue_full`. */
  constructor({ permits, queue = Infinity }: { permits: number; queue?: number }) {
    this.permits = permits;
    this.available = permits;
    this.queue = queue;
  }

  /** Whether every permit is free. */
  get isIdle(): boolean {
    return this.available === this.permits;
  }

  /** Whether no permit is free. */
  get isFull(): boolean {
    return this.available === 0;
  }

  /** Waits for a permit. The caller must release the permit if the outcome is `acquired`. */
  acquire({ remainingMs, signal }: Wait): Promise<Acquisition> {
    if (this.available > 0) {
      this.available--;
      return Promise.resolve('acquired');
    }
    if (this.waiting.size >= this.queue) return Promise.resolve('queue_full');
    const { promise, resolve } = Promise.withResolvers<Acquisition>();
    const place = this.places++;
    let timer: NodeJS.Timeout | undefined;
    const settle = (outcome: Acquisition) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      this.waiting.delete(place);
      resolve(outcome);
    };
    const grant = () => settle('acquired');
    const giveUp = () => settle('timed_out');
    const waitOrGiveUp = () => {
      const left = remainingMs(this.aheadOf(place));
      if (left <= 0 || signal?.aborted) giveUp();
      else timer = setTimeout(waitOrGiveUp, left);
    };
    this.waiting.set(place, grant);
    signal?.addEventListener('abort', giveUp);
    waitOrGiveUp();
    return promise;
  }

  /** Counts tasks that gave up in between too, which are few. */
  private aheadOf(place: number): number {
    const [first = place] = this.waiting.keys();
    return place - first;
  }

  release(): void {
    const [longestWaiting] = this.waiting.values();
    if (longestWaiting === undefined) this.available++;
    else longestWaiting();
  }
}

/** Returns a wait of this length, counted from now. */
export function waitUpTo(ms: number, signal?: AbortSignal): Wait {
  const deadline = performance.now() + ms;
  return { remainingMs: () => deadline - performance.now(), signal };
}
