/**
 * Returns how many random cases a test tries. Every run draws new cases, so an ordinary run tries only a part of them.
 * `TRIES=all` tries the full number.
 */
export const tries = (all: number, usually: number): number => (process.env['TRIES'] === 'all' ? all : usually);

/**
 * Runs a test that draws its own cases, with a new seed in every run. A failure prints the seed; set `SEED` to it to
 * draw the same cases again.
 */
export async function withSeed(body: (seed: number) => void | Promise<void>): Promise<void> {
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  try {
    await body(seed);
  } catch (cause) {
    throw new Error(`Failed with SEED=${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
