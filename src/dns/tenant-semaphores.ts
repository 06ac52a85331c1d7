import { TooManyChecks, type Checker } from '../domain/observation/check.ts';
import { Semaphore, waitUpTo } from '../net/semaphore.ts';

/** Limits each tenant's DNS checks under way, so that silent name servers cannot occupy every slot. */
export interface TenantSemaphores {
  /** Resolves to a function that releases the permit; rejects with TooManyChecks. */
  acquire(tenantId: string): Promise<() => void>;
}

const WAIT_MS = 1_000;

interface Tenant {
  semaphore: Semaphore;
  /** Moving average of the duration of a check. */
  meanMs: number;
  /** Latest retry time given to a refused check. */
  retryUntil: number;
}

export function createTenantSemaphores(permits: number, now: () => number = () => performance.now()): TenantSemaphores {
  const tenants = new Map<string, Tenant>();

  function refusal(tenant: Tenant): TooManyChecks {
    tenant.retryUntil = Math.max(tenant.retryUntil, now() + WAIT_MS) + tenant.meanMs / permits;
    return new TooManyChecks(Math.round(tenant.retryUntil - now()));
  }

  return {
    async acquire(tenantId) {
      const tenant = tenants.get(tenantId) ?? {
        semaphore: new Semaphore({ permits, queue: permits }),
        meanMs: 0,
        retryUntil: 0,
      };
      tenants.set(tenantId, tenant);
      if ((await tenant.semaphore.acquire(waitUpTo(WAIT_MS))) !== 'acquired') throw refusal(tenant);
      const began = now();
      return () => {
        tenant.meanMs = 0.8 * tenant.meanMs + 0.2 * (now() - began);
        tenant.semaphore.release();
      };
    },
  };
}

export function limitPerTenant(checker: Checker, semaphores: TenantSemaphores): Checker {
  const limited = async <T>(tenantId: string, check: () => Promise<T>): Promise<T> => {
    const release = await semaphores.acquire(tenantId);
    try {
      return await check();
    } finally {
      release();
    }
  };
  return {
    paceOf: (hostname) => checker.paceOf(hostname),
    challenge: (subject, now, signal) => limited(subject.tenantId, () => checker.challenge(subject, now, signal)),
    cname: (subject, now, signal) => limited(subject.tenantId, () => checker.cname(subject, now, signal)),
    records: (subject, now, signal) => limited(subject.tenantId, () => checker.records(subject, now, signal)),
  };
}
