import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cacheDir } from '../../src/embedded/folders.ts';

export interface WorkerCounts {
  checks: number;
  /** Connections that were checked, each counted once. */
  watched: number;
  rss: number;
}

export interface WorkerProcess {
  pid: number;
  ask(): Promise<WorkerCounts>;
  stop(): Promise<void>;
}

/** Starts a worker with the heap limit that an operator would set for a process of one gigabyte. */
export async function startWorkerProcess(
  kind: 'ours' | 'loop',
  databaseUrl: string,
  temporalAddress: string,
): Promise<WorkerProcess> {
  const script = join(import.meta.dirname, 'worker-server.ts');
  const child = spawn(
    process.execPath,
    ['--max-old-space-size=384', script, kind, databaseUrl, temporalAddress, cacheDir()],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return {
    pid: child.pid!,
    async ask() {
      child.stdin.write('?');
      return JSON.parse(String((await lines.next()).value)) as WorkerCounts;
    },
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
