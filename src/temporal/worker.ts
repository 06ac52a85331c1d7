import { Client } from '@temporalio/client';
import type { WorkerDeploymentVersion } from '@temporalio/common';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { Logger } from '../log.ts';
import { converting, type Temporal, type TemporalClient } from './client.ts';
import { tellSdkMetricsAt } from './sdk-metrics.ts';

/**
 * The SDK's core must log through us, and leave signals to us: who runs the process decides when it stops. It tells its
 * metrics on a port of its own, which only this machine reaches; our own listener passes them on.
 */
export function installRuntime(log: Logger, metricsPort?: number): void {
  const write = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => log[write[level]](meta ?? {}, message)),
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(metricsPort === undefined
        ? {}
        : { metrics: { attachServiceName: false, prometheus: prometheusAt(metricsPort) } }),
    },
    shutdownSignals: [],
  });
}

function prometheusAt(port: number) {
  const bindAddress = `127.0.0.1:${port}`;
  tellSdkMetricsAt(bindAddress);
  return { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };
}

export interface RunningWorker {
  /** Over the worker's own connection, while it runs. */
  client: Pick<TemporalClient, 'client' | 'connection'>;
  /** Finishes what is under way, within limits, and takes no more. */
  stop(): Promise<void>;
  /** Rejects if the worker dies by itself. */
  done: Promise<void>;
}

/** How much a worker does at once, and which runs it takes. */
export interface WorkerSettings {
  maxCachedWorkflows: number;
  /** How many activities may be under way at once. */
  maxActivities: number;
  /**
   * How many workflow tasks may be under way at once. They are work for one processor: what waits does so at the server,
   * which deals it out by tenant. The more there are, the longer a tenant's new name takes beside another's flood of them;
   * the fewer, the less is done while one of them waits for Postgres.
   */
  maxWorkflowTasks: number;
  /** How many calls may wait for tasks of each kind; how many do follows the load. */
  maxPollers: number;
  /** What the server knows this build by, where it is told which runs go to which (docs/workflows.md). */
  version?: WorkerDeploymentVersion | undefined;
  /** Patches that are replayed where a run took them, and that no run takes here. */
  heldPatches?: readonly string[];
}

export async function startWorker(
  options: WorkerSettings & {
    temporal: Temporal;
    /** By name; those that the workflows of this task queue ask for. */
    activities: object;
    bundle: { codePath: string };
  },
): Promise<RunningWorker> {
  const { temporal, activities, bundle, version, heldPatches = [] } = options;
  const pollers = { type: 'autoscaling', maximum: options.maxPollers } as const;
  const connection = await NativeConnection.connect(temporal.connectOptions);
  const worker = await Worker.create({
    connection,
    namespace: temporal.namespace,
    taskQueue: temporal.taskQueue,
    workflowBundle: bundle,
    activities,
    ...converting(temporal.codec),
    maxCachedWorkflows: options.maxCachedWorkflows,
    maxConcurrentActivityTaskExecutions: options.maxActivities,
    maxConcurrentWorkflowTaskExecutions: options.maxWorkflowTasks,
    // After a worker was killed, its cached workflows' next tasks wait this long for it before another one takes them.
    stickyQueueScheduleToStartTimeout: '5s',
    workflowTaskPollerBehavior: pollers,
    activityTaskPollerBehavior: pollers,
    shutdownGraceTime: '10s',
    shutdownForceTime: '20s',
    ...(heldPatches.length > 0 && { patchActivationCallback: ({ patchId }) => !heldPatches.includes(patchId) }),
    ...(version && {
      workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' },
    }),
  });
  const done = worker.run().finally(() => connection.close());
  return {
    client: {
      client: new Client({ connection, namespace: temporal.namespace, ...converting(temporal.codec) }),
      connection,
    },
    done,
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await done;
    },
  };
}
