import type { State } from './connection.ts';
import type { TimeFacts } from './elapsed.ts';
import { AWAITS_RECORDS } from './state-sets.ts';
import { CERTIFICATE_DEADLINE, OWNERSHIP_DEADLINE, PROPAGATION_DEADLINE, STALL_AFTER } from './schedule.ts';

const FAILS_AFTER: Partial<Record<State, number>> = {
  pending_ownership: OWNERSHIP_DEADLINE,
  verifying: OWNERSHIP_DEADLINE,
  propagating: STALL_AFTER + PROPAGATION_DEADLINE,
  stalled: STALL_AFTER + PROPAGATION_DEADLINE,
  issuing_cert: CERTIFICATE_DEADLINE,
};

export type WaitFacts = Pick<TimeFacts, 'phase_started_at' | 'unasked_ms'> & {
  state: State;
  /** An imported hostname waits for its target's move for any time. */
  proof_target?: string | null;
};

/** Returns when a waiting connection fails if name servers answer until then; null where it waits forever. */
export function failsAt({ state, phase_started_at, unasked_ms, proof_target = null }: WaitFacts): Date | null {
  if (proof_target !== null && AWAITS_RECORDS.has(state)) return null;
  const after = FAILS_AFTER[state];
  if (after === undefined || phase_started_at === null) return null;
  return new Date(phase_started_at.getTime() + unasked_ms + after);
}
