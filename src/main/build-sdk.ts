import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { writeBuild, type Build } from '../sdk/files.ts';

/** Builds the browser's files of a release: the widget, the console and the API reference, each in a folder of its own. */
const [target] = process.argv.slice(2);
if (target === undefined) throw new Error('Usage: build-sdk <folder>');
for (const build of ['sdk', 'console', 'reference'] satisfies Build[]) {
  const folder = join(resolve(target), build);
  await rm(folder, { recursive: true, force: true });
  await writeBuild(build, folder);
}
