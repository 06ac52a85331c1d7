import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Returns a hash that changes with any file in these folders and with the versions of the tools that process them. */
export async function fingerprint(folders: readonly string[], versions: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(versions.join(' '));
  for (const folder of folders) {
    const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const file of files.sort()) hash.update(file.slice(ROOT.length)).update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 16);
}
