import type { CertificateSource, Doctor } from './certificate.ts';
import { isWildcard } from './dns-validation.ts';
import { wantedRecords, type EdgeTargets } from '../connection/edge-addresses.ts';
import type { Subject } from '../observation/check.ts';
import type { OwnOrders } from '../observation/caa.ts';
import { diagnoseCaa } from '../observation/caa-findings.ts';
import type { CaaAccounts } from '../observation/caa-issue.ts';
import { diagnoseRecords } from '../observation/diagnosis.ts';
import type { Finding, FindingCode } from '../observation/finding.ts';
import type { Observer } from '../observation/observer.ts';

/** Findings about records that make a certificate authority refuse, because it checks the records itself. */
const IN_THE_WAY: ReadonlySet<FindingCode> = new Set<FindingCode>(['dnssec_bogus', 'stale_aaaa']);

/**
 * Finds obstacles to issuance: CAA, broken DNSSEC, and a stale AAAA record, because certificate authorities try IPv6
 * first. A check without an answer is no obstacle. With `advisory`, CAA gives a warning only. It does not concern
 * uploaded certificates: we order none.
 */
export const createDoctor = (
  observerOf: (subject: Subject, now: number) => Observer,
  caa: Pick<OwnOrders, 'identities'> & { accounts?: () => Promise<CaaAccounts>; advisory?: boolean },
  edge?: EdgeTargets,
): Doctor => {
  async function forbiddenByCaa(
    observer: Observer,
    hostname: string,
    source: CertificateSource,
    signal: AbortSignal,
  ): Promise<Finding[]> {
    if (source === 'uploaded') return [];
    const { accounts, ...own } = caa;
    const set = await observer.caa(hostname, signal);
    const known = set.records.length === 0 ? undefined : await accounts?.();
    return diagnoseCaa(set, source, { ...own, ...(known && { accounts: known }) });
  }

  return {
    async examine(subject, now, signal, source = isWildcard(subject.hostname) ? 'ordered' : 'edge') {
      const { hostname, desiredRecords } = subject;
      const wanted = edge === undefined ? desiredRecords : wantedRecords(desiredRecords, edge);
      const observer = observerOf(subject, now);
      const [forbidden, dnssec, seen] = await Promise.all([
        forbiddenByCaa(observer, hostname, source, signal),
        observer.dnssec(hostname, signal),
        observer.observeRecords(hostname, wanted, signal, { recent: true }),
      ]);
      // The DNSSEC status in a recent observation may be half a minute old.
      const records = { ...seen, zone: { ...seen.zone, dnssec } };
      const wrong = diagnoseRecords(records, wanted).filter(({ code }) => IN_THE_WAY.has(code));
      return [...forbidden, ...wrong];
    },
  };
};
