import { ServiceError } from '../domain/errors.ts';

export interface Rate {
  perSecond: number;
  burst: number;
}

export interface BucketState {
  allowed: boolean;
  remaining: number;
  /** Seconds until the bucket is full again. */
  full: number;
  /** Seconds until the next request is allowed. */
  next: number;
}

/** Token buckets by name, in one process: n processes allow n times the rate. Full buckets are deleted. */
export class Buckets {
  private readonly rate: Rate;
  private readonly buckets = new Map<string, { tokens: number; at: number }>();
  private sweepAt = 0;

  constructor(rate: Rate) {
    this.rate = rate;
  }

  take(name: string, nowMs: number): BucketState {
    const { perSecond, burst } = this.rate;
    this.sweep(nowMs);
    const bucket = this.buckets.get(name) ?? { tokens: burst, at: nowMs };
    const filled = Math.min(burst, bucket.tokens + (Math.max(0, nowMs - bucket.at) / 1_000) * perSecond);
    const allowed = filled >= 1;
    const tokens = allowed ? filled - 1 : filled;
    this.buckets.set(name, { tokens, at: nowMs });
    return {
      allowed,
      remaining: Math.floor(tokens),
      full: Math.ceil((burst - tokens) / perSecond),
      next: Math.max(1, Math.ceil((1 - tokens) / perSecond)),
    };
  }

  private sweep(nowMs: number): void {
    if (nowMs < this.sweepAt) return;
    const fullAfterMs = (this.rate.burst / this.rate.perSecond) * 1_000;
    for (const [name, { at }] of this.buckets) if (nowMs - at > fullAfterMs) this.buckets.delete(name);
    this.sweepAt = nowMs + Math.max(1_000, fullAfterMs);
  }
}

/** Headers of draft-ietf-httpapi-ratelimit-headers: the policy, and how much of it is left. */
export const limitHeaders = (policy: string, { perSecond, burst }: Rate, { remaining, full }: BucketState) => ({
  'RateLimit-Policy': `"${policy}";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`,
  RateLimit: `"${policy}";r=${remaining};t=${full}`,
});

export const rateLimited = ({ next }: BucketState) =>
  new ServiceError('rate_limited', `Too many requests. Try again in ${next} s.`, { retryAfterSeconds: next });
