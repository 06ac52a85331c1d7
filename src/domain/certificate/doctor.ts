import type { Doctor } from './certificate.ts';
import type { Subject } from '../observation/check.ts';
import { diagnoseCaa, diagnoseRecords } from '../observation/diagnosis.ts';
import type { FindingCode } from '../observation/finding.ts';
import type { Observer } from '../observation/observer.ts';

/** Of what can be wrong with records: what an authority that looks at them itself stumbles over. */
const IN_THE_WAY: ReadonlySet<FindingCode> = new Set<FindingCode>(['dnssec_bogus', 'stale_aaaa']);

/**
 * Finds what would make an authority refuse: CAA up the tree and at the target of an alias, DNSSEC that is broken in the
 * zone or at the name alone, and an AAAA record that leads elsewhere, for authorities try IPv6 first. What could not be
 * learned is no obstacle. With `advisory` (an authority that does not look at CAA) CAA only warns.
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
    // What the observer remembers of the zone may be half a minute old; an order is not risked on that, nor held up by it.
    const records = { ...seen, zone: { ...seen.zone, dnssec } };
    const wrong = diagnoseRecords(records, desiredRecords).filter(({ code }) => IN_THE_WAY.has(code));
    return [...diagnoseCaa(set, caa), ...wrong];
  },
});
