import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Changes with any file in these rooms, and with the versions of what makes something of them. */
export async function fingerprint(rooms: readonly string[], versions: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(versions.join(' '));
  for (const room of rooms) {
    const names = await readdir(join(ROOT, room), { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const file of files.sort()) hash.update(file.slice(ROOT.length)).update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 16);
}
