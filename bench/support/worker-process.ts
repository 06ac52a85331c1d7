import { join } from 'node:path';
import { cacheDir } from '../../src/embedded/folders.ts';
import { startLineProcess } from './line-process.ts';

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
  const args = ['--max-old-space-size=384', script, kind, databaseUrl, temporalAddress, cacheDir()];
  const { pid, ask, stop } = await startLineProcess(args);
  return { pid, stop, ask: async () => JSON.parse(await ask('?')) as WorkerCounts };
}
