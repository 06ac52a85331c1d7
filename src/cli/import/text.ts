import { createReadStream } from 'node:fs';
import { CommandError } from '../errors.ts';

/** Reads a file as UTF-8, in chunks. Another encoding is refused, because it would give other hostnames. */
export async function* textOf(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let read = 0;
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      if (read === 0 && isUtf16(chunk)) throw new CommandError(`${file} is UTF-16. Save it as UTF-8.`);
      if (chunk.includes(0)) throw new CommandError(`${file} contains NUL bytes. Save it as UTF-8 text.`);
      read += chunk.length;
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new CommandError(`${file} is not UTF-8 (near byte ${read}). Save it as UTF-8.`);
    throw new CommandError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

const isUtf16 = ([first, second]: Buffer): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
