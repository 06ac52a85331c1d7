import type { Certificates, Doctor } from '../domain/certificate.ts';
import { DAY } from '../domain/schedule.ts';

/** Validity of what the sandbox's authority attests, as long as public authorities' certificates used to live. */
const VALID_FOR = 90 * DAY;

/**
 * Without an edge there is nobody to shake hands with: the sandbox's own authority then attests the certificate, so that
 * states, events and webhooks are those of the real thing. No key exists and nothing is ever served with it.
 */
export const sandboxCertificates = (doctor: Doctor): Certificates => ({
  obtain: async (subject, now, signal) => ({
    outcome: 'issued',
    notAfter: new Date(now + VALID_FOR),
    ca: 'Sandbox CA',
    findings: await doctor.examine(subject, now, signal),
  }),
  inspect: async (subject, now, signal) => ({ shown: null, findings: await doctor.examine(subject, now, signal) }),
  noteRenewal: () => Promise.resolve(),
});
