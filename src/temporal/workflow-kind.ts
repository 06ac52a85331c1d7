import type { AggregateKind, OutboxMessage } from '../db/outbox.ts';
import type { Queryable } from '../db/pool.ts';
import type { TemporalClient } from './client.ts';

/** A kind of workflow, for the relay and the reconciler. To add one, add an entry to WORKFLOW_KINDS. */
export interface WorkflowKind {
  /** Kind of object that each run belongs to. */
  aggregate: AggregateKind;
  /** Returns the runs of these objects by id. A missing one has been deleted. */
  runsOf(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, Run>>;
  /** Combines messages that one call can deliver. Each of the others gets a call of its own. */
  callsFor?(db: Queryable, messages: readonly OutboxMessage[]): Promise<readonly TemporalCall[]>;
  /** Returns objects that should have a run, page by page: all of them, and those whose run seems lost. */
  unfinished(db: Queryable, after: string | null): Promise<readonly Candidate[]>;
  overdue(db: Queryable, after: string | null): Promise<readonly Candidate[]>;
}

export interface Run {
  /** `traceparent` of the span that created the connection of this run. */
  first?: string | null;
  /** Sends a message to the run, and starts the run first if necessary. */
  send(temporal: TemporalClient, kind: string): Promise<void>;
}

/** One call to Temporal, and the messages that it delivers. */
export interface TemporalCall {
  messages: readonly OutboxMessage[];
  first?: string | null | undefined;
  send(temporal: TemporalClient): Promise<void>;
}

export interface Candidate {
  id: string;
  tenant_id: string;
  workflowId: string;
  position: string;
}
