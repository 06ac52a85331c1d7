import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PLATFORM, Unobtainable } from './recipe.ts';
import type { Recipe } from './recipe.ts';
import { lastLines, runTool } from './run-tool.ts';

export interface GoProgram {
  title: string;
  program: string;
  /** The module whose version in go.mod is the version of the program. */
  module: string;
  package: string;
  /** Approximate duration on two cores, for the progress message. */
  takes: string;
  /** The variable that a release build sets to the version. */
  versionVariable?: string;
}

/** Builds the program from the modules that tools/go.mod pins, with the hashes in go.sum. */
export async function goBuild(pinFolder: string, what: GoProgram): Promise<Recipe> {
  const pins = await readFile(join(pinFolder, 'go.mod'), 'utf8');
  const line = pins.split('\n').find((text) => text.trim().startsWith(`${what.module} v`));
  const version = line?.trim().split(' ')[1]?.slice(1);
  if (version === undefined) throw new Error(`go.mod in ${pinFolder} does not pin ${what.module}.`);
  return {
    key: `${what.program}-${version}-${PLATFORM}-go`,
    program: what.program,
    async make(folder, onProgress) {
      if (!(await runTool('go', ['version'])).ok) throw new Unobtainable('Go is not installed');
      onProgress(`Building ${what.title} ${version} with Go, about ${what.takes} …`);
      const args = ['build', '-C', pinFolder, '-trimpath', '-o', join(folder, what.program)];
      if (what.versionVariable !== undefined) args.push('-ldflags', `-X ${what.versionVariable}=${version}`);
      const env = { ...process.env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-mod=readonly' };
      const { ok, output } = await runTool('go', [...args, what.package], { env });
      if (!ok) throw new Unobtainable(`go build failed (${lastLines(output)})`);
    },
  };
}
