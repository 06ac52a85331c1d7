import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 25;

/** Looks until the condition holds or the time is up, and says which. */
export async function waitUntil(holds: () => boolean | Promise<boolean>, limitMs: number): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() >= end) return false;
    await pause(LOOK_EVERY_MS);
  }
  return true;
}
