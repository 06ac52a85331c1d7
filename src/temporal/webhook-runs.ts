import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { deliveryRefs, findOverdueDeliveries, findPending, type DeliveryRef } from '../db/webhook/runs.ts';
import { restart } from '../db/webhook/postpone.ts';
import type { Queryable } from '../db/pool.ts';
import { dispatch } from '../domain/webhook/dispatch.ts';
import { whileBusy } from '../domain/webhook/schedule.ts';
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

/**
 * Runs of deliveries. Deliveries that are due together share their first run (src/domain/webhook/dispatch.ts). Those to
 * a receiver that `hangs` get no run: they would only find that no further attempt is allowed, and a thousand of them
 * would delay those of other tenants.
 */
export const deliveryKind = (hangs: (endpointId: string) => boolean = () => false): WorkflowKind => ({
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
    const waiting = refs.filter(({ endpoint_id }) => hangs(endpoint_id));
    if (waiting.length > 0) await postponeLists(db, waiting);
    const postponed = { messages: waiting.flatMap(({ id }) => starts.get(id) ?? []), send: () => Promise.resolve() };
    const runs = dispatch(refs.filter((ref) => !waiting.includes(ref)))
      .filter((lists) => lists.flat().length > 1)
      .map((lists) => {
        const ids = new Set(lists.flat());
        const deliveries = refs.filter(({ id }) => ids.has(id));
        return {
          messages: deliveries.flatMap(({ id }) => starts.get(id) ?? []),
          send: (temporal: TemporalClient) => startBatch(temporal, lists, deliveries),
        };
      });
    return waiting.length > 0 ? [postponed, ...runs] : runs;
  },
  unfinished: async (db, after) => (await findPending(db, after)).map(asCandidate),
  overdue: async (db, after) => (await findOverdueDeliveries(db, after)).map(asCandidate),
});

/** Dates deliveries later, in the transaction that takes their messages. Those of one list keep their order. */
async function postponeLists(db: Queryable, refs: readonly DeliveryRef[]): Promise<void> {
  const now = Date.now();
  const createdAt = new Map(refs.map(({ id, created_at }) => [id, created_at.getTime()]));
  const lists = dispatch(refs).flat();
  const postponed = lists.flatMap((list) => {
    const waitMs = whileBusy(now - Math.min(...list.map((id) => createdAt.get(id) ?? now)), Math.random());
    return list.map((id) => ({ id, waitMs, by: '', now }));
  });
  await restart(db, postponed);
}

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
