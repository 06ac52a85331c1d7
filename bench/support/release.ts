import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from '../../src/embedded/folders.ts';

const REPOSITORY = join(import.meta.dirname, '../..');

/**
 * Returns a folder with the sources of a recorded release and its packages, made at the first call. Returns undefined
 * where the history of this repository does not have the release's commit, as in a shallow clone.
 */
export function obtainRelease(version: string): string | undefined {
  const recorded = readFileSync(join(REPOSITORY, 'test/upgrade', version, 'release.json'), 'utf8');
  const { commit } = JSON.parse(recorded) as { commit: string };
  const git = (...args: string[]) => spawnSync('git', args, { cwd: REPOSITORY, maxBuffer: 512 * 1_024 * 1_024 });
  if (git('cat-file', '-e', `${commit}^{commit}`).status !== 0) return undefined;
  const folder = join(cacheDir(), `release-${commit}`);
  if (existsSync(folder)) return folder;
  process.stderr.write(`Installing release ${version} …\n`);
  const aside = `${folder}.new`;
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true });
  execFileSync('tar', ['-x', '-C', aside], { input: git('archive', commit).stdout });
  execFileSync('npm', ['ci'], { cwd: aside, stdio: ['ignore', 'ignore', 'inherit'] });
  renameSync(aside, folder);
  return folder;
}
