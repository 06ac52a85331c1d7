import { shownChange, type Blocked, type CertificateOutcome, type CertificateSource } from './certificate.ts';
import type { ConnectionError, Trigger } from '../connection/connection.ts';
import { timeAt, unaskedAfter, type TimeFacts } from '../connection/elapsed.ts';
import { errorOf } from '../connection/error-of.ts';
import type { Finding } from '../observation/finding.ts';
import type { EventType } from '../webhook/events.ts';
import {
  atSpeed,
  CERTIFICATE_DEADLINE,
  jittered,
  untilNextCheck,
  untilNextRound,
  type Pace,
} from '../connection/schedule.ts';

/** Changes of the row after an attempt to obtain a certificate. Absent fields stay as they are. */
export interface CertificateChange {
  now: Date;
  reason?: string;
  error_code: ConnectionError | null;
  findings: Finding[];
  certificate_status?: 'pending' | 'issued' | 'failed' | 'expired';
  certificate_not_before?: Date;
  certificate_not_after?: Date;
  certificate_ca?: string;
  certificate_checked_at?: Date;
  certificate_source?: CertificateSource;
  certificate_serial?: string;
  certificate_names?: string[];
  certificate_imported?: boolean;
  unasked_ms?: number;
  last_checked_at: Date;
  next_check_at: Date;
  eventData?: Record<string, unknown>;
  alsoNotify?: EventType[];
}

/** Consequence of an attempt: at most one transition, and the time until the next attempt. */
export interface CertificateConsequence {
  move: Trigger | null;
  change: CertificateChange;
  waitMs: number;
}

/** Facts about a connection that waits for its certificate. */
export interface SecuredRow extends TimeFacts {
  error_code: ConnectionError | null;
  certificate_status: string;
  findings: Finding[];
}

/** `random`, from 0 to 1, spreads the checks of the live connection over time. */
export function afterCertificate(
  row: SecuredRow,
  result: CertificateOutcome,
  { now, random }: { now: number; random: number },
  pace: Pace,
): CertificateConsequence {
  if (result.outcome !== 'blocked')
    return { move: 'certificateSeen', change: issued(row, result, { now, random }, pace), waitMs: 0 };
  const started = Math.min(row.phase_started_at?.getTime() ?? now, now);
  const waitMs = result.retryAfterMs ?? atSpeed(untilNextCheck((now - started) * pace.speed, false), pace);
  const unasked_ms = unaskedAfter(
    row.unasked_ms,
    started,
    row.last_checked_at?.getTime() ?? null,
    result.couldNotAsk === true ? 'unknown' : 'mismatch',
    now,
  );
  const change = { ...blocked(result, new Date(now), waitMs), unasked_ms };
  const wasFailing = row.certificate_status === 'pending' && row.error_code !== null;
  const failing: Pick<CertificateChange, 'alsoNotify' | 'eventData'> =
    wasFailing || result.errorCode === null
      ? {}
      : { alsoNotify: ['ssl.failing'], eventData: { error: { code: result.errorCode, message: result.sentence } } };
  if ((now - started - unasked_ms) * pace.speed < CERTIFICATE_DEADLINE)
    return { move: null, change: { ...change, ...failing }, waitMs };
  const gaveUp = { ...change, error_code: 'cert_failed', certificate_status: 'failed' } as const;
  return { move: 'certificateTimedOut', change: gaveUp, waitMs };
}

/**
 * A certificate that comes with the first attempt follows the check that saw the records: its findings remain, and the
 * first check for drift is an interval away. Otherwise the records are checked immediately.
 */
function issued(
  row: SecuredRow,
  result: Exclude<CertificateOutcome, Blocked>,
  { now, random }: { now: number; random: number },
  pace: Pace,
): CertificateChange {
  const isFirstAttempt = row.certificate_status !== 'pending' && row.error_code === null;
  const { fast } = timeAt(row, { now, verdict: 'match', touched: false }).waited;
  const waitMs = isFirstAttempt ? jittered(untilNextRound(0, fast, pace), 0, random) : 0;
  const ofCertificate = (result.outcome === 'issued' ? result.findings : undefined) ?? [];
  const findings = isFirstAttempt ? [...row.findings, ...ofCertificate] : ofCertificate;
  const seen = {
    now: new Date(now),
    error_code: errorOf(findings),
    findings,
    last_checked_at: new Date(now),
    next_check_at: new Date(now + waitMs),
  };
  if (result.outcome === 'not_needed') return seen;
  return { ...seen, ...shownChange(result.certificate, now) };
}

const blocked = (result: Blocked, now: Date, waitMs: number): CertificateChange => ({
  now,
  reason: result.sentence,
  error_code: result.errorCode,
  findings: result.findings,
  certificate_status: 'pending',
  last_checked_at: now,
  next_check_at: new Date(now.getTime() + waitMs),
});
