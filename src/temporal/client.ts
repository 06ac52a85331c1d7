import {
  Client,
  Connection,
  WithStartWorkflowOperation,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { encryptingCodec, type CodecKeys } from './codec.ts';
import type { ConnectionRef } from '../db/connection/reconcile.ts';
import type { VerifyOutcome } from '../domain/connection/snapshot.ts';
import {
  CONNECTION_WORKFLOW,
  connectionWorkflowId,
  labelsOf,
  verifyUpdate,
  type ConnectionInput,
  type ConnectionWorkflow,
} from '../../workflows/messages.ts';

/** What it takes to start runs and to send them messages. */
export interface TemporalClient {
  client: Client;
  connection: Pick<Connection, 'withDeadline' | 'workflowService'>;
  taskQueue: string;
  /** A worker of this process shares the connection, so the server may give it a run's first task with the answer to its start. */
  startsHere?: boolean;
}

export interface Temporal extends TemporalClient {
  connection: Connection;
  namespace: string;
  /** Encrypts payloads for a Temporal that others run; none where it is ours. */
  codec?: PayloadCodec | undefined;
  /** For workers, which need a connection of their own kind. */
  connectOptions: ReturnType<typeof loadClientConnectConfig>['connectionOptions'];
}

/** After an outage of minutes grpc would wait as long again, two minutes at most, before it looks for the server. */
const RECONNECT = { 'grpc.initial_reconnect_backoff_ms': 500, 'grpc.max_reconnect_backoff_ms': 2_000 };

/** Reads TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, API key and TLS as every Temporal tool does. Does not connect yet: the API starts without Temporal. */
export function openTemporal(
  env: Record<string, string | undefined>,
  taskQueue: string,
  codecKeys?: CodecKeys,
): Temporal {
  const overrideEnvVars = Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig({ overrideEnvVars });
  const connection = Connection.lazy({ ...connectionOptions, channelArgs: { ...RECONNECT } });
  const codec = codecKeys && encryptingCodec(codecKeys);
  return {
    client: new Client({ connection, namespace, ...converting(codec) }),
    connection,
    namespace,
    codec,
    taskQueue,
    connectOptions: connectionOptions,
  };
}

/** For clients and workers: both must use the same codec. */
export const converting = (codec: PayloadCodec | undefined): { dataConverter?: DataConverter } =>
  codec === undefined ? {} : { dataConverter: { payloadCodecs: [codec] } };

/** Without a deadline a call waits out ten attempts, some twenty seconds, while Temporal is away. */
export const withDeadline = <T>(temporal: TemporalClient, ms: number, call: () => Promise<T>): Promise<T> =>
  temporal.connection.withDeadline(Date.now() + ms, call);

/** Whether somebody is at Temporal's address; known before a load balancer that asks after our health gives up. */
export const answers = (temporal: TemporalClient): Promise<boolean> =>
  withDeadline(temporal, 1_500, () => temporal.connection.workflowService.getSystemInfo({})).then(
    () => true,
    () => false,
  );

/** Statuses of gRPC: not reached, and not answered in time. */
const AWAY: ReadonlySet<number> = new Set([14, 4]);

/**
 * Nobody answered, so the message may be as good as any; what Temporal refuses is another matter. Judged by the status
 * alone, because a worker's connection has errors of another shape than a client's.
 */
export function isAway(error: unknown): boolean {
  const told = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return told instanceof Error && 'code' in told && AWAY.has(Number(told.code));
}

/**
 * How a connection's workflow is started, by the relay and by a request alike. Postgres owns uniqueness, so starting one
 * that runs is a message to it and starting one that has ended begins a new run.
 */
export const startOptions = (connection: ConnectionRef, taskQueue: string) =>
  ({
    workflowId: connectionWorkflowId(connection),
    taskQueue,
    args: [{ id: connection.id }],
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    staticSummary: connection.hostname,
    priority: { fairnessKey: connection.tenant_id },
    memo: { applicationId: connection.application_id, externalId: connection.external_id },
    typedSearchAttributes: labelsOf({
      ...connection,
      tenantId: connection.tenant_id,
      errorCode: connection.error_code,
      since: connection.phase_started_at?.toISOString() ?? null,
    }),
  }) satisfies WorkflowStartOptions<ConnectionWorkflow>;

export const startConnection = (
  temporal: TemporalClient,
  connection: ConnectionRef,
  input: Partial<ConnectionInput> = {},
) =>
  temporal.client.workflow.start<ConnectionWorkflow>(CONNECTION_WORKFLOW, {
    ...startOptions(connection, temporal.taskQueue),
    args: [{ ...input, id: connection.id }],
  });

/** One look at once, by the connection's own workflow, which may have ended or not have begun. */
export const verifyConnection = (temporal: Temporal, connection: ConnectionRef): Promise<VerifyOutcome> =>
  temporal.client.workflow.executeUpdateWithStart(verifyUpdate, {
    startWorkflowOperation: new WithStartWorkflowOperation<ConnectionWorkflow>(
      CONNECTION_WORKFLOW,
      startOptions(connection, temporal.taskQueue),
    ),
  });
