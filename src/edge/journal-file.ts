import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

const CHUNK = 1 << 22;
const LINE_END = 0x0a;

/** Applies the complete lines of a file after a position, and returns the position behind them; 0 if there is no file. */
export function readLines(path: string, from: number, apply: (line: string) => void): number {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return 0;
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(Math.min(CHUNK, Math.max(1, fstatSync(file).size - from)));
    let position = from;
    let rest = Buffer.alloc(0);
    for (;;) {
      const length = readSync(file, buffer, 0, buffer.length, position + rest.length);
      if (length === 0) return position;
      const bytes = rest.length === 0 ? buffer.subarray(0, length) : Buffer.concat([rest, buffer.subarray(0, length)]);
      const end = bytes.lastIndexOf(LINE_END) + 1;
      for (const line of bytes.subarray(0, end).toString('utf8').split('\n')) if (line !== '') apply(line);
      position += end;
      rest = Buffer.from(bytes.subarray(end)); // a copy, because the buffer is filled again
    }
  } finally {
    closeSync(file);
  }
}
