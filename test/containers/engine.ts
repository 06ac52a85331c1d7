import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder } from '../../src/embedded/cache.ts';
import { cacheDir } from '../../src/embedded/folders.ts';
import { goBuild } from '../../src/embedded/go-build.ts';
import { runTool } from '../../src/embedded/run-tool.ts';
import { until } from '../support/until.ts';
import { OUTSIDE, type TrialNetwork } from './network.ts';

const run = promisify(execFile);
const DOCKER = '/usr/bin/docker';

/** Docker's engine and its compose plugin, in the network of the trial, with images and volumes of their own. */
export class Engine {
  readonly env: NodeJS.ProcessEnv;

  private constructor(folder: string) {
    this.env = {
      // Another client on PATH may be too new for this engine.
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      HOME: folder,
      DOCKER_HOST: `unix://${join(folder, 'docker.sock')}`,
      DOCKER_CONFIG: join(folder, 'config'),
      DOCKER_BUILDKIT: '1',
    };
  }

  static async start(network: TrialNetwork, folder: string, say: (line: string) => void): Promise<Engine> {
    const engine = new Engine(folder);
    for (const name of ['bin', 'config/cli-plugins']) await mkdir(join(folder, name), { recursive: true });
    await symlink(DOCKER, join(folder, 'bin/docker'));
    await symlink(await compose(say), join(folder, 'config/cli-plugins/docker-compose'));
    // Without systemd, control groups are folders.
    const args = ['--exec-opt', 'native.cgroupdriver=cgroupfs', '--dns', OUTSIDE.dns, '-H', engine.env['DOCKER_HOST']!];
    args.push('--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec'), '-p', join(folder, 'pid'));
    await network.start('The engine', '/usr/sbin/dockerd', args);
    await until(async () => (await runTool(DOCKER, ['info'], { env: engine.env })).ok, 60_000);
    return engine;
  }

  /** Runs `docker` and returns what it prints. Errors contain its error output. */
  async docker(args: readonly string[]): Promise<string> {
    const { stdout } = await run(DOCKER, args, { env: this.env, maxBuffer: 1 << 28 });
    return stdout.trim();
  }

  async inspect<T>(ids: readonly string[]): Promise<T[]> {
    return ids.length === 0 ? [] : (JSON.parse(await this.docker(['inspect', ...ids])) as T[]);
  }
}

/** Builds the compose plugin from the modules that test/containers/compose pins. */
async function compose(say: (line: string) => void): Promise<string> {
  const recipe = await goBuild(join(import.meta.dirname, 'compose'), {
    title: 'Compose',
    program: 'docker-compose',
    module: 'github.com/docker/compose/v2',
    package: 'github.com/docker/compose/v2/cmd',
    takes: '5 minutes',
    versionVariable: 'github.com/docker/compose/v2/internal.Version',
  });
  const folder = await cachedFolder(join(cacheDir(), recipe.key), (aside) => recipe.make(aside, say));
  return join(folder, recipe.program);
}
