import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, link, mkdir, readFile, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder } from '../../src/embedded/cache.ts';
import { cacheDir } from '../../src/embedded/folders.ts';
import { postgresBinaries } from '../../src/embedded/postgres-binaries.ts';
import { obtainServer } from '../../src/embedded/servers.ts';
import { readCompose } from '../support/fixtures/compose.ts';
import { obtainTestServer } from '../support/servers/test-servers.ts';
import type { Engine } from './engine.ts';

const ROOT = join(import.meta.dirname, '../..');
const RECIPES = join(import.meta.dirname, 'substitutes');
const run = promisify(execFile);

/** Debian packages that one of the substitutes contains. */
const PACKAGES = ['ca-certificates', 'busybox', 'libcap2-bin', 'netcat-openbsd', 'postgresql-client', 'prometheus'];
const BASE = 'debian-bookworm-for-substitutes-2';

interface Substitute {
  /** The folder with its Dockerfile. */
  recipe: string;
  /** Files for the Dockerfile: name in the build's context, and path on this machine. */
  files?: () => Promise<Record<string, string>>;
  args?: () => Promise<Record<string, string>>;
}

const say = (onProgress: (line: string) => void) => ({ onProgress });

/** A substitute for each image that is not available without a registry, by its name without the version. */
const substitutes = (onProgress: (line: string) => void): Record<string, Substitute> => ({
  node: {
    recipe: 'node',
    files: async () => ({ node: process.execPath, npm: await npmFolder(), 'npm-cache': await npmCache(onProgress) }),
    args: async () => ({ REGISTRY: (await run('npm', ['config', 'get', 'registry'])).stdout.trim() }),
  },
  caddy: { recipe: 'caddy', files: async () => ({ caddy: await obtainServer('caddy', say(onProgress)) }) },
  postgres: {
    recipe: 'postgres',
    files: async () => ({ native: await postgresBinaries(cacheDir(), onProgress) }),
  },
  'temporalio/server': {
    recipe: 'temporal-server',
    files: async () => ({ 'temporal-server': await obtainTestServer('temporal-server', say(onProgress)) }),
  },
  'temporalio/admin-tools': {
    recipe: 'temporal-admin-tools',
    files: async () => ({
      'temporal-sql': await obtainTestServer('temporal-sql', say(onProgress)),
      temporal: await obtainServer('temporal', say(onProgress)),
    }),
  },
  'prom/prometheus': { recipe: 'prometheus' },
  'temporalio/ui': { recipe: 'placeholder', args: () => Promise.resolve({ PORT: '8080' }) },
  'grafana/grafana': { recipe: 'placeholder', args: () => Promise.resolve({ PORT: '3000' }) },
});

/** Builds a substitute for every image that the Dockerfile and docker-compose.yml name, under the same tag. */
export async function buildSubstitutes(
  engine: Engine,
  folder: string,
  onProgress: (line: string) => void,
): Promise<void> {
  const base = await debian(onProgress);
  await engine.docker(['import', join(base, 'root.tar'), 'substitute-debian']);
  const recipes = substitutes(onProgress);
  for (const image of await imagesToBuild()) {
    const substitute = recipes[image.replace(/:.*/, '')];
    if (substitute === undefined) throw new Error(`No substitute is known for the image ${image}.`);
    onProgress(`Building a substitute for ${image} …`);
    await build(engine, join(folder, substitute.recipe), image, substitute);
  }
}

async function imagesToBuild(): Promise<string[]> {
  const [, base = ''] = /^FROM (\S+)/m.exec(await readFile(join(ROOT, 'Dockerfile'), 'utf8')) ?? [];
  const images = Object.values(readCompose().services).flatMap(({ image }) => (image?.includes(':') ? [image] : []));
  return [...new Set([base, ...images])];
}

async function build(
  engine: Engine,
  context: string,
  image: string,
  { recipe, files, args }: Substitute,
): Promise<void> {
  await cp(join(RECIPES, recipe), context, { recursive: true });
  for (const [name, from] of Object.entries((await files?.()) ?? {}))
    await run('cp', ['--recursive', '--dereference', from, join(context, name)]);
  const given = Object.entries((await args?.()) ?? {}).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
  await engine.docker(['build', '--label', 'substitute=true', '--tag', image, ...given, context]);
  await rm(context, { recursive: true });
}

/** Returns a folder with the base system, made once from Debian's packages. */
function debian(onProgress: (line: string) => void): Promise<string> {
  return cachedFolder(join(cacheDir(), BASE), async (aside) => {
    onProgress('Making a Debian for the substitutes, about 2 minutes …');
    const root = join(aside, 'root');
    await run('debootstrap', ['--variant=minbase', `--include=${PACKAGES.join(',')}`, 'bookworm', root], {
      maxBuffer: 1 << 26,
    });
    // As in the images that these substitute. Without sources, `apt-get update` succeeds without a network.
    await link(join(root, 'bin/busybox'), join(root, 'usr/local/bin/wget'));
    await rm(join(root, 'etc/apt/sources.list'), { force: true });
    await run('tar', ['-C', root, '-cf', join(aside, 'root.tar'), '.']);
    await rm(root, { recursive: true });
  });
}

/** Returns the folder of the npm that runs this command. */
async function npmFolder(): Promise<string> {
  const program = process.env['npm_execpath'];
  if (program === undefined) throw new Error('Run this as `npm run test:containers`.');
  return dirname(dirname(await realpath(program)));
}

/** Returns an npm cache with every package of the lock file. */
async function npmCache(onProgress: (line: string) => void): Promise<string> {
  const files = ['package.json', 'package-lock.json', '.npmrc'];
  const digest = createHash('sha256')
    .update(await readFile(join(ROOT, 'package-lock.json')))
    .digest('hex')
    .slice(0, 12);
  const kept = await cachedFolder(join(cacheDir(), `npm-cache-${digest}`), async (aside) => {
    onProgress('Filling an npm cache …');
    const project = join(aside, 'project');
    await mkdir(project);
    for (const file of files) await cp(join(ROOT, file), join(project, basename(file)));
    await run('npm', ['ci', '--ignore-scripts', '--cache', join(aside, 'cache')], { cwd: project });
    await rm(project, { recursive: true });
  });
  return join(kept, 'cache');
}
