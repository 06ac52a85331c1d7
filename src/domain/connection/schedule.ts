/**
 * When to check again. One function per question, all pure: time is handed in, and so is chance (`random` in [0, 1)).
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
/** How long a touch keeps the checks fast. */
export const FAST_FOR = 2 * MINUTE;
/** A failed connection waits this long for POST verify before its run ends. */
export const REST_FOR = 30 * DAY;

const FAST = 3 * SECOND;

/** How closely a connection that serves is watched. */
export interface Pace {
  /** Waits that confirm a mismatch: the first check that sees one, then one more after each of these, then it is drift. */
  confirmations: readonly number[];
  /** Until it has been live for `forMs`, a check every `everyMs`; then as long and as often as all others. */
  atFirst: { forMs: number; everyMs: number };
}

export const REAL_PACE: Pace = {
  confirmations: [30 * SECOND, 60 * SECOND, 120 * SECOND],
  atFirst: { forMs: DAY, everyMs: 5 * MINUTE },
};

/** On the way to the sandbox's table no packet is lost, and whoever changes it touches the names that it concerns. */
export const SANDBOX_PACE: Pace = { ...REAL_PACE, confirmations: [5 * SECOND, 10 * SECOND, 20 * SECOND] };

/** Of names in the sandbox whose records go by themselves, minutes after they are live. */
export const DRIFTING_PACE: Pace = { ...SANDBOX_PACE, atFirst: { forMs: 5 * MINUTE, everyMs: 30 * SECOND } };

/**
 * Looking for something that has yet to appear: every 3 s for two minutes and after each touch, then every 15 s, then
 * ever slower. From half an hour on the wait is 60 s × 1.15ⁿ; written over the time waited so far, that sum is the
 * straight line 60 s + 0.15 × elapsed, so no counter has to survive a restart.
 */
export function untilNextCheck(waitedMs: number, fast: boolean): number {
  if (fast || waitedMs < 2 * MINUTE) return FAST;
  if (waitedMs < 30 * MINUTE) return 15 * SECOND;
  if (waitedMs < 6 * HOUR) return Math.min(MINUTE + 0.15 * (waitedMs - 30 * MINUTE), 15 * MINUTE);
  return Math.min(15 * MINUTE + 0.15 * (waitedMs - 6 * HOUR), HOUR);
}

/** Watching something that is well: as its pace says at first, every five minutes for a day, hourly after; fast after a touch. */
export function untilNextRound(liveForMs: number, fast: boolean, { atFirst }: Pace): number {
  if (fast) return FAST;
  if (liveForMs < atFirst.forMs) return atFirst.everyMs;
  return liveForMs < REAL_PACE.atFirst.forMs ? REAL_PACE.atFirst.everyMs : HOUR;
}

/** After the n-th mismatch in a row (n from 1): how long to wait before checking whether it stays. */
export const untilConfirmation = (mismatches: number, { confirmations }: Pace): number =>
  confirmations[Math.min(mismatches, confirmations.length) - 1] ?? MINUTE;

/**
 * With n mismatches counted, how long after the first of them another check can count: checks that a touch brings in
 * between see the same moment again and confirm nothing. A tenth less than the waits' sum, for that much they may be short.
 */
export const confirmsFrom = (mismatches: number, { confirmations }: Pace): number =>
  0.9 * confirmations.slice(0, mismatches).reduce((sum, wait) => sum + wait, 0);

/**
 * Where every name server has been silent, a check costs a turn and tells nothing new: at first one in half a minute,
 * and one in five minutes once they have been silent for twenty.
 */
export const whileSilent = (silentForMs: number): number =>
  Math.min(Math.max(silentForMs / 4, 30 * SECOND), 5 * MINUTE);

/** ±10 %, so that connections made together are not checked together for ever; the check's own duration counts into the wait. */
export const jittered = (waitMs: number, tookMs: number, random: number): number =>
  Math.max(SECOND / 2, Math.round(waitMs * (0.9 + 0.2 * random) - tookMs));
