import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const Package = z.object({ version: z.string() });

/** Returns the version of this release, from package.json. Compiled code is one level deeper than the sources. */
export function releaseVersion(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  const file = join(folder, 'package.json');
  return existsSync(file) ? Package.parse(JSON.parse(readFileSync(file, 'utf8'))).version : 'unknown';
}
