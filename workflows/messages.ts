import { defineSearchAttributeKey } from '@temporalio/common';
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ConnectionSnapshot, VerifyOutcome } from '../src/domain/connection/snapshot.ts';

/** Everything that crosses the border between the service and its workflows, by name. Names are for ever: runs live for years. */
export const CONNECTION_WORKFLOW = 'connection';

/** The connection was archived, or should be: stop, remove what we wrote, end. */
export const archiveSignal = defineSignal('archive');
/** A person is watching: check now, and often for a while. */
export const touchSignal = defineSignal('touch');
/** A credential or the application changed: what was impossible may be possible now. */
export const credentialsChangedSignal = defineSignal('credentialsChanged');
/** Check at once and say what was seen. */
export const verifyUpdate = defineUpdate<VerifyOutcome>('verify');

export interface ConnectionInput {
  id: string;
  /** Mail that arrived too late for the run before this one. */
  carried?: { touched: boolean };
  /** Lowered by tests, so that they need not make a hundred events. */
  continueAsNewAfter?: number;
}

export type ConnectionWorkflow = (input: ConnectionInput) => Promise<void>;

/** One delivery of an event to an endpoint, from its first attempt, or the first that failed, to its last. */
export const WEBHOOK_DELIVERY_WORKFLOW = 'webhookDelivery';
/** The first attempts of deliveries that were due together. */
export const WEBHOOK_BATCH_WORKFLOW = 'webhookBatch';

/** The tenant wants it sent now, whatever the schedule says. */
export const replaySignal = defineSignal('replay');

export interface WebhookDeliveryInput {
  id: string;
}

export interface WebhookBatchInput {
  /** Delivery ids; those in one list are attempted one after the other. */
  chains: string[][];
}

export const webhookDeliveryWorkflowId = (delivery: {
  event_type: string;
  event_id: string;
  endpoint_id: string;
}): string => `webhook/${delivery.event_type}/${delivery.event_id}/${delivery.endpoint_id}`;

/** The list in the Temporal UI shows ids, so the hostname stands first; ids end at 255 characters. */
export const connectionWorkflowId = (connection: { id: string; hostname: string }): string =>
  `connection/${connection.hostname.slice(0, 200)}/${connection.id}`;

/** What operators filter by. Visible to every person who may open the UI and never encrypted: no secrets, no personal data. */
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

/** What a run is labelled by. */
type Labelled = Pick<
  ConnectionSnapshot,
  'tenantId' | 'hostname' | 'environment' | 'state' | 'provider' | 'errorCode' | 'since'
>;

/** Every label of a connection's run: given when it starts, and by each run to the next. */
export const labelsOf = (connection: Labelled) => [
  { key: searchAttributes.TenantId, value: connection.tenantId },
  { key: searchAttributes.Hostname, value: connection.hostname },
  { key: searchAttributes.Environment, value: connection.environment },
  ...changingLabels(connection),
];

/** Those that change during a connection's life. A check under way is not worth a label of its own. */
export const changingLabels = ({ state, provider, errorCode, since }: Labelled) => [
  { key: searchAttributes.ConnectionState, value: state === 'verifying' ? 'pending_ownership' : state },
  { key: searchAttributes.Provider, value: provider ?? 'unknown' },
  { key: searchAttributes.ErrorCode, value: errorCode ?? 'none' },
  ...(since === null ? [] : [{ key: searchAttributes.StateSince, value: new Date(since) }]),
];
