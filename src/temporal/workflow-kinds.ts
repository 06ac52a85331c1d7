import { z } from 'zod';
import { CONNECTION_MESSAGES, type AggregateKind } from '../db/outbox.ts';
import type { Queryable } from '../db/pool.ts';
import { connectionRefs, findOverdue, findUnfinished, type ConnectionRef } from '../db/reconcile.ts';
import {
  archiveSignal,
  CONNECTION_WORKFLOW,
  connectionWorkflowId,
  credentialsChangedSignal,
  touchSignal,
  type ConnectionInput,
} from '../../workflows/messages.ts';
import { startConnection, startOptions, type Temporal } from './client.ts';

/** One kind of workflow, as the relay and the reconciler know it. A new kind is one more entry in the table below. */
export interface WorkflowKind {
  /** What its runs look after, one run for each. */
  aggregate: AggregateKind;
  /** The runs of these aggregates, by aggregate id. One that is missing has no aggregate any more. */
  runsOf(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, Run>>;
  /** Which aggregates should have a run, page by page: all of them, and those that look as if theirs were lost. */
  unfinished(db: Queryable, after: string | null): Promise<readonly Candidate[]>;
  overdue(db: Queryable, after: string | null): Promise<readonly Candidate[]>;
  /** Where its runs work; none means the queue of the process that starts them. */
  taskQueue: string | null;
}

export interface Run {
  /** Gives the run a message of its own vocabulary, and starts it first where it does not run. */
  send(temporal: Temporal, kind: string): Promise<void>;
}

export interface Candidate {
  id: string;
  tenant_id: string;
  workflowId: string;
}

const SIGNAL_OF = {
  touch: touchSignal,
  credentials_changed: credentialsChangedSignal,
  archive: archiveSignal,
} as const;

const ConnectionMessage = z.enum(CONNECTION_MESSAGES);

async function sendToConnection(temporal: Temporal, connection: ConnectionRef, kind: string): Promise<void> {
  const message = ConnectionMessage.parse(kind);
  if (message === 'start') {
    await startConnection(temporal, connection);
    return;
  }
  await temporal.client.workflow.signalWithStart<(input: ConnectionInput) => Promise<void>>(CONNECTION_WORKFLOW, {
    ...startOptions(connection, temporal.taskQueue),
    signal: SIGNAL_OF[message],
    signalArgs: [],
  });
}

const asCandidate = (connection: ConnectionRef): Candidate => ({
  id: connection.id,
  tenant_id: connection.tenant_id,
  workflowId: connectionWorkflowId(connection),
});

const connection: WorkflowKind = {
  aggregate: 'connection',
  taskQueue: null,
  async runsOf(db, ids) {
    const refs = await connectionRefs(db, ids);
    return new Map(refs.map((ref) => [ref.id, { send: (temporal, kind) => sendToConnection(temporal, ref, kind) }]));
  },
  unfinished: async (db, after) => (await findUnfinished(db, after)).map(asCandidate),
  overdue: async (db, after) => (await findOverdue(db, after)).map(asCandidate),
};

export const WORKFLOW_KINDS: ReadonlyMap<string, WorkflowKind> = new Map([[CONNECTION_WORKFLOW, connection]]);
