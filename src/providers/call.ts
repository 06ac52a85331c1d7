import { setTimeout as pause } from 'node:timers/promises';

/** Limits of one call to a provider. An abort rejects with the signal's own reason; a timeout is `transient`. */
export interface Call {
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** The time that adapters use for signatures, for the expiry of tokens and for waiting. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Rejects with the signal's reason when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's own clock. Tests pass a clock that they advance themselves. */
export const systemClock: Clock = {
  now: Date.now,
  sleep: async (ms, signal) => {
    await pause(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
    signal?.throwIfAborted();
  },
};
