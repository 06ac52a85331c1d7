import { startChild } from '../../../src/embedded/child.ts';
import { freePort, isListening } from '../../../src/embedded/ports.ts';
import { pythonPackages } from './python-packages.ts';
import { until } from '../until.ts';

/** Fetches Hypercorn once; `all-servers.ts` calls it before the tests, so that no test waits for it. */
export const obtainHypercorn = (): Promise<string> => pythonPackages('hypercorn', 'hypercorn-requirements.txt');

/** Starts a tenant's origin on Hypercorn with its defaults: a request may upgrade its connection to HTTP/2 (h2c). */
export async function startH2cOrigin(): Promise<{ url: string; port: number; stop(): Promise<void> }> {
  const port = await freePort();
  const child = await startChild({
    name: 'Hypercorn',
    executable: 'python3',
    args: ['-m', 'hypercorn', '--bind', `127.0.0.1:${port}`, 'h2c_origin:app'],
    cwd: import.meta.dirname,
    env: { PATH: process.env['PATH'], PYTHONPATH: await obtainHypercorn(), PYTHONDONTWRITEBYTECODE: '1' },
    stopWith: [{ signal: 'SIGTERM', graceMs: 3_000 }],
  });
  await until(() => isListening(port));
  return { url: `http://127.0.0.1:${port}`, port, stop: child.stop };
}
