import { z } from 'zod';
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
  CONNECTION_WORKFLOW,
  connectionWorkflowId,
  credentialsChangedSignal,
  touchSignal,
  WEBHOOK_DELIVERY_WORKFLOW,
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
  [WEBHOOK_DELIVERY_WORKFLOW, deliveryKind],
]);

/** Deliveries are many and come in bursts, so they have a relay of their own and delay no other message. */
export const DELIVERY_KINDS: ReadonlyMap<string, WorkflowKind> = new Map([[WEBHOOK_DELIVERY_WORKFLOW, deliveryKind]]);
export const OTHER_KINDS: ReadonlyMap<string, WorkflowKind> = new Map(
  [...WORKFLOW_KINDS].filter(([workflow]) => !DELIVERY_KINDS.has(workflow)),
);
