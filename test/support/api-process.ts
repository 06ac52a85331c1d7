import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/ports.ts';
import { until } from './until.ts';

/** `node src/main/api.ts` in a process of its own, on a database of the test's. */
export interface ApiProcess {
  port: number;
  stop(): Promise<void>;
}

export async function startApiProcess(databaseUrl: string, env: NodeJS.ProcessEnv = {}): Promise<ApiProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, ['src/main/api.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      // Nobody is there: what is tried here needs no workflows.
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      PORT: String(port),
      CREDENTIAL_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
      LOG_LEVEL: 'error',
      LOG_FORMAT: 'json',
      DATABASE_POOL: '8',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const exited = once(child, 'exit');
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`The API did not start:\n${complaints}`);
    return fetch(`http://127.0.0.1:${env['INTERNAL_PORT'] ?? port}/internal/ask`).then(
      ({ status }) => status === 400,
      () => false,
    );
  }, 30_000);
  return {
    port,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
