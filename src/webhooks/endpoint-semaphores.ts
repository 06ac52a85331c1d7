import { Semaphore } from '../net/semaphore.ts';

interface Endpoint {
  semaphore: Semaphore;
  /** Time of the receiver's last answer, or of the first attempt's start. */
  progressAt: number;
}

/** Ends an attempt. `isAnswered`: the receiver answered, with any status. */
export type Release = (isAnswered: boolean) => void;

/**
 * Limits the concurrent attempts for each endpoint, so that a slow receiver uses only its share of the worker. An
 * attempt that gets no permit must be retried later. While a receiver hangs, no attempt waits for a permit.
 */
export class EndpointSemaphores {
  private readonly endpoints = new Map<string, Endpoint>();
  private readonly permits: number;
  private readonly limits: { stillMs: number; allMs: number };

  /** An attempt waits at most `stillMs` after the receiver's last answer, and at most `allMs` in total. */
  constructor(permits = 10, limits = { stillMs: 2_000, allMs: 10_000 }) {
    this.permits = permits;
    this.limits = limits;
  }

  /** Whether the receiver has answered no attempt for so long that a further one would get no permit. */
  hangs(endpointId: string): boolean {
    const endpoint = this.endpoints.get(endpointId);
    return endpoint?.semaphore.isFull === true && endpoint.progressAt + this.limits.stillMs <= performance.now();
  }

  /** Resolves to the release of the permit, or to null if no permit was available in time. */
  async acquire(endpointId: string): Promise<Release | null> {
    const began = performance.now();
    const endpoint = this.endpoints.get(endpointId) ?? {
      semaphore: new Semaphore({ permits: this.permits }),
      progressAt: began,
    };
    this.endpoints.set(endpointId, endpoint);
    const { stillMs, allMs } = this.limits;
    const outcome = await endpoint.semaphore.acquire({
      remainingMs: () => Math.min(endpoint.progressAt + stillMs, began + allMs) - performance.now(),
    });
    if (outcome !== 'acquired') return null;
    return (isAnswered) => {
      if (isAnswered) endpoint.progressAt = performance.now();
      endpoint.semaphore.release();
      if (endpoint.semaphore.isIdle) this.endpoints.delete(endpointId);
    };
  }
}
