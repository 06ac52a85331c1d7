import { shownState } from '../src/domain/connection/state-sets.ts';
import { defineSearchAttributeKey } from '@temporalio/common';
import { defineSignal, defineUpdate, type Sinks } from '@temporalio/workflow';
import type { ConnectionSnapshot, VerifyOutcome } from '../src/domain/connection/snapshot.ts';
import type { WorkflowSpan } from '../src/domain/trace-context.ts';

// Names of workflows, signals and updates must never change, because runs live for years.

/** Workflow of one connection. */
export const CONNECTION_WORKFLOW = 'connection';

/** Archives the connection, removes our records and ends the run. */
export const archiveSignal = defineSignal('archive');
/** Causes an immediate check, and frequent checks for two minutes, because a person or a program is waiting. */
export const touchSignal = defineSignal('touch');
/** Reports that a credential or the application has changed, so a refused write may now succeed. */
export const credentialsChangedSignal = defineSignal('credentialsChanged');
/** Checks immediately and returns the result. */
export const verifyUpdate = defineUpdate<VerifyOutcome>('verify');

export interface ConnectionInput {
  id: string;
  /** The connection when it was created, which saves the first run from loading it. */
  created?: ConnectionSnapshot | undefined;
  /** Signals that the previous run received before it continued as new, and did not handle. */
  carried?: { touched: boolean };
  /** Number of history events after which the run continues as new. Tests lower this number. */
  continueAsNewAfter?: number;
}

export type ConnectionWorkflow = (input: ConnectionInput) => Promise<void>;

/** Workflow of one delivery: all attempts, or all retries if `webhookBatch` made the first attempt. */
export const WEBHOOK_DELIVERY_WORKFLOW = 'webhookDelivery';
/** Workflow of the first attempts of several deliveries that were due together. */
export const WEBHOOK_BATCH_WORKFLOW = 'webhookBatch';

/** Sends the delivery now, regardless of the schedule. */
export const replaySignal = defineSignal('replay');

export interface WebhookDeliveryInput {
  id: string;
}

export interface WebhookBatchInput {
  /** Delivery ids. Deliveries in one list are attempted in order. */
  chains: string[][];
}

export const webhookDeliveryWorkflowId = (delivery: {
  event_type: string;
  event_id: string;
  endpoint_id: string;
}): string => `webhook/${delivery.event_type}/${delivery.event_id}/${delivery.endpoint_id}`;

/** Workflow of one certificate order. */
export const CERTIFICATE_ORDER_WORKFLOW = 'certificateOrder';

export interface CertificateOrderInput {
  id: string;
  tenantId: string;
  hostname: string;
}

export const certificateOrderWorkflowId = (order: { id: string; hostname: string }): string =>
  `certificate/${order.hostname.slice(0, 200)}/${order.id}`;

/** Workflow of one cutover. */
export const CUTOVER_WORKFLOW = 'cutover';

/** Cancels the cutover. The workflow restores the records that it has moved. */
export const cancelCutoverSignal = defineSignal('cancelCutover');

export interface CutoverInput {
  id: string;
  tenantId: string;
  hostname: string;
}

export const cutoverWorkflowId = (cutover: { id: string; hostname: string }): string =>
  `cutover/${cutover.hostname.slice(0, 200)}/${cutover.id}`;

/** Workflow that checks whether an archived hostname still points here. */
export const DEPARTURE_WORKFLOW = 'departure';

export interface DepartureInput {
  id: string;
  tenantId: string;
  hostname: string;
}

export const departureWorkflowId = (connection: { id: string; hostname: string }): string =>
  `departure/${connection.hostname.slice(0, 200)}/${connection.id}`;

/** Returns the workflow id, at most 255 characters. It begins with the hostname, because the Temporal UI lists ids. */
export const connectionWorkflowId = (connection: { id: string; hostname: string }): string =>
  `connection/${connection.hostname.slice(0, 200)}/${connection.id}`;

/** Functions of the worker that workflows call outside of their history. */
export interface TraceSinks extends Sinks {
  traces: { workflowEnded(span: WorkflowSpan): void };
}

/** Search attributes, for operators' filters. Search attributes are never encrypted: no secrets, no personal data. */
export const searchAttributes = {
  TenantId: defineSearchAttributeKey('TenantId', 'KEYWORD'),
  Hostname: defineSearchAttributeKey('Hostname', 'KEYWORD'),
  ConnectionState: defineSearchAttributeKey('ConnectionState', 'KEYWORD'),
  Provider: defineSearchAttributeKey('Provider', 'KEYWORD'),
  Environment: defineSearchAttributeKey('Environment', 'KEYWORD'),
  ErrorCode: defineSearchAttributeKey('ErrorCode', 'KEYWORD'),
  StateSince: defineSearchAttributeKey('StateSince', 'DATETIME'),
  WebhookEndpointId: defineSearchAttributeKey('WebhookEndpointId', 'KEYWORD_LIST'),
  WebhookEventId: defineSearchAttributeKey('WebhookEventId', 'KEYWORD_LIST'),
};

/** The facts of a connection that its search attributes show. */
type Labelled = Pick<
  ConnectionSnapshot,
  'tenantId' | 'hostname' | 'environment' | 'state' | 'provider' | 'errorCode' | 'since'
>;

/** Returns every search attribute of a connection's run. A run that continues as new sets all of them again. */
export const labelsOf = (connection: Labelled) => [
  { key: searchAttributes.TenantId, value: connection.tenantId },
  { key: searchAttributes.Hostname, value: connection.hostname },
  { key: searchAttributes.Environment, value: connection.environment },
  ...changingLabels(connection),
];

/** Returns the search attributes that change. The brief state `verifying` is shown as `pending_ownership`. */
export const changingLabels = ({ state, provider, errorCode, since }: Labelled) => [
  { key: searchAttributes.ConnectionState, value: shownState(state) },
  { key: searchAttributes.Provider, value: provider ?? 'unknown' },
  { key: searchAttributes.ErrorCode, value: errorCode ?? 'none' },
  ...(since === null ? [] : [{ key: searchAttributes.StateSince, value: new Date(since) }]),
];
