import { shownState } from '../src/domain/connection/state-sets.ts';
import { defineSearchAttributeKey } from '@temporalio/common';
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ConnectionSnapshot, VerifyOutcome } from '../src/domain/connection/snapshot.ts';

/** Names that the service and its workflows share. They never change, because runs live for years. */
export const CONNECTION_WORKFLOW = 'connection';

/** Archives the connection, removes our records and ends the run. */
export const archiveSignal = defineSignal('archive');
/** Asks for an immediate check and frequent checks for a while, because a person is waiting. */
export const touchSignal = defineSignal('touch');
/** Reports that a credential or the application has changed, so a refused write may now succeed. */
export const credentialsChangedSignal = defineSignal('credentialsChanged');
/** Checks immediately and returns the result. */
export const verifyUpdate = defineUpdate<VerifyOutcome>('verify');

export interface ConnectionInput {
  id: string;
  /** Messages that arrived too late for the previous run. */
  carried?: { touched: boolean };
  /** Number of events after which the run continues as new. Tests lower it. */
  continueAsNewAfter?: number;
}

export type ConnectionWorkflow = (input: ConnectionInput) => Promise<void>;

/** One delivery: from its first attempt, or from its first failed one, to its last. */
export const WEBHOOK_DELIVERY_WORKFLOW = 'webhookDelivery';
/** First attempts of deliveries that were due together. */
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

/** Returns the workflow id, at most 255 characters. It begins with the hostname, because the Temporal UI lists ids. */
export const connectionWorkflowId = (connection: { id: string; hostname: string }): string =>
  `connection/${connection.hostname.slice(0, 200)}/${connection.id}`;

/** Search attributes, which operators filter by. They are never encrypted: no secrets, no personal data. */
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

type Labelled = Pick<
  ConnectionSnapshot,
  'tenantId' | 'hostname' | 'environment' | 'state' | 'provider' | 'errorCode' | 'since'
>;

/** Returns every search attribute of a run, set when it starts and by each run for the next. */
export const labelsOf = (connection: Labelled) => [
  { key: searchAttributes.TenantId, value: connection.tenantId },
  { key: searchAttributes.Hostname, value: connection.hostname },
  { key: searchAttributes.Environment, value: connection.environment },
  ...changingLabels(connection),
];

/** Returns the search attributes that change. `verifying` lasts for one check and is not shown. */
export const changingLabels = ({ state, provider, errorCode, since }: Labelled) => [
  { key: searchAttributes.ConnectionState, value: shownState(state) },
  { key: searchAttributes.Provider, value: provider ?? 'unknown' },
  { key: searchAttributes.ErrorCode, value: errorCode ?? 'none' },
  ...(since === null ? [] : [{ key: searchAttributes.StateSince, value: new Date(since) }]),
];
