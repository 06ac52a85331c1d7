import { DAY, MINUTE } from '../connection/schedule.ts';

/** When a delivery is tried again, and what failures do to its endpoint. Pure: time and chance are handed in. */
const SECOND = 1_000;
const HOUR = 60 * MINUTE;

/** The waits before each attempt of a round: the first is made at once, the tenth some 75 hours later. */
const DELAYS = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/**
 * How long to wait after this many attempts of a round, or null when there is no other. A receiver that asks for a later
 * one (Retry-After) is heard up to twice the usual wait.
 */
export function untilNextAttempt(attempts: number, retryAfterMs: number | null, random: number): number | null {
  const delay = DELAYS[attempts];
  if (delay === undefined) return null;
  const wanted = Math.min(Math.max(delay, retryAfterMs ?? 0), 2 * delay);
  return Math.round(wanted * (retryAfterMs === null ? 0.9 + 0.2 * random : 1));
}

/** What is known of an endpoint's failures since its last success. */
export interface EndpointHealth {
  failures: number;
  failing_since: Date | null;
  last_failure_at: Date | null;
  paused_until: Date | null;
}

export const HEALTHY: EndpointHealth = {
  failures: 0,
  failing_since: null,
  last_failure_at: null,
  paused_until: null,
};

const DISABLED_AFTER = 5 * DAY;
/** The schedule's longest wait is a day; after two days without an attempt nothing is known any more. */
const FORGOTTEN_AFTER = 2 * DAY;
const PAUSED_FROM = 5;
const PAUSE_MIN = 30 * SECOND;
const PAUSE_MAX = 15 * MINUTE;
/** As long as an attempt may take: until then the one that tries whether the receiver is back is alone. */
export const PROBE_FOR = 20 * SECOND;

/**
 * After a failed attempt. From the fifth failure in a row on the endpoint is paused for ever longer, so that a dead
 * receiver costs little; after five days of nothing but failures it is disabled.
 */
export function afterFailure(health: EndpointHealth, now: number): EndpointHealth & { disable: boolean } {
  const isForgotten = health.last_failure_at !== null && now - health.last_failure_at.getTime() > FORGOTTEN_AFTER;
  const since = isForgotten ? now : Math.min(health.failing_since?.getTime() ?? now, now);
  const failures = health.failures + 1;
  const pause = failures < PAUSED_FROM ? 0 : Math.min(PAUSE_MIN * 2 ** (failures - PAUSED_FROM), PAUSE_MAX);
  return {
    failures,
    failing_since: new Date(since),
    last_failure_at: new Date(now),
    paused_until: pause === 0 ? null : new Date(now + pause),
    disable: now - since >= DISABLED_AFTER,
  };
}

/** Whether attempts at this endpoint have to wait, or only one may be made that tries whether the receiver is back. */
export function circuitOf({ paused_until }: EndpointHealth, now: number): 'closed' | 'paused' | 'probing' {
  if (paused_until === null) return 'closed';
  return paused_until.getTime() > now ? 'paused' : 'probing';
}

/**
 * When a delivery that met a paused endpoint asks again: behind the pause, and the later the longer it has waited, so
 * that many of them do not wake often, nor all at once.
 */
export function afterPause(pausedUntil: number, waitingForMs: number, now: number, random: number): number {
  const spread = Math.min(Math.max(waitingForMs / 4, PAUSE_MIN), HOUR);
  return Math.round(Math.max(pausedUntil - now, SECOND) + spread * random);
}

/** When a delivery asks again for which its endpoint had no time: the later the longer it has waited, like all the others. */
export const whileBusy = (waitingForMs: number, random: number): number =>
  Math.round(5 * SECOND + Math.min(Math.max(waitingForMs, 5 * SECOND), HOUR) * random);
