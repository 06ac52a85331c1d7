import {
  changeAllowance,
  replaceAllowance,
  type AllowanceDecision,
  type SeenAllowance,
} from '../db/zone/request-allowances.ts';
import type { Pool } from '../db/pool.ts';
import { BoundedMap } from '../net/bounded-map.ts';
import type { AllowanceStore } from '../providers/toolkit/rate-limiter.ts';
import { returnToken, takeToken } from '../providers/toolkit/request-allowance.ts';

const ACCOUNTS_MAX = 1_000;

/** A process's knowledge of an account: its last state, at a time of this process's clock, and the last change in progress. */
interface Known {
  last: (SeenAllowance & { at: number }) | undefined;
  turn: Promise<unknown>;
}

/**
 * Keeps the rate limits of provider accounts and their zones in Postgres, where all processes share them. Each window, a
 * provider's limit such as 20 requests per second, is a token bucket. A process that used an account last replaces the
 * state that it knows by one statement; if another process has changed it, the state is read under a lock.
 */
export function sharedAllowances(pool: Pool): AllowanceStore {
  const accounts = new BoundedMap<string, Known>(ACCOUNTS_MAX);

  /** Changes an account's state. Within this process, changes of one account take turns. */
  function change<T>(key: string, decide: AllowanceDecision<T>): Promise<T> {
    const known = accounts.get(key) ?? { last: undefined, turn: Promise.resolve() };
    accounts.set(key, known);
    const mine = known.turn.then(() => changeNow(key, known, decide));
    known.turn = mine.catch(() => undefined);
    return mine;
  }

  async function changeNow<T>(key: string, known: Known, decide: AllowanceDecision<T>): Promise<T> {
    const at = performance.now();
    const { last } = known;
    known.last = undefined; // a statement that fails leaves an unknown state
    if (last !== undefined) {
      const nowMs = last.nowMs + (at - last.at);
      const { result, next } = decide(last.state, nowMs);
      if (next !== undefined && (await replaceAllowance(pool, key, last.state, next))) {
        known.last = { state: next, nowMs, at };
        return result;
      }
    }
    const { result, seen } = await changeAllowance(pool, key, decide);
    known.last = { ...seen, at: performance.now() };
    return result;
  }

  return {
    take: (key, windows, maxWaitMs) =>
      change(key, (state, nowMs) => {
        const taken = takeToken(windows, state, nowMs, maxWaitMs);
        const { outcome, waitMs } = taken;
        return { result: { outcome, waitMs }, ...(taken.outcome === 'granted' ? { next: taken.state } : {}) };
      }),
    giveBack: (key, windows) =>
      change(key, (state, nowMs) => ({ result: undefined, next: returnToken(windows, state, nowMs) })),
  };
}
