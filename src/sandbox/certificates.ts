import type { Certificates, Doctor, ShownCertificate } from '../domain/certificate/certificate.ts';
import { DAY } from '../domain/duration.ts';

const VALID_FOR = 90 * DAY;
const RENEWED_EVERY = 60 * DAY;

/**
 * Simulated certificates for a service without an edge. States and events are real; no certificate is served. `doctor`
 * checks for obstacles to issuance, such as a CAA record.
 */
export const sandboxCertificates = (doctor: Doctor): Certificates => ({
  async obtain(subject, now, signal) {
    const { notAfter, ca } = certificateAt(now);
    return { outcome: 'issued', notAfter, ca, findings: await doctor.examine(subject, now, signal) };
  },
  async inspect(subject, now, signal) {
    return { shown: certificateAt(now), findings: await doctor.examine(subject, now, signal) };
  },
  recordRenewal: () => Promise.resolve(),
});

/**
 * Returns the simulated certificate at this time. A renewal happens when a third of the validity is left, as with
 * public certificates, and on the same days for all hostnames.
 */
function certificateAt(now: number): ShownCertificate {
  const notBefore = now - (now % RENEWED_EVERY);
  return { notBefore: new Date(notBefore), notAfter: new Date(notBefore + VALID_FOR), ca: 'Sandbox CA' };
}
