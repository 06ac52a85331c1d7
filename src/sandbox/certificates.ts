import type { Certificates, Doctor, ShownCertificate } from '../domain/certificate/certificate.ts';
import { DAY } from '../domain/duration.ts';

const VALID_FOR = 90 * DAY;
const RENEWED_EVERY = 60 * DAY;

/** Simulated certificates for a service without an edge. States and events are real; no certificate is served. */
export const sandboxCertificates = (doctor: Doctor): Certificates => ({
  async obtain(subject, now, signal) {
    const { notAfter, ca } = attestedAt(now);
    return { outcome: 'issued', notAfter, ca, findings: await doctor.examine(subject, now, signal) };
  },
  async inspect(subject, now, signal) {
    return { shown: attestedAt(now), findings: await doctor.examine(subject, now, signal) };
  },
  recordRenewal: () => Promise.resolve(),
});

/** Renewed in the last third of its validity, like a public certificate, on the same days for all hostnames. */
function attestedAt(now: number): ShownCertificate {
  const notBefore = now - (now % RENEWED_EVERY);
  return { notBefore: new Date(notBefore), notAfter: new Date(notBefore + VALID_FOR), ca: 'Sandbox CA' };
}
