import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { newEdgeToken } from '../db/edge/registered-edges.ts';
import { newKey, newPassword } from './new-secret.ts';

/** Keys that are created once and kept forever: losing one locks out the data that it protects. */
const LocalKeys = z.object({
  postgres_password: z.string(),
  CREDENTIAL_KEYS: z.string(),
  WIDGET_TOKEN_KEYS: z.string(),
  CURSOR_KEY: z.string(),
  /** Passwords of the logins of the API and the worker. */
  api_password: z.string(),
  worker_password: z.string(),
  /** Token of this machine's own edge. */
  EDGE_TOKEN: z.string(),
});
export type LocalKeys = z.infer<typeof LocalKeys>;

export async function localKeys(dataDir: string): Promise<LocalKeys> {
  const file = join(dataDir, 'keys.json');
  const kept = LocalKeys.partial().parse((await readJson(file)) ?? {});
  // A folder of an earlier version lacks some keys; existing ones stay.
  const keys = {
    postgres_password: kept.postgres_password ?? newPassword(),
    CREDENTIAL_KEYS: kept.CREDENTIAL_KEYS ?? newKey(),
    WIDGET_TOKEN_KEYS: kept.WIDGET_TOKEN_KEYS ?? newKey(),
    CURSOR_KEY: kept.CURSOR_KEY ?? newKey(),
    api_password: kept.api_password ?? newPassword(),
    worker_password: kept.worker_password ?? newPassword(),
    EDGE_TOKEN: kept.EDGE_TOKEN ?? newEdgeToken(),
  };
  await writePrivate(file, keys);
  return keys;
}

/** Returns undefined if the file does not exist. An unreadable file is an error, because it may hold keys. */
export async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a file that no other account can read, atomically. */
export async function writePrivate(file: string, content: unknown): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
