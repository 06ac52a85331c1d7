import { DAY, HOUR, MINUTE, SECOND } from '../duration.ts';

// Schedule of attempts, and health of endpoints. Pure: callers pass the time and a random number.

/** Waits before each attempt. The first attempt is immediate; the tenth follows after about 75 hours. */
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

/** Returns the wait after an attempt; null after the last one. Retry-After extends a wait up to twice its length. */
export function untilNextAttempt(attempts: number, retryAfterMs: number | null, random: number): number | null {
  const delay = DELAYS[attempts];
  if (delay === undefined) return null;
  const wanted = Math.min(Math.max(delay, retryAfterMs ?? 0), 2 * delay);
  return Math.round(wanted * (retryAfterMs === null ? 0.9 + 0.2 * random : 1));
}

export interface EndpointHealth {
  failures: number;
  failing_since: Date | null;
  last_failure_at: Date | null;
  paused_until: Date | null;
}

export const HEALTHY: EndpointHealth = { failures: 0, failing_since: null, last_failure_at: null, paused_until: null };

const DISABLED_AFTER = 5 * DAY;
/** Time without an attempt after which the failures no longer count. The longest wait is a day. */
const HEALTH_EXPIRES_AFTER = 2 * DAY;
const PAUSED_FROM = 5;
const PAUSE_MIN = 30 * SECOND;
const PAUSE_MAX = 15 * MINUTE;
/** Maximum duration of a probe. No other attempt is made until it ends. */
export const PROBE_FOR = 20 * SECOND;

/** Returns the health after a failed attempt: paused from the fifth in a row, disabled after five days. */
export function afterFailure(health: EndpointHealth, now: number): EndpointHealth & { disable: boolean } {
  const isExpired = health.last_failure_at !== null && now - health.last_failure_at.getTime() > HEALTH_EXPIRES_AFTER;
  const since = isExpired ? now : Math.min(health.failing_since?.getTime() ?? now, now);
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

/** Whether attempts may be made, must wait, or one attempt may probe the receiver. */
export function circuitOf({ paused_until }: EndpointHealth, now: number): 'closed' | 'paused' | 'probing' {
  if (paused_until === null) return 'closed';
  return paused_until.getTime() > now ? 'paused' : 'probing';
}

/** Returns the wait of a delivery whose endpoint is paused: longer with its age, so that many do not wake together. */
export function afterPause(pausedUntil: number, waitingForMs: number, now: number, random: number): number {
  const spread = Math.min(Math.max(waitingForMs / 4, PAUSE_MIN), HOUR);
  return Math.round(Math.max(pausedUntil - now, SECOND) + spread * random);
}

/** Returns the wait of a delivery whose endpoint is busy; longer the longer it has waited. */
export const whileBusy = (waitingForMs: number, random: number): number =>
  Math.round(10 * SECOND + Math.min(Math.max(waitingForMs, 10 * SECOND), HOUR) * random);
