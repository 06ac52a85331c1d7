import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cachedFolder } from '../../src/embedded/cache.ts';
import { cacheDir } from '../../src/embedded/places.ts';
import { freePort, isListening } from '../../src/embedded/ports.ts';
import { lastLines, runTool } from '../../src/embedded/run-tool.ts';
import { startServer } from './server-process.ts';

const REQUIREMENTS = join(import.meta.dirname, 'moto-requirements.txt');

/** Fetches moto once, outside the checkout; `all-servers.ts` calls it before the tests, so that none of them waits. */
export async function obtainMoto(): Promise<string> {
  const version = createHash('sha256')
    .update(await readFile(REQUIREMENTS))
    .digest('hex')
    .slice(0, 12);
  return cachedFolder(join(cacheDir(), `moto-${version}`), async (aside) => {
    const args = ['-m', 'pip', 'install', '--quiet', '--target', aside, '--requirement', REQUIREMENTS];
    const { ok, output } = await runTool('python3', args);
    if (!ok) throw new Error(`pip could not fetch moto: ${lastLines(output)}`);
  });
}

/** Amazon's API as people of another project have written it: a judge of our Route 53 adapter beside our own double. */
export async function startMoto(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await obtainMoto();
  const port = await freePort();
  const run = `import sys; sys.path.insert(0, sys.argv.pop(1)); from moto.server import main; main()`;
  const args = ['-c', run, folder, '-H', '127.0.0.1', '-p', String(port)];
  const server = await startServer('python3', args, () => isListening(port));
  return { url: `http://127.0.0.1:${port}`, stop: server.stop };
}
