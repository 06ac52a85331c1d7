import {
  changeAllowance,
  replaceAllowance,
  type AllowanceDecision,
  type SeenAllowance,
} from '../db/zone/request-allowances.ts';
import type { Pool } from '../db/pool.ts';
import { BoundedMap } from '../net/bounded-map.ts';
import type { RequestWindow } from '../providers/descriptor.ts';
import type { AllowanceStore } from '../providers/toolkit/rate-limiter.ts';
import {
  returnToken,
  takeAhead,
  takeFromStock,
  takeToken,
  type AllowanceState,
  type Stock,
} from '../providers/toolkit/request-allowance.ts';

const ACCOUNTS_MAX = 1_000;

type Windows = readonly RequestWindow[];
type Taken = Awaited<ReturnType<AllowanceStore['take']>>;

const GRANTED: Taken = { outcome: 'granted', waitMs: 0 };

/** A caller that waits for this process to change the account's state. */
interface Waiting {
  windows: Windows;
  /** Longest wait that the caller accepts for a token; undefined if it returns a token. */
  patienceMs: number | undefined;
  resolve(taken: Taken): void;
  reject(error: unknown): void;
}

/**
 * Keeps the rate limits of provider accounts and their zones in Postgres, where all processes share them. Each window, a
 * provider's limit such as 20 requests per second, is a token bucket. One statement serves all callers of a process that
 * wait for the same account. While the buckets are more than half full, it also takes a few tokens for the next requests.
 */
export function sharedAllowances(pool: Pool): AllowanceStore {
  const accounts = new BoundedMap<string, SharedAccount>(ACCOUNTS_MAX);
  const accountOf = (key: string): SharedAccount => {
    const account = accounts.get(key) ?? new SharedAccount(pool, key);
    accounts.set(key, account);
    return account;
  };
  return {
    take: (key, windows, patienceMs) => accountOf(key).take(windows, patienceMs),
    giveBack: async (key, windows) => {
      await accountOf(key).giveBack(windows);
    },
  };
}

/** A process's knowledge of an account, its stock of tokens, and its callers that wait. */
class SharedAccount {
  private readonly pool: Pool;
  private readonly key: string;
  /** The state that the process saw last, at a time of this process's clock. */
  private last: (SeenAllowance & { at: number }) | undefined;
  private stock: (Stock & { windows: string }) | undefined;
  private waiting: Waiting[] = [];
  private isServing = false;

  constructor(pool: Pool, key: string) {
    this.pool = pool;
    this.key = key;
  }

  take(windows: Windows, patienceMs: number): Promise<Taken> {
    if (this.waiting.length === 0 && this.isInStock(windows)) return Promise.resolve(GRANTED);
    return this.wait(windows, patienceMs);
  }

  giveBack(windows: Windows): Promise<Taken> {
    return this.wait(windows, undefined);
  }

  private wait(windows: Windows, patienceMs: number | undefined): Promise<Taken> {
    const { promise, resolve, reject } = Promise.withResolvers<Taken>();
    this.waiting.push({ windows, patienceMs, resolve, reject });
    if (!this.isServing) void this.serveAll();
    return promise;
  }

  private async serveAll(): Promise<void> {
    this.isServing = true;
    while (this.waiting.length > 0) await this.serve(this.waiting.splice(0));
    this.isServing = false;
  }

  /** Serves callers from the stock, and the others by one change of the account's state. */
  private async serve(callers: readonly Waiting[]): Promise<void> {
    const others: Waiting[] = [];
    for (const caller of callers)
      if (caller.patienceMs !== undefined && this.isInStock(caller.windows)) caller.resolve(GRANTED);
      else others.push(caller);
    if (others.length === 0) return;
    // The stock ages from before the statement, because the buckets refill from then on.
    const takenAt = performance.now();
    try {
      const { taken, ahead } = await this.change((state, nowMs) => decide(others, state, nowMs));
      if (ahead !== undefined) this.stock = { tokens: ahead.tokens, windows: ahead.windows, takenAt };
      others.forEach(({ resolve }, index) => resolve(taken[index] ?? GRANTED));
    } catch (error) {
      for (const { reject } of others) reject(error);
    }
  }

  /** Takes a token from the stock if it holds one for these windows. */
  private isInStock(windows: Windows): boolean {
    if (this.stock?.windows !== JSON.stringify(windows)) return false;
    const left = takeFromStock(windows, this.stock, performance.now());
    this.stock = left && { ...left, windows: this.stock.windows };
    return left !== undefined;
  }

  /**
   * Changes the account's state. A process that used the account last replaces the state that it knows by one statement.
   * If another process has changed the state, it is read under a lock.
   */
  private async change<T>(decision: AllowanceDecision<T>): Promise<T> {
    const at = performance.now();
    const { last } = this;
    this.last = undefined; // a statement that fails leaves an unknown state
    if (last !== undefined) {
      const nowMs = last.nowMs + (at - last.at);
      const { result, next } = decision(last.state, nowMs);
      if (next !== undefined && (await replaceAllowance(this.pool, this.key, last.state, next))) {
        this.last = { state: next, nowMs, at };
        return result;
      }
    }
    const { result, seen } = await changeAllowance(this.pool, this.key, decision);
    this.last = { ...seen, at: performance.now() };
    return result;
  }
}

interface Served {
  /** Outcome of each caller, in the order of the callers. */
  taken: Taken[];
  /** Tokens for later requests like the last one. */
  ahead: { tokens: number; windows: string } | undefined;
}

/** Takes or returns a token for each caller, and then takes tokens ahead if every caller got one without a wait. */
function decide(
  callers: readonly Waiting[],
  before: AllowanceState,
  nowMs: number,
): { result: Served; next?: AllowanceState } {
  let state = before;
  const taken = callers.map(({ windows, patienceMs }): Taken => {
    if (patienceMs === undefined) {
      state = returnToken(windows, state, nowMs);
      return GRANTED;
    }
    const answer = takeToken(windows, state, nowMs, patienceMs);
    if (answer.outcome === 'granted') ({ state } = answer);
    return { outcome: answer.outcome, waitMs: answer.waitMs };
  });
  const last = callers.findLast(({ patienceMs }) => patienceMs !== undefined);
  const more = last && takeAhead(last.windows, state, nowMs);
  const next = more?.state ?? state;
  const ahead = last && more && more.tokens > 0 ? { tokens: more.tokens, windows: JSON.stringify(last.windows) } : undefined; // prettier-ignore
  return { result: { taken, ahead }, ...(next === before ? {} : { next }) };
}
