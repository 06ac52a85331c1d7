import type { State } from './connection.ts';
import { CERTIFICATE_DEADLINE, OWNERSHIP_DEADLINE, PROPAGATION_DEADLINE, WRITE_DEADLINE } from './schedule.ts';

export interface OutlookFacts {
  state: State;
  phase_started_at: Date | null;
  unasked_ms: number;
  next_check_at: Date | null;
  cleanup: 'none' | 'pending' | 'done' | 'failed';
}

/** What each state waits for, and how long at most; time in which nobody could be asked does not count. */
const WAITS: Partial<Record<State, { for: string; until?: number; then?: string }>> = {
  created: { for: 'its workflow' },
  pending_ownership: { for: 'the ownership record', until: OWNERSHIP_DEADLINE, then: 'it fails' },
  verifying: { for: 'the ownership record', until: OWNERSHIP_DEADLINE, then: 'it fails' },
  verified: { for: 'the choice of its setup' },
  dns_writing: {
    for: 'the provider to take the records',
    until: WRITE_DEADLINE,
    then: 'the customer is asked instead',
  },
  propagating: { for: 'its records', until: PROPAGATION_DEADLINE, then: 'it fails' },
  stalled: { for: 'its records', until: PROPAGATION_DEADLINE, then: 'it fails' },
  issuing_cert: { for: 'its certificate', until: CERTIFICATE_DEADLINE, then: 'it fails' },
  drifted: { for: 'its records to come back' },
};

/** What happens to a connection next by itself, and when: for an operator who wonders whether to do something. */
export function outlookOf({ state, phase_started_at, unasked_ms, next_check_at, cleanup }: OutlookFacts): string {
  if (state === 'archived')
    return cleanup === 'pending' ? 'What we wrote is being removed from its zone.' : 'Nothing: it is archived.';
  if (state === 'failed') return 'Nothing, until it is verified again or archived.';
  const check =
    next_check_at === null ? 'No check is planned.' : `The next check is at ${next_check_at.toISOString()}.`;
  const waits = WAITS[state];
  if (waits === undefined) return check;
  if (waits.until === undefined || waits.then === undefined || phase_started_at === null)
    return `It waits for ${waits.for}. ${check}`;
  const end = new Date(phase_started_at.getTime() + unasked_ms + waits.until);
  return `It waits for ${waits.for}; ${waits.then} on ${end.toISOString()}. ${check}`;
}
