import { SERVING } from '../../domain/connection/state-sets.ts';
import { sql } from '../pool.ts';
import { inStates } from '../state-list.ts';

type Moment = ReturnType<typeof sql.timestamp>;

/** Whether the connection has drifted since before this time, excluding time without an answer. */
export const hasDrifted = (since: Moment) =>
  sql.fragment`(state = 'drifted' AND phase_started_at + unasked_ms * interval '1 millisecond' <= ${since})`;

/**
 * Whether another proof may take the claim: the connection has drifted since before this time, or its domain was
 * registered anew or is gone. The function `hostname_is_held` decides in the same way.
 */
export const isTakeable = (driftedSince: Moment) => sql.fragment`
  (${hasDrifted(driftedSince)} OR (state ${inStates(SERVING)} AND is_domain_lost(registered_domain, proved_at)))`;
