import type { State } from './connection.ts';
import { AT_REST } from './state-sets.ts';

/** Results of the rows of a batch, decided when the batch is created. */
export const BATCH_RESULTS = ['created', 'existing', 'conflict', 'invalid', 'quota_exceeded'] as const;
export type BatchResult = (typeof BATCH_RESULTS)[number];

export const BATCH_LIMIT = 1_000;

export const comesToRest = (from: State, to: State): boolean => AT_REST.has(to) && !AT_REST.has(from);

export interface BatchFacts {
  id: string;
  application_id: string;
  created_at: Date;
  completed_at: Date | null;
  results: Record<BatchResult, number>;
  states: Partial<Record<State, number>>;
}

export const presentBatch = (batch: BatchFacts) => ({
  batch_id: batch.id,
  application_id: batch.application_id,
  created_at: batch.created_at.toISOString(),
  completed_at: batch.completed_at?.toISOString() ?? null,
  total: Object.values(batch.results).reduce((sum, count) => sum + count, 0),
  results: batch.results,
  states: batch.states,
});
