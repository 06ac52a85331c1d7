import type { State } from './connection.ts';
import { AT_REST, WORKING } from './state-sets.ts';

/** A page that waits asks again soon after the next check; sooner would tell it nothing. */
const SOONEST_S = 2;
const LATEST_S = 30;
/** Where nothing moves by itself, or only in minutes. */
const AT_REST_S = 60;

/** Seconds after which reading the connection again makes sense: the Retry-After of its answers. */
export function nextPollSeconds(state: State, nextCheckAt: Date | null, now: Date): number {
  if (AT_REST.has(state)) return AT_REST_S;
  if (WORKING.has(state) || nextCheckAt === null) return SOONEST_S;
  const untilChecked = Math.ceil((nextCheckAt.getTime() - now.getTime()) / 1_000) + 1;
  return Math.min(LATEST_S, Math.max(SOONEST_S, untilChecked));
}
