import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { Logger } from '../log.ts';
import type { Temporal, TemporalClient } from './client.ts';

/** The SDK's core must log through us, and leave signals to us: who runs the process decides when it stops. */
export function installRuntime(log: Logger): void {
  const write = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => log[write[level]](meta ?? {}, message)),
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    shutdownSignals: [],
  });
}

export interface RunningWorker {
  /** Over the worker's own connection, while it runs. */
  client: Pick<TemporalClient, 'client' | 'connection'>;
  /** Finishes what is under way, within limits, and takes no more. */
  stop(): Promise<void>;
  /** Rejects if the worker dies by itself. */
  done: Promise<void>;
}

export async function startWorker(options: {
  temporal: Temporal;
  /** By name; those that the workflows of this task queue ask for. */
  activities: object;
  bundle: { codePath: string };
  maxCachedWorkflows: number;
  /** How many activities may be under way at once. */
  maxActivities: number;
  /** How many workflow tasks may be under way at once, unless they are work for the processor alone. */
  maxWorkflowTasks?: number;
}): Promise<RunningWorker> {
  const { temporal, activities, bundle } = options;
  const connection = await NativeConnection.connect(temporal.connectOptions);
  const worker = await Worker.create({
    connection,
    namespace: temporal.namespace,
    taskQueue: temporal.taskQueue,
    workflowBundle: bundle,
    activities,
    maxCachedWorkflows: options.maxCachedWorkflows,
    maxConcurrentActivityTaskExecutions: options.maxActivities,
    // Workflow tasks are work for one processor: what waits does so at the server, which deals it out by tenant. With ten
    // slots a tenant's thousand new names made another tenant wait four times as long as usual, with four half as much again.
    maxConcurrentWorkflowTaskExecutions: options.maxWorkflowTasks ?? 4,
    // After a worker was killed, its cached workflows' next tasks wait this long for it before another one takes them.
    stickyQueueScheduleToStartTimeout: '5s',
    workflowTaskPollerBehavior: { type: 'autoscaling' },
    activityTaskPollerBehavior: { type: 'autoscaling' },
    shutdownGraceTime: '10s',
    shutdownForceTime: '20s',
  });
  const done = worker.run().finally(() => connection.close());
  return {
    client: { client: new Client({ connection, namespace: temporal.namespace }), connection },
    done,
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await done;
    },
  };
}
