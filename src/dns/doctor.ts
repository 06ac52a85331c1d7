import type { Doctor } from '../domain/certificate.ts';
import { diagnoseCaa, diagnoseRecords } from '../domain/diagnosis.ts';
import type { Observer } from '../domain/observer.ts';
import type { FindingCode } from '../domain/finding.ts';

/** Of what can be wrong with records: what an authority that looks at them itself stumbles over. */
const IN_THE_WAY: ReadonlySet<FindingCode> = new Set<FindingCode>(['dnssec_bogus', 'stale_aaaa']);

/**
 * Looks for what would make an authority refuse: CAA up the tree and at the target of an alias, DNSSEC that is broken in
 * the zone or at the name alone, and an AAAA record that leads elsewhere, for authorities try IPv6 first. What could not
 * be learned is no obstacle.
 */
export const dnsDoctor = (observer: Observer, identities: string[]): Doctor => ({
  async examine({ hostname, desiredRecords }, _now, signal) {
    const [caa, dnssec, seen] = await Promise.all([
      observer.caa(hostname, signal),
      observer.dnssec(hostname, signal),
      observer.observeRecords(hostname, desiredRecords, signal),
    ]);
    // What the look remembers of the zone may be half a minute old; an order is not risked on that, nor held up by it.
    const records = { ...seen, zone: { ...seen.zone, dnssec } };
    const wrong = diagnoseRecords(records, desiredRecords).filter(({ code }) => IN_THE_WAY.has(code));
    return [...diagnoseCaa(caa, { identities }), ...wrong];
  },
});
