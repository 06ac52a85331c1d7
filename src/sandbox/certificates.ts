import type { Certificates, Doctor, ShownCertificate } from '../domain/certificate/certificate.ts';
import { DAY } from '../domain/connection/schedule.ts';

const VALID_FOR = 90 * DAY;
const RENEWED_EVERY = 60 * DAY;

/**
 * Without an edge there is no server to shake hands with: the sandbox's own authority then attests the certificate, so that
 * states, events and webhooks are those of the real thing, renewals too. No key exists and nothing is ever served with it.
 */
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

/** Renewed in its last third, as a public authority's would be, on days that are the same for all names. */
function attestedAt(now: number): ShownCertificate {
  const notBefore = now - (now % RENEWED_EVERY);
  return { notBefore: new Date(notBefore), notAfter: new Date(notBefore + VALID_FOR), ca: 'Sandbox CA' };
}
