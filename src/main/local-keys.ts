import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { newKey, newPassword } from './new-secret.ts';

/** Made once and kept for ever: losing one locks out what it protects. */
const LocalKeys = z.object({
  postgres_password: z.string(),
  CREDENTIAL_KEYS: z.string(),
  WIDGET_TOKEN_KEYS: z.string(),
  CURSOR_KEY: z.string(),
  /** Of the logins with which the API and the worker work. */
  api_password: z.string(),
  worker_password: z.string(),
});
export type LocalKeys = z.infer<typeof LocalKeys>;

export async function localKeys(dataDir: string): Promise<LocalKeys> {
  const file = join(dataDir, 'keys.json');
  const kept = LocalKeys.partial().parse((await readJson(file)) ?? {});
  // A folder of an earlier version has fewer: what it has stays as it is.
  const keys = {
    postgres_password: kept.postgres_password ?? newPassword(),
    CREDENTIAL_KEYS: kept.CREDENTIAL_KEYS ?? newKey(),
    WIDGET_TOKEN_KEYS: kept.WIDGET_TOKEN_KEYS ?? newKey(),
    CURSOR_KEY: kept.CURSOR_KEY ?? newKey(),
    api_password: kept.api_password ?? newPassword(),
    worker_password: kept.worker_password ?? newPassword(),
  };
  await writePrivate(file, keys);
  return keys;
}

/** Undefined when the file is not there; a file that is there but unreadable is an error, for it may hold keys. */
export async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** No other account may read it, and no process ever reads half of it. */
export async function writePrivate(file: string, content: unknown): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
