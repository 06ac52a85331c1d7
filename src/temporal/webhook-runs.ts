import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { deliveryRefs, findOverdueDeliveries, findPending, type DeliveryRef } from '../db/webhook/runs.ts';
import { dispatch } from '../domain/webhook/dispatch.ts';
import {
  replaySignal,
  searchAttributes,
  WEBHOOK_BATCH_WORKFLOW,
  WEBHOOK_DELIVERY_WORKFLOW,
  webhookDeliveryWorkflowId,
  type WebhookBatchInput,
  type WebhookDeliveryInput,
} from '../../workflows/messages.ts';
import { eagerly, type TemporalClient } from './client.ts';
import type { WorkflowKind } from './workflow-kind.ts';

/**
 * Returns the task queue of deliveries. Deliveries have their own worker, so they never take the slots of connections.
 */
export const webhookTaskQueue = (taskQueue: string): string => `${taskQueue}-webhooks`;

/** Describes a delivery for the reconciler, which starts missing runs. */
const asCandidate = (delivery: DeliveryRef) => ({
  id: delivery.id,
  tenant_id: delivery.tenant_id,
  workflowId: webhookDeliveryWorkflowId(delivery),
  position: delivery.id,
});

/**
 * Messages of the outbox: `start` a delivery, `retry` it after a failed shared attempt, or `replay` it for a tenant.
 */
const Message = z.enum(['start', 'retry', 'replay']);

/** Runs of deliveries. Deliveries that are due together share their first run (src/domain/webhook/dispatch.ts). */
export const deliveryKind: WorkflowKind = {
  aggregate: 'delivery',
  async runsOf(db, ids) {
    const refs = await deliveryRefs(db, ids);
    return new Map(refs.map((ref) => [ref.id, { send: (temporal, kind) => sendToDelivery(temporal, ref, kind) }]));
  },
  async callsFor(db, messages) {
    const starts = new Map(
      messages.filter(({ kind }) => kind === 'start').map((message) => [message.aggregate_id, message]),
    );
    if (starts.size < 2) return [];
    const found = new Map((await deliveryRefs(db, [...starts.keys()])).map((ref) => [ref.id, ref]));
    // In the order of the messages, which is the order of a connection's events.
    const refs = [...starts.keys()].flatMap((id) => found.get(id) ?? []);
    return dispatch(refs)
      .filter((lists) => lists.flat().length > 1)
      .map((lists) => {
        const ids = new Set(lists.flat());
        const deliveries = refs.filter(({ id }) => ids.has(id));
        return {
          messages: deliveries.flatMap(({ id }) => starts.get(id) ?? []),
          send: (temporal) => startBatch(temporal, lists, deliveries),
        };
      });
  },
  unfinished: async (db, after) => (await findPending(db, after)).map(asCandidate),
  overdue: async (db, after) => (await findOverdueDeliveries(db, after)).map(asCandidate),
};

const policies = {
  workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
  workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
};

const webhookAttributes = (refs: readonly DeliveryRef[]) => [
  { key: searchAttributes.WebhookEndpointId, value: [...new Set(refs.map(({ endpoint_id }) => endpoint_id))] },
  { key: searchAttributes.WebhookEventId, value: [...new Set(refs.map(({ event_id }) => event_id))] },
];

async function sendToDelivery(temporal: TemporalClient, ref: DeliveryRef, kind: string): Promise<void> {
  const options = {
    ...policies,
    workflowId: webhookDeliveryWorkflowId(ref),
    taskQueue: webhookTaskQueue(temporal.taskQueue),
    args: [{ id: ref.id }] as [WebhookDeliveryInput],
    staticSummary: `${ref.event_type} → ${ref.endpoint_id}`,
    priority: { fairnessKey: ref.endpoint_id },
    typedSearchAttributes: [{ key: searchAttributes.TenantId, value: ref.tenant_id }, ...webhookAttributes([ref])],
  };
  type Workflow = (input: WebhookDeliveryInput) => Promise<string>;
  const { workflow } = temporal.client;
  if (Message.parse(kind) !== 'replay')
    await workflow.start<Workflow>(WEBHOOK_DELIVERY_WORKFLOW, { ...options, ...eagerly(temporal) });
  else
    await workflow.signalWithStart<Workflow>(WEBHOOK_DELIVERY_WORKFLOW, {
      ...options,
      signal: replaySignal,
      signalArgs: [],
    });
}

/**
 * Starts a run for several deliveries. The run's id is a digest of `lists`, so a repeated call finds the existing run.
 */
async function startBatch(temporal: TemporalClient, lists: string[][], refs: readonly DeliveryRef[]): Promise<void> {
  const name = createHash('sha256').update(JSON.stringify(lists)).digest('hex').slice(0, 32);
  await temporal.client.workflow.start<(input: WebhookBatchInput) => Promise<unknown>>(WEBHOOK_BATCH_WORKFLOW, {
    ...policies,
    ...eagerly(temporal),
    workflowId: `webhooks/${refs.length}/${name}`,
    taskQueue: webhookTaskQueue(temporal.taskQueue),
    args: [{ chains: lists }],
    staticSummary: `${refs.length} deliveries`,
    typedSearchAttributes: webhookAttributes(refs),
  });
}
