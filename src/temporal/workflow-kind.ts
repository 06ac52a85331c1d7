import type { AggregateKind, OutboxMessage } from '../db/outbox.ts';
import type { Queryable } from '../db/pool.ts';
import type { TemporalClient } from './client.ts';

/** One kind of workflow, as the relay and the reconciler know it. A new kind is one more entry in WORKFLOW_KINDS. */
export interface WorkflowKind {
  /** What its runs look after, one run for each. */
  aggregate: AggregateKind;
  /** The runs of these aggregates, by aggregate id. One that is missing has no aggregate any more. */
  runsOf(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, Run>>;
  /** Messages among these that can travel together, in fewer runs than there are messages. The others go alone. */
  shipmentsOf?(db: Queryable, messages: readonly OutboxMessage[]): Promise<readonly Shipment[]>;
  /** Which aggregates should have a run, page by page: all of them, and those that look as if theirs were lost. */
  unfinished(db: Queryable, after: string | null): Promise<readonly Candidate[]>;
  overdue(db: Queryable, after: string | null): Promise<readonly Candidate[]>;
  /** Where its runs work; none means the queue of the process that starts them. */
  taskQueue: string | null;
}

export interface Run {
  /** Gives the run a message of its own vocabulary, and starts it first where it does not run. */
  send(temporal: TemporalClient, kind: string): Promise<void>;
}

/** One call to Temporal, and the messages that have arrived when it succeeds. */
export interface Shipment {
  messages: readonly OutboxMessage[];
  send(temporal: TemporalClient): Promise<void>;
}

export interface Candidate {
  id: string;
  tenant_id: string;
  workflowId: string;
  /** Where the page after this candidate begins. */
  place: string;
}
