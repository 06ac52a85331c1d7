import type { State } from './connection.ts';
import type { TimeFacts } from './elapsed.ts';
import { CERTIFICATE_DEADLINE, OWNERSHIP_DEADLINE, PROPAGATION_DEADLINE, STALL_AFTER } from './schedule.ts';

const FAILS_AFTER: Partial<Record<State, number>> = {
  pending_ownership: OWNERSHIP_DEADLINE,
  verifying: OWNERSHIP_DEADLINE,
  propagating: STALL_AFTER + PROPAGATION_DEADLINE,
  stalled: STALL_AFTER + PROPAGATION_DEADLINE,
  issuing_cert: CERTIFICATE_DEADLINE,
};

export type WaitFacts = Pick<TimeFacts, 'phase_started_at' | 'unasked_ms'> & { state: State };

/** Returns when a waiting connection fails if name servers answer until then; null where it waits forever. */
export function failsAt({ state, phase_started_at, unasked_ms }: WaitFacts): Date | null {
  const after = FAILS_AFTER[state];
  if (after === undefined || phase_started_at === null) return null;
  return new Date(phase_started_at.getTime() + unasked_ms + after);
}
