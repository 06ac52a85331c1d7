import type { State } from './connection.ts';
import { AT_REST, WORKING } from './state-sets.ts';

/** A waiting page polls soon after the next check; an earlier poll would return the same state. */
const SOONEST_S = 2;
const LATEST_S = 30;
/** Poll interval of states that change only through the caller, or in minutes. */
const AT_REST_S = 60;

/** Returns the seconds until the next useful poll, which responses carry as Retry-After. */
export function nextPollSeconds(state: State, nextCheckAt: Date | null, now: Date): number {
  if (AT_REST.has(state)) return AT_REST_S;
  if (WORKING.has(state) || nextCheckAt === null) return SOONEST_S;
  const untilChecked = Math.ceil((nextCheckAt.getTime() - now.getTime()) / 1_000) + 1;
  return Math.min(LATEST_S, Math.max(SOONEST_S, untilChecked));
}
