import type { ConnectionRow } from '../src/db/connection-row.ts';
import { subjectOf } from '../src/db/subject.ts';
import type { Change } from '../src/db/transitions.ts';
import { CERTIFICATE_FINDINGS, isCheckDue, type ShownCertificate } from '../src/domain/certificate.ts';
import type { Finding } from '../src/domain/finding.ts';
import type { Deps } from './deps.ts';

export interface CertificateCheck {
  findings: Finding[];
  change: Partial<Change>;
}

export const nothingSeen: CertificateCheck = { findings: [], change: {} };

/**
 * The certificate of a connection that serves, looked at when it is due, and at every look while something is wrong with
 * it: a fault that somebody mended must not be told for another day. The handshake is also what keeps a certificate
 * alive: edges renew only when somebody knocks.
 */
export async function checkCertificate(
  deps: Deps,
  row: ConnectionRow,
  now: number,
  signal: AbortSignal,
): Promise<CertificateCheck> {
  if (row.certificate_status === 'none') return nothingSeen;
  const before = row.certificate_not_after;
  const standing = ofCertificate(row.findings);
  const isDue = isCheckDue(now, row.certificate_checked_at?.getTime() ?? null, before?.getTime() ?? null);
  if (standing.length === 0 && !isDue) return nothingSeen;
  const certificates = deps.certificatesFor(row);
  const health = await certificates.inspect(subjectOf(row), now, signal);
  if (health === null) return { findings: standing, change: {} };
  const { shown } = health;
  const findings = ofCertificate(health.findings);
  if (shown === null) return { findings, change: before === null ? {} : { certificate_status: statusAt(before, now) } };
  const isRenewed = before !== null && shown.notAfter > before;
  if (isRenewed) await certificates.noteRenewal(row.hostname, now);
  return { findings, change: { ...seen(shown, now), ...(isRenewed ? { alsoTell: ['ssl.issued'] } : {}) } };
}

/** What else the doctor finds, the look at the records finds too. */
const ofCertificate = (findings: Finding[]): Finding[] => findings.filter(({ code }) => CERTIFICATE_FINDINGS.has(code));

function seen(shown: ShownCertificate, now: number): Partial<Change> {
  const certificate_status = statusAt(shown.notAfter, now);
  return {
    certificate_status,
    certificate_not_after: shown.notAfter,
    certificate_ca: shown.ca,
    certificate_checked_at: new Date(now),
    eventData: {
      certificate: { status: certificate_status, not_after: shown.notAfter.toISOString(), ca: shown.ca },
    },
  };
}

const statusAt = (notAfter: Date, now: number): 'issued' | 'expired' =>
  notAfter.getTime() <= now ? 'expired' : 'issued';
