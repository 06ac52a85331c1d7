import { DAY, HOUR, MINUTE, SECOND } from '../duration.ts';

// Schedules of checks. Functions are pure; times are milliseconds since the epoch by Temporal's clock.

export const OWNERSHIP_DEADLINE = 14 * DAY;
/** Usual time in which a customer publishes the challenge, since the connection was created or touched. */
export const USUAL_PROOF = 10 * MINUTE;
export const STALL_AFTER = HOUR;
export const PROPAGATION_DEADLINE = 7 * DAY;
export const CERTIFICATE_DEADLINE = 7 * DAY;
export const WRITE_DEADLINE = HOUR;
export const FAST_FOR = 2 * MINUTE;
/** Time for which a failed connection waits for POST verify before its run ends. */
export const REST_FOR = 30 * DAY;

const FAST = 3 * SECOND;
/** Time for which a worker watches for the challenge between two frequent checks, with a question a second. */
export const WATCH_FOR = 12 * SECOND;

/** Whether checks are frequent, because a person may be waiting. The wait varies by ±10 %. */
export const isFrequent = (waitMs: number): boolean => waitMs <= 1.1 * FAST;

/** Speed of a connection's checks and deadlines. Only the sandbox differs from the real pace. */
export interface Pace {
  /** Factor by which time passes faster, so that a test sees in minutes what takes days. */
  speed: number;
  /** Time without the records until `stalled`, and from then until `failed`. */
  stallAfter: number;
  failAfter: number;
  /** Waits between the checks that confirm a mismatch. */
  confirmations: readonly number[];
  /** Check interval for the first time after going live. */
  atFirst: { forMs: number; everyMs: number };
}

export const REAL_PACE: Pace = {
  speed: 1,
  stallAfter: STALL_AFTER,
  failAfter: PROPAGATION_DEADLINE,
  confirmations: [30 * SECOND, 60 * SECOND, 120 * SECOND],
  atFirst: { forMs: DAY, everyMs: 5 * MINUTE },
};

/** The sandbox loses no packets and touches connections when its table changes, so confirmation can be quick. */
export const SANDBOX_PACE: Pace = { ...REAL_PACE, confirmations: [5 * SECOND, 10 * SECOND, 20 * SECOND] };

/** Pace of sandbox hostnames whose records or certificate end minutes after they are live. */
export const DRIFTING_PACE: Pace = { ...SANDBOX_PACE, atFirst: { forMs: 5 * MINUTE, everyMs: 30 * SECOND } };

/** Returns the wait at this speed. Checks are never closer together than those that a person waits for. */
export const atSpeed = (waitMs: number, { speed }: Pick<Pace, 'speed'>): number =>
  Math.max(waitMs / speed, Math.min(waitMs, FAST));

/** Returns the time until the next check. It grows with the time waited, so no counter has to survive a restart. */
export function untilNextCheck(waitedMs: number, fast: boolean): number {
  if (fast || waitedMs < 2 * MINUTE) return FAST;
  if (waitedMs < 30 * MINUTE) return 15 * SECOND;
  if (waitedMs < 6 * HOUR) return Math.min(MINUTE + 0.15 * (waitedMs - 30 * MINUTE), 15 * MINUTE);
  return Math.min(15 * MINUTE + 0.15 * (waitedMs - 6 * HOUR), HOUR);
}

/** Shortest wait of hostnames whose target has not moved yet: ten thousand of them wait, and all move with one record. */
export const WHILE_PARKED = 15 * MINUTE;

/** Returns the time until the next drift check of a healthy connection. */
export function untilNextRound(liveForMs: number, fast: boolean, { atFirst }: Pace): number {
  if (fast) return FAST;
  if (liveForMs < atFirst.forMs) return atFirst.everyMs;
  return liveForMs < REAL_PACE.atFirst.forMs ? REAL_PACE.atFirst.everyMs : HOUR;
}

/** Returns the wait before the check that confirms the n-th mismatch in a row (n from 1). */
export const untilConfirmation = (mismatches: number, { confirmations }: Pace): number =>
  confirmations[Math.min(mismatches, confirmations.length) - 1] ?? MINUTE;

/** Returns the time since the first mismatch from which another check counts; a touch can cause an earlier one. */
export const confirmsFrom = (mismatches: number, { confirmations }: Pace): number =>
  0.9 * confirmations.slice(0, mismatches).reduce((sum, wait) => sum + wait, 0);

/** Returns the wait while every name server is silent: 30 s, and five minutes after twenty minutes of silence. */
export const whileSilent = (silentForMs: number): number =>
  Math.min(Math.max(silentForMs / 4, 30 * SECOND), 5 * MINUTE);

/** Varies the wait by ±10 %, so that connections created together are not checked together forever. */
export const jittered = (waitMs: number, tookMs: number, random: number): number =>
  Math.max(SECOND / 2, Math.round(waitMs * (0.9 + 0.2 * random) - tookMs));
