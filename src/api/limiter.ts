import type { Request, Response } from 'express';
import { ServiceError } from '../domain/errors.ts';
import { subscriberNetwork } from '../net/address.ts';
import type { Caller } from './caller.ts';
import { Buckets, limitHeaders, rateLimited, type Rate } from './rate-limit.ts';

const POLICIES = ['anonymous', 'key', 'tenant', 'widget', 'verify'] as const;
type Policy = (typeof POLICIES)[number];
/** A limit that is null is off. */
export type Limits = Record<Policy, Rate | null>;

/** Counts requests against the limits, and sets the RateLimit headers. */
export class Limiter {
  private readonly limits: Limits;
  private readonly buckets: Partial<Record<Policy, Buckets>> = {};

  constructor(limits: Limits) {
    this.limits = limits;
    for (const policy of POLICIES) {
      const rate = limits[policy];
      if (rate !== null) this.buckets[policy] = new Buckets(rate);
    }
  }

  /** Counts only failures against the caller's address, so a tenant that shares it with an attacker is served. */
  async countFailures<T>(request: Request, response: Response, authenticate: () => Promise<T>): Promise<T> {
    try {
      return await authenticate();
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'unauthorized') this.countAnonymous(request, response);
      throw error;
    }
  }

  /** Closes the connection of an anonymous caller over its limit, but not a load balancer's, which other callers share. */
  private countAnonymous({ ip = '', socket }: Request, response: Response): void {
    try {
      this.countUse('anonymous', subscriberNetwork(ip), response);
    } catch (refusal) {
      if (ip === socket.remoteAddress) response.set('Connection', 'close');
      throw refusal;
    }
  }

  /** Counts the tenant first, so the headers show the limit of the credential unless the tenant's limit refuses. */
  countCaller({ tenantId, credential }: Caller, response: Response): void {
    this.countUse('tenant', tenantId, response);
    if (credential.kind === 'key') this.countUse('key', credential.keyId, response);
    else if (credential.kind === 'session') this.countUse('key', credential.sessionId, response);
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
