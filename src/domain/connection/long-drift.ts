import type { State } from './connection.ts';
import type { Finding } from '../observation/finding.ts';
import { DAY } from '../duration.ts';

/** Time without our records after which the domain was probably sold or abandoned, so the tenant should decide. */
export const LONG_DRIFT = 30 * DAY;

/** Determines how long a connection has not pointed at the edge. Time without an answer does not count. */
export interface DriftFacts {
  state: State;
  hostname: string;
  phase_started_at: Date | null;
  unasked_ms: number;
}

/** Returns a warning for the tenant. The customer already sees which records are missing. */
export function longDriftFindings({ state, hostname, phase_started_at, unasked_ms }: DriftFacts, now: Date): Finding[] {
  if (state !== 'drifted' || phase_started_at === null) return [];
  if (now.getTime() - phase_started_at.getTime() - unasked_ms < LONG_DRIFT) return [];
  return [
    {
      code: 'drifted_long',
      severity: 'warning',
      message: `${hostname} has not pointed at the edge since ${phase_started_at.toISOString().slice(0, 10)}.`,
      fix: 'Ask its owner to add the records again, or archive the connection. Until then, anyone who proves the hostname can claim it.',
    },
  ];
}
