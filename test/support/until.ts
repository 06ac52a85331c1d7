import { waitUntil } from '../../src/embedded/wait-until.ts';

/** Waits for a condition, and throws if it is not true in time. */
export async function until(holds: () => boolean | Promise<boolean>, limitMs = 20_000): Promise<void> {
  if (!(await waitUntil(holds, limitMs))) throw new Error(`Not true after ${limitMs} ms: ${holds.toString()}`);
}
