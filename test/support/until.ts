import { setTimeout as pause } from 'node:timers/promises';

/** Waits for a condition, and fails when it does not come true in time. */
export async function until(holds: () => boolean | Promise<boolean>, limitMs = 20_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Not true after ${limitMs} ms: ${holds.toString()}`);
    await pause(20);
  }
}
