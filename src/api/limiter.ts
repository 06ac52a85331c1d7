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
    for (const policy of ['key', 'tenant', 'widget', 'verify'] as const) {
      const rate = limits[policy];
      if (rate !== null) this.buckets[policy] = new Buckets(rate);
    }
  }

  /** The tenant first, so that the headers tell of the narrower limit unless the wider one is what refuses. */
  countCaller({ tenantId, credential }: Caller, response: Response): void {
    this.countUse('tenant', tenantId, response);
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
