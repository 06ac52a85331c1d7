import type { Pool } from '../db/pool.ts';
import { changeAllowance } from '../db/zone/request-allowances.ts';
import type { AllowanceStore } from '../providers/toolkit/rate-limiter.ts';
import { returnToken, takeToken } from '../providers/toolkit/request-allowance.ts';

/**
 * Keeps the rate limits of provider accounts and their zones in Postgres, where all processes share them. Each window, a provider's
 * limit such as 20 requests per second, is a token bucket.
 */
export const sharedAllowances = (pool: Pool): AllowanceStore => ({
  take: (key, windows, maxWaitMs) =>
    changeAllowance(pool, key, (state, nowMs) => {
      const taken = takeToken(windows, state, nowMs, maxWaitMs);
      const { outcome, waitMs } = taken;
      return { result: { outcome, waitMs }, ...(taken.outcome === 'granted' ? { next: taken.state } : {}) };
    }),
  giveBack: (key, windows) =>
    changeAllowance(pool, key, (state, nowMs) => ({ result: undefined, next: returnToken(windows, state, nowMs) })),
});
