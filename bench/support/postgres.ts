import { join } from 'node:path';
import { cacheDir } from '../../src/embedded/folders.ts';
import { startPostgres, type Postgres } from '../../src/embedded/postgres.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';

/** Starts a Postgres for one benchmark. Its folder is removed when the process ends. */
export const startBenchPostgres = async (
  options: { durable?: boolean; settings?: Record<string, string> } = {},
): Promise<Postgres> =>
  startPostgres({
    dataDir: join(await tempFolder(), 'postgres'),
    cacheDir: cacheDir(),
    password: 'bench',
    durable: false,
    onProgress: () => undefined,
    ...options,
  });
