import type { Pool } from '../db/pool.ts';
import { changeAllowance } from '../db/zone/request-allowances.ts';
import type { AllowanceStore } from '../providers/toolkit/rate-limiter.ts';
import { returnToken, takeToken } from '../providers/toolkit/request-allowance.ts';

/** Counts the requests of an account over all processes of the installation. */
export const sharedAllowances = (pool: Pool): AllowanceStore => ({
  take: (account, windows, patienceMs) =>
    changeAllowance(pool, account, (state, nowMs) => {
      const taken = takeToken(windows, state, nowMs, patienceMs);
      const { outcome, waitMs } = taken;
      return { result: { outcome, waitMs }, ...(taken.outcome === 'granted' ? { next: taken.state } : {}) };
    }),
  giveBack: (account, windows) =>
    changeAllowance(pool, account, (state, nowMs) => ({ result: undefined, next: returnToken(windows, state, nowMs) })),
});
