import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client';
import { z } from 'zod';
import { findOrders, orderRefs, type OrderRef } from '../db/certificate/acme-orders.ts';
import { CUTOVER_MESSAGES, cutoverRefs, findCutovers, type CutoverRef } from '../db/zone/cutovers.ts';
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
  cancelCutoverSignal,
  CERTIFICATE_ORDER_WORKFLOW,
  certificateOrderWorkflowId,
  CONNECTION_WORKFLOW,
  connectionWorkflowId,
  credentialsChangedSignal,
  CUTOVER_WORKFLOW,
  cutoverWorkflowId,
  searchAttributes,
  touchSignal,
  WEBHOOK_DELIVERY_WORKFLOW,
  type CertificateOrderInput,
  type ConnectionWorkflow,
  type CutoverInput,
} from '../../workflows/messages.ts';
import { startConnection, startOptions, type TemporalClient } from './client.ts';
import { deliveryKind } from './webhook-runs.ts';
import type { Candidate, Run, WorkflowKind } from './workflow-kind.ts';

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

const runsBy = <R extends { id: string; trace_context: string | null }>(
  refs: readonly R[],
  send: (temporal: TemporalClient, ref: R, kind: string) => Promise<void>,
): ReadonlyMap<string, Run> =>
  new Map(
    refs.map((ref) => [ref.id, { first: ref.trace_context, send: (temporal, kind) => send(temporal, ref, kind) }]),
  );

/** Runs of certificate orders. */
const certificateOrder: WorkflowKind = {
  aggregate: 'certificate_order',
  async runsOf(db, ids) {
    const refs = await orderRefs(db, ids);
    return runsBy(refs, startOrder);
  },
  unfinished: async (db, after) => (await findOrders(db, after)).map(orderCandidate),
  overdue: async (db, after) => (await findOrders(db, after)).map(orderCandidate),
};

const orderCandidate = (order: OrderRef): Candidate => ({ ...order, workflowId: certificateOrderWorkflowId(order) });

/** Runs of cutovers. */
const cutover: WorkflowKind = {
  aggregate: 'cutover',
  async runsOf(db, ids) {
    const refs = await cutoverRefs(db, ids);
    return runsBy(refs, sendToCutover);
  },
  unfinished: async (db, after) => (await findCutovers(db, after)).map(cutoverCandidate),
  overdue: async (db, after) => (await findCutovers(db, after)).map(cutoverCandidate),
};

const cutoverCandidate = (row: CutoverRef): Candidate => ({ ...row, workflowId: cutoverWorkflowId(row) });
const CutoverMessage = z.enum(CUTOVER_MESSAGES);

async function sendToCutover({ client, taskQueue }: TemporalClient, row: CutoverRef, kind: string): Promise<void> {
  const { id, tenant_id: tenantId, hostname } = row;
  const options = {
    ...childOptions({ tenantId, hostname, taskQueue }),
    workflowId: cutoverWorkflowId(row),
    args: [{ id, tenantId, hostname }] as [CutoverInput],
    staticSummary: `cutover of ${hostname}`,
  };
  if (CutoverMessage.parse(kind) === 'start') await client.workflow.start<CutoverWorkflow>(CUTOVER_WORKFLOW, options);
  else
    await client.workflow.signalWithStart<CutoverWorkflow>(CUTOVER_WORKFLOW, {
      ...options,
      signal: cancelCutoverSignal,
      signalArgs: [],
    });
}
type CutoverWorkflow = (input: CutoverInput) => Promise<string>;

/** Options of a run that belongs to one hostname. A second start joins the run in progress. */
const childOptions = (at: { tenantId: string; hostname: string; taskQueue: string }) => ({
  taskQueue: at.taskQueue,
  workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
  workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
  priority: { fairnessKey: at.tenantId },
  typedSearchAttributes: [
    { key: searchAttributes.TenantId, value: at.tenantId },
    { key: searchAttributes.Hostname, value: at.hostname },
  ],
});

async function startOrder(temporal: TemporalClient, order: OrderRef): Promise<void> {
  const { id, tenant_id: tenantId, hostname } = order;
  await temporal.client.workflow.start<(input: CertificateOrderInput) => Promise<string>>(CERTIFICATE_ORDER_WORKFLOW, {
    ...childOptions({ tenantId, hostname, taskQueue: temporal.taskQueue }),
    workflowId: certificateOrderWorkflowId(order),
    args: [{ id, tenantId, hostname }],
    staticSummary: `certificate of ${hostname}`,
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
    return runsBy(refs, sendToConnection);
  },
  unfinished: async (db, after) => (await findUnfinished(db, after)).map(asCandidate),
  overdue: async (db, after) => (await findOverdue(db, after)).map(asCandidate),
};

export const WORKFLOW_KINDS: ReadonlyMap<string, WorkflowKind> = new Map([
  [CONNECTION_WORKFLOW, connection],
  [CERTIFICATE_ORDER_WORKFLOW, certificateOrder],
  [CUTOVER_WORKFLOW, cutover],
  [WEBHOOK_DELIVERY_WORKFLOW, deliveryKind()],
]);

/** Deliveries are many and come in bursts, so they have a relay of their own and delay no other message. */
export const deliveryKinds = (hangs?: (endpointId: string) => boolean): ReadonlyMap<string, WorkflowKind> =>
  new Map([[WEBHOOK_DELIVERY_WORKFLOW, deliveryKind(hangs)]]);
export const OTHER_KINDS: ReadonlyMap<string, WorkflowKind> = new Map(
  [...WORKFLOW_KINDS].filter(([workflow]) => workflow !== WEBHOOK_DELIVERY_WORKFLOW),
);
