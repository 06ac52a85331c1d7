/** Returns the median of several rounds, which other load on the machine distorts less than the mean. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
