import type { ConnectionRow } from '../src/db/connection/connection-row.ts';
import { subjectOf } from '../src/db/observation/subject.ts';
import type { Change } from '../src/db/connection/transitions.ts';
import { whyBlocked } from '../src/db/edge/blocked.ts';
import {
  CERTIFICATE_FINDINGS,
  isCheckDue,
  isExpiringSince,
  newlyFailing,
  shownChange,
  statusAt,
  type Validity,
} from '../src/domain/certificate/certificate.ts';
import type { Finding } from '../src/domain/observation/finding.ts';
import type { EventType } from '../src/domain/webhook/events.ts';
import type { Deps } from './deps.ts';

export interface CertificateCheck {
  findings: Finding[];
  change: Partial<Change>;
}

const nothingSeen: CertificateCheck = { findings: [], change: {} };

/** Checks a certificate when due, and while it has a finding. An edge renews only when a client connects. */
export async function checkCertificate(
  deps: Deps,
  row: ConnectionRow,
  now: number,
  signal: AbortSignal,
): Promise<CertificateCheck> {
  if (row.certificate_status === 'none') return nothingSeen;
  const before = row.certificate_not_after;
  const standing = ofCertificate(row.findings);
  const checkedAt = row.certificate_checked_at?.getTime() ?? null;
  const isDue = isCheckDue(now, checkedAt, validityOf(row));
  if (standing.length === 0 && !isDue) return nothingSeen;
  if ((await whyBlocked(deps.pool, row)) !== null) return { findings: standing, change: {} };
  const certificates = deps.certificatesFor(row);
  const health = await certificates.inspect(subjectOf(row), now, signal);
  if (health === null) return { findings: standing, change: {} };
  const [shown, findings] = [health.shown, ofCertificate(health.findings)];
  const failing = newlyFailing(standing, findings);
  if (shown === null)
    return { findings, change: { ...failing, ...(before && { certificate_status: statusAt(before, now) }) } };
  const isRenewed = before !== null && shown.notAfter > before;
  // The agent counted the edge's own first order, which follows an imported certificate.
  const isByEdge = shown.source === 'edge' && shown.imported !== true && !row.certificate_imported;
  if (isRenewed && isByEdge) await certificates.recordRenewal(row.hostname, now);
  const isExpiring = shown.source === 'uploaded' && isExpiringSince(checkedAt, shown, now);
  const alsoNotify: EventType[] = [
    ...(failing.alsoNotify ?? []),
    ...(isRenewed ? (['ssl.issued'] as const) : []),
    ...(isExpiring ? (['ssl.expiring'] as const) : []),
  ];
  return { findings, change: { ...shownChange(shown, now, failing), alsoNotify } };
}

/** Returns the certificate's period. Rows of earlier releases lack its beginning until the next daily check. */
function validityOf({ certificate_not_before: from, certificate_not_after: to }: ConnectionRow): Validity | null {
  return from === null || to === null ? null : { notBefore: from, notAfter: to };
}

/** Keeps the findings about certificates. The check of the records reports all others. */
const ofCertificate = (findings: Finding[]): Finding[] => findings.filter(({ code }) => CERTIFICATE_FINDINGS.has(code));
