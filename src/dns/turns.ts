import { NoTurn, type Checker } from '../domain/observation/check.ts';

/**
 * Lets each tenant have so many checks of the real DNS under way in this process, and no more: names on servers that
 * keep silent would otherwise take every slot of the worker, and all other tenants would wait for them. As many again
 * may wait a moment for their turn; the rest are told when to come back, spread over the time their turns will take.
 */
export interface Turns {
  /** Resolves to what ends the turn; rejects with NoTurn. */
  take(tenantId: string): Promise<() => void>;
}

const PATIENCE_MS = 1_000;

interface Tenant {
  underWay: number;
  waiting: (() => void)[];
  /** How long a check takes, lately. */
  meanMs: number;
  /** When the last of those that were sent away may come back. */
  promisedUntil: number;
}

export function createTurns(most: number, now: () => number = () => performance.now()): Turns {
  const tenants = new Map<string, Tenant>();

  function begin(tenant: Tenant): () => void {
    tenant.underWay += 1;
    const began = now();
    return () => {
      tenant.underWay -= 1;
      tenant.meanMs = 0.8 * tenant.meanMs + 0.2 * (now() - began);
      tenant.waiting.shift()?.();
    };
  }

  function refuse(tenant: Tenant): NoTurn {
    tenant.promisedUntil = Math.max(tenant.promisedUntil, now() + PATIENCE_MS) + tenant.meanMs / most;
    return new NoTurn(Math.round(tenant.promisedUntil - now()));
  }

  return {
    async take(tenantId) {
      const tenant = tenants.get(tenantId) ?? { underWay: 0, waiting: [], meanMs: 0, promisedUntil: 0 };
      tenants.set(tenantId, tenant);
      if (tenant.underWay < most) return begin(tenant);
      if (tenant.waiting.length >= most) throw refuse(tenant);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const called = () => resolve(true);
      tenant.waiting.push(called);
      const patience = setTimeout(() => resolve(false), PATIENCE_MS);
      const hasTurn = await promise;
      clearTimeout(patience);
      if (hasTurn) return begin(tenant);
      tenant.waiting = tenant.waiting.filter((other) => other !== called);
      throw refuse(tenant);
    },
  };
}

/** The same checker, one turn at a time. */
export function inTurn(checker: Checker, turns: Turns): Checker {
  const taking = async <T>(tenantId: string, check: () => Promise<T>): Promise<T> => {
    const end = await turns.take(tenantId);
    try {
      return await check();
    } finally {
      end();
    }
  };
  return {
    paceOf: (hostname) => checker.paceOf(hostname),
    challenge: (subject, now, signal) => taking(subject.tenantId, () => checker.challenge(subject, now, signal)),
    records: (subject, now, signal) => taking(subject.tenantId, () => checker.records(subject, now, signal)),
  };
}
