import { Client } from '@temporalio/client';
import type { WorkerDeploymentVersion } from '@temporalio/common';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { Logger } from '../log.ts';
import { converting, type Temporal, type TemporalClient } from './client.ts';
import { setSdkMetricsAddress } from './sdk-metrics.ts';
import { tracedCalls, tracedWork } from './traces.ts';

/** Configures the SDK's core: it logs through us, leaves signals to us, and exports metrics on a local port. */
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
  setSdkMetricsAddress(bindAddress);
  return { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };
}

export interface RunningWorker {
  /** Client over the worker's own connection, while it runs. */
  client: Pick<TemporalClient, 'client' | 'connection'>;
  /** Completes running tasks, within limits, and takes no more. */
  stop(): Promise<void>;
  /** Rejects if the worker fails. */
  done: Promise<void>;
}

/** Concurrency of a worker, and the runs that it takes. */
export interface WorkerSettings {
  maxCachedWorkflows: number;
  maxActivities: number;
  /** Concurrent workflow tasks. More make tenants wait behind another's flood; fewer waste the waits for Postgres. */
  maxWorkflowTasks: number;
  /** Maximum number of concurrent polls per kind of task. The actual number follows the load. */
  maxPollers: number;
  /** Deployment version of this build, where the server assigns runs to versions (docs/workflows.md). */
  version?: WorkerDeploymentVersion | undefined;
  /** Patches that are replayed in runs that have them, and that no new run takes. */
  heldPatches?: readonly string[];
}

export async function startWorker(
  options: WorkerSettings & {
    temporal: Temporal;
    /** Activities by name, for the workflows of this task queue. */
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
    ...tracedWork(),
    ...converting(temporal.codec),
    maxCachedWorkflows: options.maxCachedWorkflows,
    maxConcurrentActivityTaskExecutions: options.maxActivities,
    maxConcurrentWorkflowTaskExecutions: options.maxWorkflowTasks,
    // Long attempts send heartbeats often, so that a busy machine does not lose them.
    maxHeartbeatThrottleInterval: '4s',
    // After a worker was killed, tasks of its cached workflows wait this long before another worker takes them.
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
      client: new Client({
        connection,
        namespace: temporal.namespace,
        ...converting(temporal.codec),
        ...tracedCalls(),
      }),
      connection,
    },
    done,
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await done;
    },
  };
}
