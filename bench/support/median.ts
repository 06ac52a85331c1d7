/** Of rounds that stand side by side, so that what else the machine does meanwhile falls on all of them. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
