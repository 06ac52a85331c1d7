import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cachedFolder } from './cache.ts';
import { cacheDir, toolsDir } from './folders.ts';
import { PLATFORM } from './recipe.ts';
import { lastLines, runTool } from './run-tool.ts';
import { StartError } from './start-error.ts';

/** Returns the folder of the module's Go sources. */
export const moduleFolder = (): string => join(dirname(toolsDir()), 'src/edge/module');

/** Returns the path of Caddy with our module. Its folder is named after the sources, so an old build is never used. */
export function builtEdge(): string {
  const sources = createHash('sha256');
  for (const name of readdirSync(moduleFolder(), { recursive: true, encoding: 'utf8' }).toSorted())
    if (/^go\.(mod|sum)$|\.go$/.test(name) && !name.endsWith('_test.go'))
      sources.update(name).update(readFileSync(join(moduleFolder(), name)));
  return join(cacheDir(), `edge-${sources.digest('hex').slice(0, 16)}-${PLATFORM}`, 'caddy');
}

/** Settings for Go: the versions of go.mod, and paths that do not depend on this machine. */
export const goEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  GOWORK: 'off',
  GOFLAGS: '-mod=readonly -trimpath',
});

/** Builds Caddy with our module from the versions in its go.mod, with the hashes in go.sum, and returns its path. */
export async function buildEdge(onProgress: (line: string) => void): Promise<string> {
  const built = builtEdge();
  await cachedFolder(dirname(built), async (aside) => {
    if (!(await runTool('go', ['version'])).ok)
      throw new StartError('Go is not installed, so Caddy with our module cannot be built. Install Go 1.26 or newer.');
    onProgress('Building Caddy with our module, about 3 minutes …');
    const args = ['build', '-C', moduleFolder(), '-o', join(aside, 'caddy'), '.'];
    const { ok, output } = await runTool('go', args, { env: { ...goEnvironment(), CGO_ENABLED: '0' } });
    if (!ok) throw new StartError(`Caddy with our module could not be built: ${lastLines(output)}`);
  });
  return built;
}
