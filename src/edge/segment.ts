import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';

const SEGMENT = /^[\w-]{43}$/;

/** Creates the secret part of the path at which Caddy asks for certificates: 256 random bits, once per start of Caddy. */
export async function newSegment(file: string): Promise<string> {
  const segment = randomBytes(32).toString('base64url');
  await writeFile(`${file}.new`, segment, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return segment;
}

/**
 * Every answerer of this Caddy reads the same segment, so that a restarted one answers at the path that Caddy knows.
 * Returns undefined if the file has none.
 */
export async function readSegment(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return SEGMENT.test(text.trim()) ? text.trim() : undefined;
}
