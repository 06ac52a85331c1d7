import { bundleWorkflowCode } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fingerprint } from '../fingerprint.ts';
import sdk from '@temporalio/worker/package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../..');

/** Folders whose code is part of the bundle. */
const SOURCES = ['workflows', 'src/domain'];

/** Returns the workflows as one file: a build ships it, and sources are bundled and cached when they change. */
export async function workflowBundle(cacheDir: string): Promise<{ codePath: string }> {
  const shipped = join(ROOT, 'workflows.js');
  if (existsSync(shipped)) return { codePath: shipped };
  const codePath = join(cacheDir, `workflows-${await fingerprint(SOURCES, [sdk.version])}.js`);
  if (!existsSync(codePath)) await writeBundle(codePath);
  return { codePath };
}

/** Writes to a temporary file and renames it, so that no other process reads half a bundle. */
export async function writeBundle(codePath: string): Promise<void> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: moduleOf('index'),
    workflowInterceptorModules: [moduleOf('traces')],
    logger: quiet,
  });
  await mkdir(join(codePath, '..'), { recursive: true });
  const aside = `${codePath}.${randomUUID()}`;
  await writeFile(aside, code);
  await rename(aside, codePath);
}

function moduleOf(name: string): string {
  const found = ['ts', 'js'].map((extension) => join(ROOT, 'workflows', `${name}.${extension}`)).find(existsSync);
  if (found === undefined) throw new Error('The workflows are missing from this installation.');
  return found;
}

const ignore = () => undefined;
const quiet = { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: console.warn, error: console.error };
