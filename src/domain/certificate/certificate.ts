import type { ConnectionError } from '../connection/connection.ts';
import type { EventType } from '../webhook/events.ts';
import type { Finding, FindingCode } from '../observation/finding.ts';
import type { Subject } from '../observation/check.ts';
import { DAY, HOUR } from '../duration.ts';

export type CertificateOutcome =
  | { outcome: 'issued'; notAfter: Date; ca: string; findings?: Finding[] }
  /** No edge holds certificates, so the connection goes live without one. */
  | { outcome: 'not_needed' }
  | Blocked;

export interface Blocked {
  outcome: 'blocked';
  /** Null if nothing is wrong and the connection only waits its turn. */
  errorCode: ConnectionError | null;
  sentence: string;
  findings: Finding[];
  /** Null: retry at the pace of the checks. */
  retryAfterMs: number | null;
  /** The edge did not answer, so the time does not count towards the deadline. */
  couldNotAsk?: boolean;
}

/** Buckets for the remaining days of certificates, for operators. 0 holds expired ones. */
export const ENDS_IN_DAYS = [0, 1, 3, 7, 14, 30, 60] as const;

const ASK_WHETHER_WITHHELD_MS = 60_000;

/** Returns the outcome for a blocked hostname. The time does not count, so the connection continues afterwards. */
export const blockedCertificate = (sentence: string): Blocked => ({
  outcome: 'blocked',
  errorCode: null,
  sentence,
  findings: [],
  retryAfterMs: ASK_WHETHER_WITHHELD_MS,
  couldNotAsk: true,
});

/** A certificate that the edge presents. */
export interface ShownCertificate {
  notBefore: Date;
  notAfter: Date;
  ca: string;
}

/** Result of a certificate check of a live connection: the presented certificate, if any, and its findings. */
export interface CertificateHealth {
  shown: ShownCertificate | null;
  findings: Finding[];
}

/** Obtains certificates: from the edge through a handshake, or in the sandbox. `now` is Temporal's time. */
export interface Certificates {
  obtain(subject: Subject, now: number, signal: AbortSignal): Promise<CertificateOutcome>;
  /** Returns null if there is no edge. */
  inspect(subject: Subject, now: number, signal: AbortSignal): Promise<CertificateHealth | null>;
  /** Records a renewal that this service did not request. */
  recordRenewal(hostname: string, now: number): Promise<void>;
}

/** Used without an edge: hostnames go live as soon as their records are published. */
export const noCertificate: Certificates = {
  obtain: () => Promise.resolve({ outcome: 'not_needed' }),
  inspect: () => Promise.resolve(null),
  recordRenewal: () => Promise.resolve(),
};

/** Finds obstacles to issuance before an order is placed, so that no order is wasted. */
export interface Doctor {
  examine(subject: Subject, now: number, signal: AbortSignal): Promise<Finding[]>;
}

/** Findings of certificate checks; all others come from checks of the records. */
export const CERTIFICATE_FINDINGS: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'caa_blocked',
  'cert_failed',
  'ca_rate_limited',
  'edge_unreachable',
]);

const RENEWAL_WATCHED_FROM = 21 * DAY;

/** Whether a check is due: daily, hourly close to the end, because handshakes make the edge renew, and at the end. */
export function isCheckDue(now: number, checkedAt: number | null, notAfter: number | null): boolean {
  if (checkedAt === null) return true;
  if (notAfter !== null && checkedAt < notAfter && notAfter <= now) return true;
  const nearEnd = notAfter !== null && notAfter - now < RENEWAL_WATCHED_FROM;
  return now - checkedAt >= (nearEnd ? HOUR : DAY);
}

/** Reports an overdue renewal. Edges renew in the last third of a certificate's life, so its last sixth is too late. */
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
  fix: "We found no problem in DNS. If this continues, check the edge's log.",
});

export const statusAt = (notAfter: Date, now: number): 'issued' | 'expired' =>
  notAfter.getTime() <= now ? 'expired' : 'issued';

/** Returns the row's changes and the event data for a certificate that the edge presents. */
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

/** Returns the certificate error for an event; null if there is none. */
function failingOf(findings: readonly Finding[]): { code: string; message: string } | null {
  const worst = findings.find(({ code, severity }) => code === 'cert_failed' || severity === 'error');
  return worst === undefined ? null : { code: worst.code, message: worst.message };
}

/** Returns the data of `ssl.failing` when the certificate gets its first error. */
export function newlyFailing(
  before: readonly Finding[],
  after: readonly Finding[],
): { alsoNotify?: EventType[]; eventData?: Record<string, unknown> } {
  const error = failingOf(after);
  return error === null || failingOf(before) !== null ? {} : { alsoNotify: ['ssl.failing'], eventData: { error } };
}
