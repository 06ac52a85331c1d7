import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder that only its owner can enter. It is removed when the test file or the process ends. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'service-test-'));
  folders.push(folder);
  return folder;
}

/** In a test, jest's environment (environment.ts) provides the list and removes the folders. */
const given = (globalThis as { tempFolders?: string[] }).tempFolders;
const folders: string[] = given ?? [];

if (given === undefined)
  process.once('exit', () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
