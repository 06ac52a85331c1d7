/** Requests that are counted on the way to the limit, at least. Up to this, a limit is exact. */
const FEWEST = 8;

/**
 * Returns whether a new request is counted, in place of itself and the uncounted ones before it. To count a request is
 * expensive, so few are counted while an origin is far from its limit, and all from half of the limit on. If all requests
 * hang, the limit is exact. `random` is in [0, 1); with it, a visitor cannot know which requests are counted.
 */
export function isCounted(limit: number, inProgress: number, uncounted: number, random: number): boolean {
  const probability = Math.max(FEWEST / limit, ((2 * inProgress) / limit) ** 2);
  return random < probability || (uncounted + 1) * probability >= 2;
}
