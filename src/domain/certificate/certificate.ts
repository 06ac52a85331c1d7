import type { ConnectionError } from '../connection/connection.ts';
import type { EventType } from '../webhook/events.ts';
import type { Finding, FindingCode } from '../observation/finding.ts';
import type { Subject } from '../observation/check.ts';
import { DAY, HOUR } from '../duration.ts';

export type CertificateOutcome =
  | { outcome: 'issued'; certificate: ShownCertificate; findings?: Finding[] }
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

const ASK_WHETHER_OURS_MS = 5_000;

/** Returns the outcome for a hostname that waits for a certificate of ours. The time does not count. */
export const waitingForOurs = (sentence: string): Blocked => ({
  ...blockedCertificate(sentence),
  retryAfterMs: ASK_WHETHER_OURS_MS,
});

/** Period in which a certificate is valid. */
export interface Validity {
  notBefore: Date;
  notAfter: Date;
}

/** A certificate that the edge presents in a handshake. */
export interface PresentedCertificate extends Validity {
  ca: string;
  /** Hexadecimal, in upper case. */
  serial: string;
  /** DNS names, in lower case. */
  names: string[];
}

export interface ShownCertificate extends PresentedCertificate {
  source: CertificateSource;
  /** Whether another server obtained it, from which it was imported. */
  imported?: boolean;
}

/** The edge obtained the certificate at a handshake, the worker ordered it by DNS-01, or the tenant uploaded it. */
export const CERTIFICATE_SOURCES = ['edge', 'ordered', 'uploaded'] as const;
export type CertificateSource = (typeof CERTIFICATE_SOURCES)[number];

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
  /** `source` obtains the next certificate. By default the edge does, and for wildcards the worker. */
  examine(subject: Subject, now: number, signal: AbortSignal, source?: CertificateSource): Promise<Finding[]>;
}

/** Findings of certificate checks; all others come from checks of the records. */
export const CERTIFICATE_FINDINGS: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'caa_blocked',
  'cert_failed',
  'ca_rate_limited',
  'edge_unreachable',
]);

const SHORT_LIVED = 10 * DAY;

/** Returns when a certificate should be renewed: when a third of its lifetime is left, or a half if it is short. */
export function renewAt({ notBefore, notAfter }: Validity): Date {
  const lifetime = notAfter.getTime() - notBefore.getTime();
  return new Date(notAfter.getTime() - lifetime / (lifetime < SHORT_LIVED ? 2 : 3));
}

/** Whether a third or a sixth of the lifetime of a tenant's own certificate was reached since the last check. */
export function isExpiringSince(checkedAt: number | null, validity: Validity, now: number): boolean {
  const third = (at: number) => at >= validity.notAfter.getTime() - lifetimeOf(validity) / 3;
  const reached = (has: (at: number) => boolean) => has(now) && !has(checkedAt ?? validity.notBefore.getTime());
  return validity.notAfter.getTime() > now && (reached(third) || reached((at) => isLate(validity, at)));
}

const lifetimeOf = ({ notBefore, notAfter }: Validity): number => notAfter.getTime() - notBefore.getTime();

/** Whether only a sixth of the lifetime is left, so that a renewal is overdue. */
const isLate = ({ notBefore, notAfter }: Validity, now: number): boolean =>
  (notAfter.getTime() - now) * 6 < notAfter.getTime() - notBefore.getTime();

/**
 * Whether a check is due: daily, hourly once the certificate should be renewed, because handshakes make the edge renew,
 * and as soon as a renewal is late or the certificate has ended, which is reported.
 */
export function isCheckDue(now: number, checkedAt: number | null, validity: Validity | null): boolean {
  if (checkedAt === null) return true;
  if (validity === null) return now - checkedAt >= DAY;
  const hasEnded = (at: number) => validity.notAfter.getTime() <= at;
  if (!hasEnded(checkedAt) && hasEnded(now)) return true;
  if (!isLate(validity, checkedAt) && isLate(validity, now)) return true;
  return now - checkedAt >= (now >= renewAt(validity).getTime() ? HOUR : DAY);
}

/** Reports an overdue renewal. */
export function renewalFindings(hostname: string, validity: Validity, now: number): Finding[] {
  const end = validity.notAfter.toISOString();
  if (validity.notAfter.getTime() <= now)
    return [certificateFinding('error', `The certificate of ${hostname} expired at ${end}.`)];
  if (!isLate(validity, now)) return [];
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
export function shownChange(
  { notBefore, notAfter, ca, serial, names, source, imported = false }: ShownCertificate,
  now: number,
  failing: NewlyFailing = {},
) {
  const certificate_status = statusAt(notAfter, now);
  const certificate = { status: certificate_status, not_after: notAfter.toISOString(), ca, source };
  return {
    certificate_status,
    certificate_not_before: notBefore,
    certificate_not_after: notAfter,
    certificate_ca: ca,
    certificate_source: source,
    certificate_serial: serial,
    certificate_names: names,
    certificate_imported: imported,
    certificate_checked_at: new Date(now),
    ...failing,
    eventData: { certificate, ...failing.eventData },
  };
}

interface NewlyFailing {
  alsoNotify?: EventType[];
  eventData?: Record<string, unknown>;
}

/** Returns the certificate error for an event; null if there is none. */
function failingOf(findings: readonly Finding[]): { code: string; message: string } | null {
  const worst = findings.find(({ code, severity }) => code === 'cert_failed' || severity === 'error');
  return worst === undefined ? null : { code: worst.code, message: worst.message };
}

/** Returns the data of `ssl.failing` when the certificate gets its first error. */
export function newlyFailing(before: readonly Finding[], after: readonly Finding[]): NewlyFailing {
  const error = failingOf(after);
  return error === null || failingOf(before) !== null ? {} : { alsoNotify: ['ssl.failing'], eventData: { error } };
}
