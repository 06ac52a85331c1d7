import { STATES, type State } from '../domain/connection/connection.ts';
import { AWAITS_CUSTOMER, SERVING, WORKING } from '../domain/connection/state-sets.ts';

/** Meaning of a colour. */
export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'quiet';

const NAMES: Record<State, string> = {
  created: 'Created',
  pending_ownership: 'Waiting for proof',
  verifying: 'Checking proof',
  verified: 'Verified',
  dns_writing: 'Writing DNS',
  propagating: 'Waiting for records',
  stalled: 'Stalled',
  issuing_cert: 'Getting certificate',
  live: 'Live',
  drifted: 'Drifted',
  failed: 'Failed',
  archived: 'Archived',
};

/** Returns a state in words. A state of a later release keeps its own name. */
export const stateName = (state: string): string => (NAMES as Record<string, string>)[state] ?? state;

/** Returns how a state is coloured: `warn` and `bad` wait for a person, `busy` waits for DNS or for the service. */
export function stateTone(state: string): Tone {
  const known = state as State;
  if (!STATES.includes(known)) return 'quiet';
  if (known === 'failed') return 'bad';
  if (known === 'stalled' || known === 'drifted') return 'warn';
  if (SERVING.has(known)) return 'good';
  return WORKING.has(known) || AWAITS_CUSTOMER.has(known) ? 'busy' : 'quiet';
}
