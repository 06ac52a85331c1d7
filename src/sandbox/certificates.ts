import type { Certificates, Doctor, ShownCertificate } from '../domain/certificate/certificate.ts';
import { renewalFindings } from '../domain/certificate/certificate.ts';
import { DAY } from '../domain/duration.ts';
import type { Subject } from '../domain/observation/check.ts';
import { behaviourOf } from './behaviours.ts';

const VALID_FOR = 90 * DAY;
const RENEWED_EVERY = 60 * DAY;

/**
 * Simulated certificates for a service without an edge. States and events are real; no certificate is served. `doctor`
 * checks for obstacles to issuance, such as a CAA record.
 */
export const sandboxCertificates = (doctor: Doctor): Certificates => ({
  async obtain(subject, now, signal) {
    const certificate = certificateAt(subject, now);
    return { outcome: 'issued', certificate, findings: await doctor.examine(subject, now, signal) };
  },
  async inspect(subject, now, signal) {
    const shown = certificateAt(subject, now);
    const findings = [
      ...renewalFindings(subject.hostname, shown, now),
      ...(await doctor.examine(subject, now, signal)),
    ];
    return { shown, findings };
  },
  recordRenewal: () => Promise.resolve(),
});

/** Whether the certificate of this hostname is simulated even if there is an edge, because it must end early. */
export const endsEarly = (hostname: string): boolean => behaviourOf(hostname).certificateLastsMs !== undefined;

/**
 * Returns the simulated certificate at this time. A renewal happens when a third of the validity is left, as with
 * public certificates, and on the same days for all hostnames.
 */
function certificateAt({ hostname, liveAt }: Subject, now: number): ShownCertificate {
  const lasts = behaviourOf(hostname).certificateLastsMs;
  const notBefore = lasts === undefined ? now - (now % RENEWED_EVERY) : (liveAt ?? now);
  return {
    notBefore: new Date(notBefore),
    notAfter: new Date(notBefore + (lasts ?? VALID_FOR)),
    ca: 'Sandbox CA',
    serial: notBefore.toString(16).toUpperCase(),
    names: [hostname],
    source: 'edge',
  };
}
