import type { Doctor } from './certificate.ts';
import type { Subject } from '../observation/check.ts';
import { diagnoseCaa, diagnoseRecords } from '../observation/diagnosis.ts';
import type { FindingCode } from '../observation/finding.ts';
import type { Observer } from '../observation/observer.ts';

/** Findings about records that make a certificate authority refuse, because it checks the records itself. */
const IN_THE_WAY: ReadonlySet<FindingCode> = new Set<FindingCode>(['dnssec_bogus', 'stale_aaaa']);

/**
 * Finds obstacles to issuance: CAA, broken DNSSEC, and a stale AAAA record, because certificate authorities try IPv6
 * first. A check without an answer is no obstacle. With `advisory`, CAA gives a warning only.
 */
export const createDoctor = (
  observerOf: (subject: Subject, now: number) => Observer,
  caa: { identities: string[]; advisory?: boolean },
): Doctor => ({
  async examine(subject, now, signal) {
    const { hostname, desiredRecords } = subject;
    const observer = observerOf(subject, now);
    const [set, dnssec, seen] = await Promise.all([
      observer.caa(hostname, signal),
      observer.dnssec(hostname, signal),
      observer.observeRecords(hostname, desiredRecords, signal),
    ]);
    // The observer's cached DNSSEC status may be half a minute old.
    const records = { ...seen, zone: { ...seen.zone, dnssec } };
    const wrong = diagnoseRecords(records, desiredRecords).filter(({ code }) => IN_THE_WAY.has(code));
    return [...diagnoseCaa(set, caa), ...wrong];
  },
});
