import { bundleWorkflowCode } from '@temporalio/worker';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startWorker, type RunningWorker } from '../../src/temporal/worker.ts';
import type { Lab } from '../support/fixtures/workflow-lab.ts';

/** A patch that only the next release knows. */
const PATCH = 'next-release';

export type WorkerVersion = 'this release' | 'next release' | 'next release, patch held';

/** Workers of this release and of the next one, which replace each other while runs continue. */
export class Workers {
  private readonly lab: Lab;
  private readonly folder: string;
  private running: RunningWorker | undefined;

  private constructor(lab: Lab, folder: string) {
    this.lab = lab;
    this.folder = folder;
  }

  static async create(lab: Lab, folder: string): Promise<Workers> {
    const interceptors = (name: string) => join(import.meta.dirname, name);
    const longRounds = interceptors('long-rounds.ts');
    await bundle(join(folder, 'this.js'), [longRounds]);
    await bundle(join(folder, 'next.js'), [longRounds, interceptors('../workflows/next-release.ts')]);
    return new Workers(lab, folder);
  }

  /** Starts a worker of a version, and then stops the one before it. */
  async become(version: WorkerVersion): Promise<void> {
    const before = this.running;
    this.running = await this.start(version);
    await before?.stop();
  }

  async stop(): Promise<void> {
    await this.running?.stop();
  }

  private start(version: WorkerVersion): Promise<RunningWorker> {
    const { env, temporal, activities } = this.lab;
    return startWorker({
      temporal: { ...temporal, connectOptions: { address: env.connection.options.address } },
      activities,
      bundle: { codePath: join(this.folder, version === 'this release' ? 'this.js' : 'next.js') },
      heldPatches: version === 'next release, patch held' ? [PATCH] : [],
      // The test server keeps a task of a cached run for a worker that has stopped. So every task replays its history.
      maxCachedWorkflows: 0,
      maxActivities: 10,
      maxWorkflowTasks: 10,
      maxPollers: 5,
    });
  }
}

async function bundle(codePath: string, workflowInterceptorModules: string[]): Promise<void> {
  const ignore = () => undefined;
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(import.meta.dirname, '../../workflows/index.ts'),
    workflowInterceptorModules,
    logger: { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  await writeFile(codePath, code);
}
