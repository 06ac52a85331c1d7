import type { Doctor } from '../domain/certificate.ts';
import { diagnoseCertificate, diagnoseRecords } from '../domain/diagnosis.ts';
import type { Eyes } from '../domain/eyes.ts';

/**
 * Looks for what would make an authority refuse: CAA up the tree and at the target of an alias, broken DNSSEC, and an
 * AAAA record that leads elsewhere, for authorities try IPv6 first. What could not be learned is no obstacle.
 */
export const dnsDoctor = (eyes: Eyes, identities: string[]): Doctor => ({
  async examine({ hostname, desiredRecords }, _now, signal) {
    const [caa, dnssec, records] = await Promise.all([
      eyes.caa(hostname, signal),
      eyes.dnssec(hostname, signal),
      eyes.lookAtRecords(hostname, desiredRecords, signal),
    ]);
    const elsewhere = diagnoseRecords(records, desiredRecords).filter(({ code }) => code === 'stale_aaaa');
    return [...diagnoseCertificate(caa, dnssec, { identities }), ...elsewhere];
  },
});
