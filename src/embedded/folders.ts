import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const NAME = 'domain-connection-service';

/** Returns the shared folder for downloads. The account that runs Postgres for root cannot enter root's home. */
export function cacheDir(): string {
  const given = process.env['CACHE_DIR'];
  if (given !== undefined && given !== '') return resolve(given);
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', NAME);
  if (isRoot()) return join('/var/cache', NAME);
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), NAME);
}

/** Returns the data folder of `npm start` if DATA_DIR is not set. */
export function defaultDataDir(): string {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', NAME);
  if (isRoot()) return join('/var/lib', NAME);
  return join(process.env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), NAME);
}

/** Returns the folder with the pinned versions of the servers. Compiled code is one level deeper than the sources. */
export function toolsDir(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'tools', 'go.mod'))) {
    if (folder === dirname(folder)) throw new Error('The folder tools/ is missing from this installation.');
    folder = dirname(folder);
  }
  return join(folder, 'tools');
}

export const isRoot = (): boolean => process.getuid?.() === 0;
