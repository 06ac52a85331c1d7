import { isCounted } from '../domain/edge/request-sample.ts';
import { BoundedMap } from '../net/bounded-map.ts';

/** A request's place among those in progress. */
export interface Place {
  /** Frees the place; null if the request is not in the sample. */
  onEnd: (() => void) | null;
}

const UNCOUNTED: Place = { onEnd: null };
const MOST_REMEMBERED = 100_000;
/** Part of the limit for requests for which Caddy does not ask. */
const UNASKED = 1 / 8;

/** Estimates the requests in progress for each origin from a sample, up to a limit. */
export class RequestsInProgress {
  /** Without origins that have none. */
  private readonly estimates = new Map<string, number>();
  /** Requests since the last one that was counted. */
  private readonly uncounted = new BoundedMap<string, { count: number }>(MOST_REMEMBERED);
  private readonly limit: number;
  private readonly random: () => number;

  constructor(limit: number, random = Math.random) {
    this.limit = limit;
    this.random = random;
  }

  /** Requests of an origin for which Caddy need not ask, if it uses an answer again. The others are counted. */
  get share(): number {
    return Math.floor(this.limit * UNASKED);
  }

  /** Returns a place for a request; null if the origin has too many, of which `unasked` may be unknown to us. */
  begin(origin: string, unasked = 0): Place | null {
    const estimate = this.estimates.get(origin) ?? 0;
    const limit = this.limit - unasked;
    if (estimate >= limit) return null;
    const before = this.uncountedOf(origin);
    if (!isCounted(limit, estimate, before.count, this.random())) {
      before.count++;
      return UNCOUNTED;
    }
    const weight = before.count + 1;
    before.count = 0;
    this.estimates.set(origin, estimate + weight);
    return { onEnd: once(() => this.subtract(origin, weight)) };
  }

  private uncountedOf(origin: string): { count: number } {
    const known = this.uncounted.get(origin);
    if (known !== undefined) return known;
    const fresh = { count: 0 };
    this.uncounted.set(origin, fresh);
    return fresh;
  }

  private subtract(origin: string, weight: number): void {
    const left = (this.estimates.get(origin) ?? 0) - weight;
    if (left <= 0) this.estimates.delete(origin);
    else this.estimates.set(origin, left);
  }
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}
