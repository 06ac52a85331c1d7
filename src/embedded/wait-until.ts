import { setTimeout as pause } from 'node:timers/promises';

const CHECK_EVERY_MS = 25;

/** Waits until the condition is true. Returns false if the time is up. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, limitMs: number): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() >= end) return false;
    await pause(CHECK_EVERY_MS);
  }
  return true;
}
