import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A folder for one test, which only its owner may enter; removed when the test file, or a benchmark's process, is done.
 */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'service-test-'));
  folders.push(folder);
  return folder;
}

/** In a test jest's environment gives the list and removes what stands there (environment.ts). */
const given = (globalThis as { tempFolders?: string[] }).tempFolders;
const folders: string[] = given ?? [];

if (given === undefined)
  process.once('exit', () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
