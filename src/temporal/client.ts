import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  WithStartWorkflowOperation,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  WorkflowUpdateStage,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { tracedCalls } from './traces.ts';
import { endCallsAfterClose } from './closed-calls.ts';
import { encryptingCodec, type CodecKeys } from './codec.ts';
import type { ConnectionRef } from '../db/connection/reconcile.ts';
import type { ConnectionSnapshot, VerifyOutcome } from '../domain/connection/snapshot.ts';
import {
  CONNECTION_WORKFLOW,
  connectionWorkflowId,
  labelsOf,
  verifyUpdate,
  type ConnectionInput,
  type ConnectionWorkflow,
} from '../../workflows/messages.ts';

/** Starts workflows and sends them messages. */
export interface TemporalClient {
  client: Client;
  connection: Pick<Connection, 'withDeadline' | 'workflowService'>;
  taskQueue: string;
  /** A worker of this process shares the connection, so a start's response may carry the run's first task. */
  startsHere?: boolean;
}

export interface Temporal extends TemporalClient {
  connection: Connection;
  namespace: string;
  /** Encrypts payloads for a Temporal server that others operate; undefined for our own. */
  codec?: PayloadCodec | undefined;
  /** Connection options for workers, which need their own kind of connection. */
  connectOptions: ReturnType<typeof loadClientConnectConfig>['connectionOptions'];
}

/** By default, gRPC waits up to two minutes after an outage before it reconnects. */
const RECONNECT = { 'grpc.initial_reconnect_backoff_ms': 500, 'grpc.max_reconnect_backoff_ms': 2_000 };

/** Reads TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, API key and TLS like every Temporal tool. It does not connect. */
export function openTemporal(
  env: Record<string, string | undefined>,
  taskQueue: string,
  codecKeys?: CodecKeys,
): Temporal {
  const overrideEnvVars = Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig({ overrideEnvVars });
  const connection = Connection.lazy({
    ...connectionOptions,
    channelArgs: { ...RECONNECT },
    interceptors: [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), endCallsAfterClose],
  });
  const codec = codecKeys && encryptingCodec(codecKeys);
  return {
    client: new Client({ connection, namespace, ...converting(codec), ...tracedCalls() }),
    connection,
    namespace,
    codec,
    taskQueue,
    connectOptions: connectionOptions,
  };
}

/** Returns the data converter. Clients and workers must use the same codec. */
export const converting = (codec: PayloadCodec | undefined): { dataConverter?: DataConverter } =>
  codec === undefined ? {} : { dataConverter: { payloadCodecs: [codec] } };

/** Limits a call. Without a deadline it makes ten attempts, about twenty seconds, while Temporal is down. */
export const withDeadline = <T>(temporal: TemporalClient, ms: number, call: () => Promise<T>): Promise<T> =>
  temporal.connection.withDeadline(Date.now() + ms, call);

/** Whether the Temporal server answers, within the timeout of a load balancer's health check. */
export const answers = (temporal: TemporalClient): Promise<boolean> =>
  withDeadline(temporal, 1_500, () => temporal.connection.workflowService.getSystemInfo({})).then(
    () => true,
    () => false,
  );

/** gRPC statuses: unavailable, and deadline exceeded. */
const AWAY: ReadonlySet<number> = new Set([14, 4]);

/** Whether the server did not answer. Only the status decides, because errors have different shapes. */
export function isAway(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error && 'code' in cause && AWAY.has(Number(cause.code));
}

/** Returns the options for starting a connection's workflow. Starting a running workflow sends it a message. */
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

/** Returns what the workflow would load of a connection that was just created; undefined for any other. */
function createdSnapshot(connection: ConnectionRef): ConnectionSnapshot | undefined {
  const { id, tenant_id: tenantId, hostname, environment, provider, state, error_code: errorCode } = connection;
  if (state !== 'pending_ownership') return undefined;
  const since = connection.phase_started_at?.toISOString() ?? null;
  return { id, tenantId, hostname, environment, provider, state, errorCode, since, status: null, due: null };
}

/** Only a client that shares the worker's connection may request an eager start. */
export const eagerly = ({ startsHere = false }: TemporalClient) => (startsHere ? { requestEagerStart: true } : {});

export const startConnection = (
  temporal: TemporalClient,
  connection: ConnectionRef,
  input: Partial<ConnectionInput> = {},
) =>
  temporal.client.workflow.start<ConnectionWorkflow>(CONNECTION_WORKFLOW, {
    ...startOptions(connection, temporal.taskQueue),
    ...eagerly(temporal),
    args: [{ created: createdSnapshot(connection), ...input, id: connection.id }],
  });

/**
 * Has the connection's workflow check immediately, and starts the workflow if it does not run. Returns `running` if the
 * workflow has accepted the request and still checks at the deadline. Throws if Temporal or every worker is away.
 */
export async function verifyConnection(
  temporal: Temporal,
  connection: ConnectionRef,
  deadlineMs: number,
): Promise<VerifyOutcome | 'running'> {
  const end = Date.now() + deadlineMs;
  const update = await withDeadline(temporal, deadlineMs, () =>
    temporal.client.workflow.startUpdateWithStart(verifyUpdate, {
      waitForStage: WorkflowUpdateStage.ACCEPTED,
      startWorkflowOperation: new WithStartWorkflowOperation<ConnectionWorkflow>(
        CONNECTION_WORKFLOW,
        startOptions(connection, temporal.taskQueue),
      ),
    }),
  );
  try {
    return await withDeadline(temporal, end - Date.now(), () => update.result());
  } catch (error) {
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return 'running';
    throw error;
  }
}
