import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

/**
 * Removes the parts of FOLDER's production dependencies that the Docker image never runs:
 * `node tools/prune-modules.ts FOLDER`. The Dockerfile and the test of the image's content both run this script.
 */
const folder = resolve(process.argv[2] ?? '.');
const modules = join(folder, 'node_modules');

/**
 * Packages with which Temporal's SDK bundles workflows. The image contains the finished bundle, so these packages are
 * removed. Temporal's SDK still imports webpack, so an empty package replaces it below.
 */
const BUNDLERS = ['webpack', 'swc-loader', '@swc/core', 'source-map-loader'];

interface Package {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}
const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Package>;
};

/** Finds a dependency as Node does: inside the package that needs it, then further up. */
function locate(from: string, name: string): string | undefined {
  const above = from.split(/\/?node_modules\//).slice(1);
  for (let depth = above.length; depth >= 0; depth--) {
    const path = [...above.slice(0, depth), name].map((part) => `node_modules/${part}`).join('/');
    if (path in packages) return path;
  }
  return undefined;
}

const needed = new Set<string>();
const visit = (path: string): void => {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = packages[path] ?? {};
  const wanted = path === '' ? dependencies : { ...dependencies, ...optionalDependencies, ...peerDependencies };
  for (const name of Object.keys(wanted).filter((dependency) => !BUNDLERS.includes(dependency))) {
    const found = locate(path, name);
    if (found === undefined || needed.has(found)) continue;
    needed.add(found);
    visit(found);
  }
};
visit('');

for (const path of Object.keys(packages))
  if (path !== '' && !needed.has(path)) rmSync(join(folder, path), { recursive: true, force: true });
mkdirSync(join(modules, 'webpack'), { recursive: true });
writeFileSync(join(modules, 'webpack/package.json'), '{"name":"webpack","version":"0.0.0","main":"index.js"}\n');
writeFileSync(join(modules, 'webpack/index.js'), '// Not part of this image: dist/workflows.js is bundled already.\n');

// The native part of Temporal's SDK contains a binary for each platform. Only this platform's binary stays.
const bridge = join(modules, '@temporalio/core-bridge');
const { getPrebuiltTargetName } = createRequire(import.meta.url)(join(bridge, 'common.js')) as {
  getPrebuiltTargetName(): string;
};
for (const target of readdirSync(join(bridge, 'releases')))
  if (target !== getPrebuiltTargetName()) rmSync(join(bridge, 'releases', target), { recursive: true });
// Sources of the binaries.
for (const name of ['sdk-core', 'src', 'ts', 'bridge-macros'])
  rmSync(join(bridge, name), { recursive: true, force: true });

for (const unused of globSync(['**/*.map', '**/*.d.{ts,cts,mts}'], { cwd: modules })) rmSync(join(modules, unused));
// Links to programs of removed packages.
for (const bin of globSync('.bin/*', { cwd: modules })) if (!existsSync(join(modules, bin))) rmSync(join(modules, bin));
