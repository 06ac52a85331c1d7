import type { State } from './connection.ts';
import { AT_REST, WORKING } from './state-sets.ts';

/** Shortest and longest interval between two polls. A poll before the next check would return the same state. */
const SOONEST_S = 2;
const LATEST_S = 30;
/** Interval for connections at rest (live, failed or archived), which change only after minutes or by a request. */
const AT_REST_S = 60;

/** Returns the seconds until the next useful poll of a client, which responses carry as Retry-After. */
export function nextPollSeconds(state: State, nextCheckAt: Date | null, now: Date): number {
  if (AT_REST.has(state)) return AT_REST_S;
  // While the service itself is at work, the state can change at any moment.
  if (WORKING.has(state) || nextCheckAt === null) return SOONEST_S;
  const untilChecked = Math.ceil((nextCheckAt.getTime() - now.getTime()) / 1_000) + 1;
  return Math.min(LATEST_S, Math.max(SOONEST_S, untilChecked));
}
