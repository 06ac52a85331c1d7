import { stat } from 'node:fs/promises';
import { CommandError } from '../errors.ts';
import { readHostnames } from '../hostnames-csv.ts';
import type { ImportSource } from './source.ts';
import { textOf } from './text.ts';

/** Limit for the file, which is read as a whole: about half a million rows. */
const MOST_BYTES = 64 * 1_024 * 1_024;

/** Reads CSV with the columns of batches. `normalize` returns the hostname as it will be connected, or throws. */
export const csvSource = (file: string, normalize: (hostname: string) => string): ImportSource => ({
  async *rows(findings) {
    const { size } = await stat(file).catch(() => ({ size: 0 }));
    if (size > MOST_BYTES) throw new CommandError(`${file} is larger than 64 MB. Split it.`);
    let text = '';
    for await (const chunk of textOf(file)) text += chunk;
    const { rows, problems, unknown } = readHostnames(text, normalize);
    const [problem] = problems;
    if (rows.length === 0 && problem !== undefined) throw new CommandError(`${file}: ${problem}`);
    for (const [column, count] of unknown) findings.ignored.add(column, count);
    yield* rows;
  },
});
