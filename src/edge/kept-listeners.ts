import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { ListenerExchange } from '../net/own-listeners.ts';

const Kept = z.array(z.string());

/** Stores the newest list in a file, for an agent that starts while the database is down. */
export function keptListeners(exchange: ListenerExchange, file: string): ListenerExchange {
  let kept: string | undefined;
  return {
    async swap(own) {
      const others = await exchange.swap(own).catch(async (error: unknown) => {
        if (kept !== undefined) throw error; // the list in memory is still valid
        return readKept(file);
      });
      const text = JSON.stringify(others);
      if (text !== kept) await write(file, text).catch(() => undefined); // the list stays in memory if the disk is full
      kept = text;
      return others;
    },
    withdraw: () => exchange.withdraw(),
  };
}

async function readKept(file: string): Promise<string[]> {
  try {
    return Kept.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return [];
  }
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
