/**
 * Returns how many random cases a test tries. Every run draws new cases, so a run usually tries a part of the number that
 * was once shown to hold. `TRIES=all` tries all.
 */
export const tries = (all: number, usually: number): number => (process.env['TRIES'] === 'all' ? all : usually);

/** Returns the seed of a test that draws its own cases: a new one in every run, or `SEED` to draw a failed run's cases again. */
export const drawnSeed = (): number => Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
