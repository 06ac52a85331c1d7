import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** Made once and kept for ever: losing one locks out what it protects. */
const LocalKeys = z.object({
  postgres_password: z.string(),
  CREDENTIAL_KEYS: z.string(),
  WIDGET_TOKEN_KEYS: z.string(),
  CURSOR_KEY: z.string(),
});
export type LocalKeys = z.infer<typeof LocalKeys>;

export async function localKeys(dataDir: string): Promise<LocalKeys> {
  const file = join(dataDir, 'keys.json');
  const kept = await readJson(file);
  if (kept !== undefined) return LocalKeys.parse(kept);
  const key = () => `k1:${randomBytes(32).toString('base64')}`;
  const made = {
    postgres_password: randomBytes(24).toString('base64url'),
    CREDENTIAL_KEYS: key(),
    WIDGET_TOKEN_KEYS: key(),
    CURSOR_KEY: key(),
  };
  await writePrivate(file, made);
  return made;
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

/** Nobody else may read it, and nobody ever reads half of it. */
export async function writePrivate(file: string, content: unknown): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
