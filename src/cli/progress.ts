import type { BatchFacts } from '../domain/connection/batch.ts';
import { STATES } from '../domain/connection/connection.ts';

const WIDTH = 30;

/** Returns the progress of a batch in one line: finished and total connections, and the number in each state. */
export function progressOf({ states, results }: BatchFacts): string {
  const total = Object.values(states).reduce((sum, count) => sum + count, 0);
  const done = (states.live ?? 0) + (states.failed ?? 0) + (states.archived ?? 0) + (states.drifted ?? 0);
  const filled = total === 0 ? WIDTH : Math.floor((WIDTH * done) / total);
  const where = STATES.flatMap((state) => (states[state] === undefined ? [] : [`${states[state]} ${state}`]));
  const refused = results.conflict + results.invalid;
  return [
    `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${done}/${total}`,
    ...where,
    ...(refused === 0 ? [] : [`${refused} refused`]),
  ].join('  ');
}

/** Redraws the line in place on a terminal. Elsewhere, it writes a new line whenever the text changes. */
export function progressLine(stream: NodeJS.WriteStream): { show(line: string): void; end(): void } {
  let shown = '';
  return {
    show(line) {
      if (line === shown) return;
      shown = line;
      stream.write(stream.isTTY ? `\r\x1b[2K${line.slice(0, Math.max(20, stream.columns - 1))}` : `${line}\n`);
    },
    end() {
      if (stream.isTTY && shown !== '') stream.write('\n');
    },
  };
}
