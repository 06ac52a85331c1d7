import type { State } from './connection.ts';
import { AT_REST } from './state-sets.ts';

/** What became of a row of a batch when the batch was made. */
export const BATCH_RESULTS = ['created', 'existing', 'conflict', 'invalid', 'quota_exceeded'] as const;
export type BatchResult = (typeof BATCH_RESULTS)[number];

/** So many hostnames at most go into one batch. */
export const BATCH_LIMIT = 1_000;

export const comesToRest = (from: State, to: State): boolean => AT_REST.has(to) && !AT_REST.has(from);

/** What the system of record knows of a batch and the outside may see. */
export interface BatchFacts {
  id: string;
  application_id: string;
  created_at: Date;
  completed_at: Date | null;
  results: Record<BatchResult, number>;
  states: Partial<Record<State, number>>;
}

/** A batch as every answer and event shows it. */
export const presentBatch = (batch: BatchFacts) => ({
  batch_id: batch.id,
  application_id: batch.application_id,
  created_at: batch.created_at.toISOString(),
  completed_at: batch.completed_at?.toISOString() ?? null,
  total: Object.values(batch.results).reduce((sum, count) => sum + count, 0),
  results: batch.results,
  states: batch.states,
});
