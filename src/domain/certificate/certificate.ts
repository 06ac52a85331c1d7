import type { ConnectionError } from '../connection/connection.ts';
import type { EventType } from '../webhook/events.ts';
import type { Finding, FindingCode } from '../observation/finding.ts';
import type { Subject } from '../observation/check.ts';
import { DAY } from '../connection/schedule.ts';

export type CertificateOutcome =
  | { outcome: 'issued'; notAfter: Date; ca: string; findings?: Finding[] }
  /** There is no edge to hold a certificate: the connection is live without one. */
  | { outcome: 'not_needed' }
  | Blocked;

export interface Blocked {
  outcome: 'blocked';
  /** Null where nothing is wrong and others are merely first. */
  errorCode: ConnectionError | null;
  sentence: string;
  findings: Finding[];
  /** Null: as often as checks are made. */
  retryAfterMs: number | null;
  /** The edge could not be asked, so the time does not count towards the deadline. */
  couldNotAsk?: boolean;
}

/** By which operators sort certificates that end: 0 is those that have. */
export const ENDS_IN_DAYS = [0, 1, 3, 7, 14, 30, 60] as const;

const ASK_WHETHER_WITHHELD_MS = 60_000;

/** The operator withholds the name. Nothing is wrong with it, and the time does not count: given back, it goes on. */
export const blockedCertificate = (sentence: string): Blocked => ({
  outcome: 'blocked',
  errorCode: null,
  sentence,
  findings: [],
  retryAfterMs: ASK_WHETHER_WITHHELD_MS,
  couldNotAsk: true,
});

/** A certificate as the edge shows it. */
export interface ShownCertificate {
  notBefore: Date;
  notAfter: Date;
  ca: string;
}

/** What a check of a live connection's certificate gave: what is shown, if anything is, and what is wrong with that. */
export interface CertificateHealth {
  shown: ShownCertificate | null;
  findings: Finding[];
}

/** Brings certificates into being: the edge by a handshake, or the sandbox. `now` is Temporal's time. */
export interface Certificates {
  obtain(subject: Subject, now: number, signal: AbortSignal): Promise<CertificateOutcome>;
  /** Null where there is no edge to ask. */
  inspect(subject: Subject, now: number, signal: AbortSignal): Promise<CertificateHealth | null>;
  /** A renewal was seen that this service did not ask for. */
  recordRenewal(hostname: string, now: number): Promise<void>;
}

/** Without an edge there is no certificate, and names are live as soon as their records are. */
export const noCertificate: Certificates = {
  obtain: () => Promise.resolve({ outcome: 'not_needed' }),
  inspect: () => Promise.resolve(null),
  recordRenewal: () => Promise.resolve(),
};

/** Says beforehand what would keep an authority from issuing, so that no attempt there is wasted. */
export interface Doctor {
  examine(subject: Subject, now: number, signal: AbortSignal): Promise<Finding[]>;
}

/** Findings that come from checks of the certificate and not from those of the records. */
export const CERTIFICATE_FINDINGS: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'caa_blocked',
  'cert_failed',
  'ca_rate_limited',
  'edge_unreachable',
]);

const HOUR = DAY / 24;
const RENEWAL_WATCHED_FROM = 21 * DAY;

/** Daily, and hourly once the end is in sight: each handshake is also what makes the edge renew. */
export function isCheckDue(now: number, checkedAt: number | null, notAfter: number | null): boolean {
  if (checkedAt === null) return true;
  const nearEnd = notAfter !== null && notAfter - now < RENEWAL_WATCHED_FROM;
  return now - checkedAt >= (nearEnd ? HOUR : DAY);
}

/**
 * What the shown certificate tells about renewals. Edges renew in the last third of a certificate's life and are made to
 * at every handshake, so one that is still shown in its last sixth was not renewed although it should have been.
 */
export function renewalFindings(hostname: string, { notBefore, notAfter }: ShownCertificate, now: number): Finding[] {
  const left = notAfter.getTime() - now;
  const end = notAfter.toISOString();
  if (left <= 0) return [certificateFinding('error', `The certificate of ${hostname} expired at ${end}.`)];
  if (left * 6 >= notAfter.getTime() - notBefore.getTime()) return [];
  return [certificateFinding('warning', `The certificate of ${hostname} ends at ${end} and has not been renewed.`)];
}

export const certificateFinding = (
  severity: Finding['severity'],
  message: string,
  code: FindingCode = 'cert_failed',
): Finding => ({
  code,
  severity,
  message,
  fix: "Nothing in DNS is known to be wrong. If this stays, look into the edge's log.",
});

export const statusAt = (notAfter: Date, now: number): 'issued' | 'expired' =>
  notAfter.getTime() <= now ? 'expired' : 'issued';

/** What the row keeps of a certificate that the edge shows, and what is told of it. */
export function shownChange({ notAfter, ca }: ShownCertificate, now: number, failing: ReturnType<typeof newlyFailing>) {
  const certificate_status = statusAt(notAfter, now);
  const certificate = { status: certificate_status, not_after: notAfter.toISOString(), ca };
  return {
    certificate_status,
    certificate_not_after: notAfter,
    certificate_ca: ca,
    certificate_checked_at: new Date(now),
    ...failing,
    eventData: { certificate, ...failing.eventData },
  };
}

/** What is wrong with a certificate, in the words of an event; null while nothing is. */
function failingOf(findings: readonly Finding[]): { code: string; message: string } | null {
  const worst = findings.find(({ code, severity }) => code === 'cert_failed' || severity === 'error');
  return worst === undefined ? null : { code: worst.code, message: worst.message };
}

/** What `ssl.failing` tells, once: when something is wrong with the certificate and nothing was before. */
export function newlyFailing(
  before: readonly Finding[],
  after: readonly Finding[],
): { alsoNotify?: EventType[]; eventData?: Record<string, unknown> } {
  const error = failingOf(after);
  return error === null || failingOf(before) !== null ? {} : { alsoNotify: ['ssl.failing'], eventData: { error } };
}
