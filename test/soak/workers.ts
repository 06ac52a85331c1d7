import { bundleWorkflowCode } from '@temporalio/worker';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Activities } from '../../activities/index.ts';
import { startWorker, type RunningWorker } from '../../src/temporal/worker.ts';
import type { Lab } from '../support/fixtures/workflow-lab.ts';

const INTERCEPTORS = {
  this: ['long-rounds.ts'],
  next: ['long-rounds.ts', '../workflows/next-release.ts'],
} as const;
export type Release = keyof typeof INTERCEPTORS;
/** The patch of the next release. It is held, because a worker of this release must never get a run that took it. */
const HELD = 'next-release';

/**
 * Workers of this release and of the next one, side by side. A run moves between them when it continues as new. Workers
 * stop only at the end: the test server keeps tasks of cached runs for a worker that has stopped.
 */
export class Workers {
  private readonly lab: Lab;
  private readonly activities: Activities;
  private readonly folder: string;
  private readonly running: RunningWorker[] = [];

  constructor(lab: Lab, activities: Activities, folder: string) {
    this.lab = lab;
    this.activities = activities;
    this.folder = folder;
  }

  async start(release: Release): Promise<void> {
    const codePath = join(this.folder, `${release}.js`);
    await bundle(codePath, INTERCEPTORS[release]);
    const { env, temporal } = this.lab;
    const worker = await startWorker({
      temporal: { ...temporal, connectOptions: { address: env.connection.options.address } },
      activities: this.activities,
      bundle: { codePath },
      heldPatches: [HELD],
      maxCachedWorkflows: 2_500,
      maxActivities: 20,
      maxWorkflowTasks: 20,
      maxPollers: 10,
    });
    this.running.push(worker);
  }

  async stop(): Promise<void> {
    await Promise.all(this.running.map((worker) => worker.stop()));
  }
}

async function bundle(codePath: string, interceptors: readonly string[]): Promise<void> {
  const ignore = () => undefined;
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(import.meta.dirname, '../../workflows/index.ts'),
    workflowInterceptorModules: interceptors.map((name) => join(import.meta.dirname, name)),
    logger: { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  await writeFile(codePath, code);
}
