import type { State } from './connection.ts';
import type { Finding } from '../observation/finding.ts';
import { DAY } from './schedule.ts';

/** After this time without a visitor the domain is likely to be gone, sold or given up: somebody should decide. */
export const LONG_DRIFT = 30 * DAY;

/** What of a connection tells how long it has not pointed here. Time in which nobody could be asked does not count. */
export interface DriftFacts {
  state: State;
  hostname: string;
  phase_started_at: Date | null;
  unasked_ms: number;
}

/** For the tenant: the customer sees the records that are missing, and knows. */
export function longDriftFindings({ state, hostname, phase_started_at, unasked_ms }: DriftFacts, now: Date): Finding[] {
  if (state !== 'drifted' || phase_started_at === null) return [];
  if (now.getTime() - phase_started_at.getTime() - unasked_ms < LONG_DRIFT) return [];
  return [
    {
      code: 'drifted_long',
      severity: 'warning',
      message: `${hostname} has not pointed here since ${phase_started_at.toISOString().slice(0, 10)}.`,
      fix: 'Ask its owner to set the records again, or archive the connection: until then anyone who proves the name can take it.',
    },
  ];
}
