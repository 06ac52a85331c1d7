import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../call.ts';

/** The machine's own time. Tests give a clock that they move themselves. */
export const systemClock: Clock = {
  now: Date.now,
  sleep: async (ms, signal) => {
    await pause(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
    signal?.throwIfAborted();
  },
};
