import type { Pool } from '../db/pool.ts';
import { isPaused } from '../db/zone/paused-providers.ts';

/** Returns whether the operator has paused a provider. */
export type PauseCheck = (provider: string) => Promise<boolean>;

/** Time after which a pause takes effect in every process, at the latest. */
const KNOWN_MS = 1_000;

/**
 * Asks the database whether a provider is paused, at most once a second while it is not. Providers are called several
 * times for each connection, and a pause is rare.
 */
export function pauseCheckIn(pool: Pool, clock: () => number = () => performance.now()): PauseCheck {
  const asked = new Map<string, { at: number; answer: Promise<boolean> }>();
  return async (provider) => {
    const known = asked.get(provider);
    if (known !== undefined && clock() - known.at < KNOWN_MS) return known.answer;
    const question = { at: clock(), answer: isPaused(pool, provider) };
    asked.set(provider, question);
    // Only the answer "not paused" is kept: a provider that is resumed can be called immediately.
    const isKept = await question.answer.then(
      (paused) => !paused,
      () => false,
    );
    if (!isKept && asked.get(provider) === question) asked.delete(provider);
    return question.answer;
  };
}
