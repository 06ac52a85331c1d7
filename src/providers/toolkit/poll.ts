import type { Clock } from '../call.ts';

export interface Patience {
  everyMs: number;
  limitMs: number;
  signal?: AbortSignal | undefined;
}

/** Asks repeatedly until there is an answer. Returns undefined if there was none in time. */
export async function pollUntil<T>(
  clock: Clock,
  { everyMs, limitMs, signal }: Patience,
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const end = clock.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined || clock.now() + everyMs > end) return answer;
    await clock.sleep(everyMs, signal);
  }
}
