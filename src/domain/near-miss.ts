/** Returns the known word that the given one probably means: the one with the fewest typing errors, if they are few. */
export function nearMiss(given: string, known: readonly string[]): string | undefined {
  const most = Math.min(3, Math.max(1, Math.floor(given.length / 4)));
  let best: { word: string; errors: number } | undefined;
  for (const word of known) {
    const errors = typingErrors(given.toLowerCase(), word.toLowerCase());
    if (errors <= most && errors < (best?.errors ?? Infinity)) best = { word, errors };
  }
  return best?.word;
}

/** Counts letters missing, added, replaced or swapped with their neighbour (Damerau-Levenshtein distance). */
function typingErrors(a: string, b: string): number {
  let twoBack: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (same ? 0 : 1),
        swapped ? at(twoBack, column - 2) + 1 : Infinity,
      );
    }
    [twoBack, previous] = [previous, current];
  }
  return at(previous, b.length);
}

const at = (numbers: readonly number[], index: number): number => numbers[index] ?? Infinity;
