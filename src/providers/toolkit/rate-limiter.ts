import { setTimeout as pause } from 'node:timers/promises';
import { BoundedMap } from '../../net/bounded-map.ts';
import type { RequestWindow } from '../descriptor.ts';
import { returnToken, takeToken, type Allowance, type AllowanceState } from './request-allowance.ts';

/** Counts the requests of every account. Processes that run together must share one store. */
export interface AllowanceStore {
  take(
    account: string,
    windows: readonly RequestWindow[],
    patienceMs: number,
  ): Promise<Pick<Allowance, 'outcome' | 'waitMs'>>;
  giveBack(account: string, windows: readonly RequestWindow[]): Promise<void>;
}

export type Admission = { outcome: 'go' } | { outcome: 'refused'; retryAfterSeconds: number };

/** Waits until the account may send a request, at most `patienceMs`. A caller that gives up returns its token. */
export async function awaitAllowance(
  store: AllowanceStore,
  account: string,
  windows: readonly RequestWindow[],
  { patienceMs, signal }: { patienceMs: number; signal: AbortSignal },
): Promise<Admission> {
  if (windows.length === 0) return { outcome: 'go' };
  const { outcome, waitMs } = await store.take(account, windows, patienceMs);
  if (outcome === 'refused') return { outcome, retryAfterSeconds: Math.ceil(waitMs / 1_000) };
  if (waitMs === 0) return { outcome: 'go' };
  try {
    await pause(waitMs, undefined, { signal });
  } catch (error) {
    await store.giveBack(account, windows);
    throw error;
  }
  return { outcome: 'go' };
}

/** Returns the windows that count a request of this kind. */
export const windowsFor = (windows: readonly RequestWindow[], isWrite: boolean): readonly RequestWindow[] =>
  windows.filter(({ counts }) => counts === undefined || (counts === 'writes') === isWrite);

const ACCOUNTS_MAX = 10_000;

/** A store for a single process, such as a command or a test. */
export function inProcessAllowances(clock: () => number = () => performance.now()): AllowanceStore {
  // The evicted account is the one used longest ago, whose windows are full again.
  const accounts = new BoundedMap<string, AllowanceState>(ACCOUNTS_MAX);
  return {
    take: (account, windows, patienceMs) => {
      const taken = takeToken(windows, accounts.get(account) ?? {}, clock(), patienceMs);
      if (taken.outcome === 'granted') accounts.set(account, taken.state);
      return Promise.resolve(taken);
    },
    giveBack: (account, windows) => {
      accounts.set(account, returnToken(windows, accounts.get(account) ?? {}, clock()));
      return Promise.resolve();
    },
  };
}
