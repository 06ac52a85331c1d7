import { setTimeout as pause } from 'node:timers/promises';

export interface Rate {
  per_second: number;
  burst: number;
}

export interface Bucket {
  tokens: number;
  /** Milliseconds on the caller's clock. */
  at: number;
}

/**
 * Takes a token, going into debt if need be, and says how many milliseconds the taker must wait for it. Debt makes the
 * bucket a queue: each newcomer waits behind those who came first.
 */
export function takeToken(bucket: Bucket, rate: Rate, now: number): { bucket: Bucket; waitMs: number } {
  const refilled = Math.min(rate.burst, bucket.tokens + ((now - bucket.at) / 1000) * rate.per_second);
  const tokens = refilled - 1;
  return { bucket: { tokens, at: now }, waitMs: tokens >= 0 ? 0 : Math.ceil((-tokens / rate.per_second) * 1000) };
}

/** Returns when the account may be asked; rejects if the signal aborts while it waits. */
export type RateLimiter = (account: string, rate: Rate, signal: AbortSignal) => Promise<void>;

/** One bucket for each account, so that a tenant's burst never spends another's allowance. */
export function rateLimiter(clock: () => number = () => performance.now()): RateLimiter {
  const buckets = new Map<string, Bucket>();
  return async (account, rate, signal) => {
    const now = clock();
    const { bucket, waitMs } = takeToken(buckets.get(account) ?? { tokens: rate.burst, at: now }, rate, now);
    buckets.delete(account);
    buckets.set(account, bucket);
    forgetIdle(buckets);
    if (waitMs > 0) await pause(waitMs, undefined, { signal });
  };
}

const BUCKETS_MAX = 10_000;

/** The map is in order of use; the one used longest ago has long been full again. */
function forgetIdle(buckets: Map<string, Bucket>): void {
  if (buckets.size <= BUCKETS_MAX) return;
  for (const account of buckets.keys()) return void buckets.delete(account);
}
