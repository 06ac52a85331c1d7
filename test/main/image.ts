import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from './build.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Builds the image's folder /service with the steps of the Dockerfile. It is not inside a checkout. */
export async function makeImageFolder(): Promise<string> {
  const folder = await tempFolder();
  const files = ['package.json', 'package-lock.json', '.npmrc'];
  for (const file of files) await cp(join(ROOT, file), join(folder, file));
  const install = ['ci', '--omit=dev', '--omit=optional', '--ignore-scripts', '--prefer-offline'];
  await Promise.all([run('npm', install, { cwd: folder }), build()]);
  await run(process.execPath, [join(ROOT, 'tools/prune-modules.ts'), folder]);
  await cp(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
  return folder;
}
