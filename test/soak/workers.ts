import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab } from '../support/fixtures/workflow-lab.ts';

/** A patch that only the next release knows. */
const PATCH = 'next-release';
const CACHED_WORKFLOWS = 2_500;

export type WorkerVersion = 'this release' | 'next release' | 'next release, patch held';

/** Workers of this release and of the next one, which replace each other while runs continue. */
export class Workers {
  private readonly lab: Lab;
  private readonly folder: string;
  private running: { stop(): Promise<void> } | undefined;

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

  private async start(version: WorkerVersion): Promise<{ stop(): Promise<void> }> {
    const { env, temporal, activities } = this.lab;
    const worker = await Worker.create({
      connection: env.nativeConnection,
      namespace: temporal.namespace,
      taskQueue: temporal.taskQueue,
      workflowBundle: { codePath: join(this.folder, version === 'this release' ? 'this.js' : 'next.js') },
      activities,
      maxCachedWorkflows: CACHED_WORKFLOWS,
      maxConcurrentActivityTaskExecutions: 10,
      ...(version === 'next release, patch held' && { patchActivationCallback: ({ patchId }) => patchId !== PATCH }),
    });
    const done = worker.run();
    return {
      stop: async () => {
        worker.shutdown();
        await done;
      },
    };
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
