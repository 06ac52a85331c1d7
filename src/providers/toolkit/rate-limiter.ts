import { setTimeout as pause } from 'node:timers/promises';
import { BoundedMap } from '../../net/bounded-map.ts';
import type { RequestWindow } from '../descriptor.ts';
import { returnToken, takeToken, type Allowance, type AllowanceState } from './request-allowance.ts';

/** Counts requests by key: of an account, or of a zone. Processes that run together must share one store. */
export interface AllowanceStore {
  take(
    key: string,
    windows: readonly RequestWindow[],
    patienceMs: number,
  ): Promise<Pick<Allowance, 'outcome' | 'waitMs'>>;
  giveBack(key: string, windows: readonly RequestWindow[]): Promise<void>;
}

/** The windows that count a request, and the key under which the store keeps them. */
export interface Counter {
  key: string;
  windows: readonly RequestWindow[];
}

export type Admission = { outcome: 'go' } | { outcome: 'refused'; retryAfterSeconds: number };

/** Waits until every counter admits a request, at most `patienceMs`. A caller that gives up returns its tokens. */
export async function awaitAllowance(
  store: AllowanceStore,
  counters: readonly Counter[],
  { patienceMs, signal }: { patienceMs: number; signal: AbortSignal },
): Promise<Admission> {
  const taken: Counter[] = [];
  const giveBack = () => Promise.all(taken.map(({ key, windows }) => store.giveBack(key, windows)));
  let longestMs = 0;
  for (const counter of counters) {
    const { outcome, waitMs } = await store.take(counter.key, counter.windows, patienceMs);
    if (outcome === 'refused') {
      await giveBack();
      return { outcome, retryAfterSeconds: Math.ceil(waitMs / 1_000) };
    }
    taken.push(counter);
    longestMs = Math.max(longestMs, waitMs);
  }
  if (longestMs === 0) return { outcome: 'go' };
  try {
    await pause(longestMs, undefined, { signal });
  } catch (error) {
    await giveBack();
    throw error;
  }
  return { outcome: 'go' };
}

/** Returns the counters of a request: its account's and, for windows that count each zone, its zone's. */
export function countersFor(
  account: string,
  windows: readonly RequestWindow[],
  { isWrite, zone }: { isWrite: boolean; zone?: string | undefined },
): Counter[] {
  const counting = windows.filter(({ counts }) => counts === undefined || (counts === 'writes') === isWrite);
  return [
    ...(zone === undefined
      ? []
      : [{ key: `${account} ${zone}`, windows: counting.filter(({ per }) => per === 'zone') }]),
    { key: account, windows: counting.filter(({ per }) => per === undefined) },
  ].filter((counter) => counter.windows.length > 0);
}

const KEYS_MAX = 10_000;

/** A store for a single process, such as a command or a test. */
export function inProcessAllowances(clock: () => number = () => performance.now()): AllowanceStore {
  // The evicted key is the one used longest ago, whose windows are full again.
  const states = new BoundedMap<string, AllowanceState>(KEYS_MAX);
  return {
    take: (key, windows, patienceMs) => {
      const taken = takeToken(windows, states.get(key) ?? {}, clock(), patienceMs);
      if (taken.outcome === 'granted') states.set(key, taken.state);
      return Promise.resolve(taken);
    },
    giveBack: (key, windows) => {
      states.set(key, returnToken(windows, states.get(key) ?? {}, clock()));
      return Promise.resolve();
    },
  };
}
