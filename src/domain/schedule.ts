/**
 * When to look again. One function per question, all pure: time is handed in, and so is chance (`random` in [0, 1)).
 * Times are milliseconds since the epoch by Temporal's clock.
 */
const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const OWNERSHIP_DEADLINE = 14 * DAY;
export const STALL_AFTER = HOUR;
export const PROPAGATION_DEADLINE = 7 * DAY;
export const CERTIFICATE_DEADLINE = 7 * DAY;
export const WRITE_DEADLINE = HOUR;
/** How long a touch keeps the looks fast. */
export const FAST_FOR = 2 * MINUTE;
/** A failed connection waits this long for somebody to ask again before its run ends. */
export const REST_FOR = 30 * DAY;

const FAST = 3 * SECOND;

/** Waits that confirm a mismatch: the first look that sees one, then three more before anybody is told of drift. */
const CONFIRMATIONS = [30 * SECOND, 60 * SECOND, 120 * SECOND];
export const LOOKS_TO_DRIFT = CONFIRMATIONS.length + 1;

/**
 * Looking for something that has yet to appear: every 3 s for two minutes and after each touch, then every 15 s, then
 * ever slower. From half an hour on the wait is 60 s × 1.15ⁿ; written over the time waited so far, that sum is the
 * straight line 60 s + 0.15 × elapsed, so no counter has to survive a restart.
 */
export function untilNextLook(waitedMs: number, fast: boolean): number {
  if (fast || waitedMs < 2 * MINUTE) return FAST;
  if (waitedMs < 30 * MINUTE) return 15 * SECOND;
  if (waitedMs < 6 * HOUR) return Math.min(MINUTE + 0.15 * (waitedMs - 30 * MINUTE), 15 * MINUTE);
  return Math.min(15 * MINUTE + 0.15 * (waitedMs - 6 * HOUR), HOUR);
}

/** Watching something that is well: every five minutes for a day, hourly after; fast while somebody watches. */
export function untilNextRound(liveForMs: number, fast: boolean): number {
  if (fast) return FAST;
  return liveForMs < DAY ? 5 * MINUTE : HOUR;
}

/** After the n-th mismatch in a row (n from 1): how long to wait before looking whether it stays. */
export const untilConfirmation = (mismatches: number): number =>
  CONFIRMATIONS[Math.min(mismatches, CONFIRMATIONS.length) - 1] ?? MINUTE;

/**
 * With n mismatches counted, how long after the first of them another look can count: looks that somebody asks for in
 * between see the same moment again and confirm nothing. A tenth less than the waits' sum, for that much they may be short.
 */
export const confirmsFrom = (mismatches: number): number =>
  0.9 * CONFIRMATIONS.slice(0, mismatches).reduce((sum, wait) => sum + wait, 0);

/** ±10 %, so that connections made together do not look together for ever; the look's own duration counts into the wait. */
export const jittered = (waitMs: number, tookMs: number, random: number): number =>
  Math.max(SECOND / 2, Math.round(waitMs * (0.9 + 0.2 * random) - tookMs));
