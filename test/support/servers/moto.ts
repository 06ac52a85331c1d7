import { freePort, isListening } from '../../../src/embedded/ports.ts';
import { pythonPackages } from './python-packages.ts';
import { startServer } from './server-process.ts';

/** Fetches moto once; `all-servers.ts` calls it before the tests, so that no test waits for it. */
export const obtainMoto = (): Promise<string> => pythonPackages('moto', 'moto-requirements.txt');

/**
 * Starts another project's implementation of Amazon's API, which checks our Route 53 adapter in addition to our own
 * double.
 */
export async function startMoto(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await obtainMoto();
  const port = await freePort();
  const run = `import sys; sys.path.insert(0, sys.argv.pop(1)); from moto.server import main; main()`;
  const args = ['-c', run, folder, '-H', '127.0.0.1', '-p', String(port)];
  const server = await startServer('python3', args, () => isListening(port));
  return { url: `http://127.0.0.1:${port}`, stop: server.stop };
}
