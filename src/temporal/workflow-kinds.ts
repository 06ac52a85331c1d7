import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client';
import { z } from 'zod';
import { findOrders, orderRefs, type OrderRef } from '../db/certificate/acme-orders.ts';
import { CONNECTION_MESSAGES } from '../db/outbox.ts';
import {
  connectionRefs,
  findOverdue,
  findUnfinished,
  type ConnectionRef,
  type PositionedRef,
} from '../db/connection/reconcile.ts';
import {
  archiveSignal,
  CERTIFICATE_ORDER_WORKFLOW,
  certificateOrderWorkflowId,
  CONNECTION_WORKFLOW,
  connectionWorkflowId,
  credentialsChangedSignal,
  searchAttributes,
  touchSignal,
  WEBHOOK_DELIVERY_WORKFLOW,
  type CertificateOrderInput,
  type ConnectionWorkflow,
} from '../../workflows/messages.ts';
import { startConnection, startOptions, type TemporalClient } from './client.ts';
import { deliveryKind } from './webhook-runs.ts';
import type { Candidate, WorkflowKind } from './workflow-kind.ts';

const SIGNAL_OF = {
  touch: touchSignal,
  credentials_changed: credentialsChangedSignal,
  archive: archiveSignal,
} as const;

const ConnectionMessage = z.enum(CONNECTION_MESSAGES);

async function sendToConnection(temporal: TemporalClient, connection: ConnectionRef, kind: string): Promise<void> {
  const message = ConnectionMessage.parse(kind);
  if (message === 'start') {
    await startConnection(temporal, connection);
    return;
  }
  await temporal.client.workflow.signalWithStart<ConnectionWorkflow>(CONNECTION_WORKFLOW, {
    ...startOptions(connection, temporal.taskQueue),
    signal: SIGNAL_OF[message],
    signalArgs: [],
  });
}

/** Runs of certificate orders. */
const certificateOrder: WorkflowKind = {
  aggregate: 'certificate_order',
  async runsOf(db, ids) {
    const refs = await orderRefs(db, ids);
    return new Map(refs.map((ref) => [ref.id, { send: (temporal) => startOrder(temporal, ref) }]));
  },
  unfinished: async (db, after) => (await findOrders(db, after)).map(orderCandidate),
  overdue: async (db, after) => (await findOrders(db, after)).map(orderCandidate),
};

const orderCandidate = (order: OrderRef): Candidate => ({ ...order, workflowId: certificateOrderWorkflowId(order) });

async function startOrder(temporal: TemporalClient, order: OrderRef): Promise<void> {
  const { id, tenant_id: tenantId, hostname } = order;
  await temporal.client.workflow.start<(input: CertificateOrderInput) => Promise<string>>(CERTIFICATE_ORDER_WORKFLOW, {
    workflowId: certificateOrderWorkflowId(order),
    taskQueue: temporal.taskQueue,
    args: [{ id, tenantId, hostname }],
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    staticSummary: `certificate of ${hostname}`,
    priority: { fairnessKey: tenantId },
    typedSearchAttributes: [
      { key: searchAttributes.TenantId, value: tenantId },
      { key: searchAttributes.Hostname, value: hostname },
    ],
  });
}

const asCandidate = (connection: PositionedRef): Candidate => ({
  id: connection.id,
  tenant_id: connection.tenant_id,
  workflowId: connectionWorkflowId(connection),
  position: connection.position,
});

const connection: WorkflowKind = {
  aggregate: 'connection',
  async runsOf(db, ids) {
    const refs = await connectionRefs(db, ids);
    return new Map(refs.map((ref) => [ref.id, { send: (temporal, kind) => sendToConnection(temporal, ref, kind) }]));
  },
  unfinished: async (db, after) => (await findUnfinished(db, after)).map(asCandidate),
  overdue: async (db, after) => (await findOverdue(db, after)).map(asCandidate),
};

export const WORKFLOW_KINDS: ReadonlyMap<string, WorkflowKind> = new Map([
  [CONNECTION_WORKFLOW, connection],
  [CERTIFICATE_ORDER_WORKFLOW, certificateOrder],
  [WEBHOOK_DELIVERY_WORKFLOW, deliveryKind],
]);

/** Deliveries are many and come in bursts, so they have a relay of their own and delay no other message. */
export const DELIVERY_KINDS: ReadonlyMap<string, WorkflowKind> = new Map([[WEBHOOK_DELIVERY_WORKFLOW, deliveryKind]]);
export const OTHER_KINDS: ReadonlyMap<string, WorkflowKind> = new Map(
  [...WORKFLOW_KINDS].filter(([workflow]) => !DELIVERY_KINDS.has(workflow)),
);
