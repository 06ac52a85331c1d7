import type { Response } from 'express';
import type { Caller } from './caller.ts';
import type { ApiDeps } from './deps.ts';
import { Buckets, limitHeaders, rateLimited } from './rate-limit.ts';

type Policy = keyof ApiDeps['limits'];

/** Counts requests against the limits that are set, and tells the caller where it stands. */
export class Limiter {
  private readonly limits: ApiDeps['limits'];
  private readonly buckets: Partial<Record<Policy, Buckets>> = {};

  constructor(limits: ApiDeps['limits']) {
    this.limits = limits;
    for (const policy of ['key', 'widget', 'verify'] as const) {
      const rate = limits[policy];
      if (rate !== null) this.buckets[policy] = new Buckets(rate);
    }
  }

  countCaller({ credential }: Caller, response: Response): void {
    if (credential.kind === 'key') this.countUse('key', credential.keyId, response);
    else this.countUse('widget', credential.tokenId, response);
  }

  countUse(policy: Policy, name: string, response: Response): void {
    const rate = this.limits[policy];
    const state = this.buckets[policy]?.take(name, performance.now());
    if (rate === null || state === undefined) return;
    response.set(limitHeaders(policy, rate, state));
    if (!state.allowed) throw rateLimited(state);
  }
}
