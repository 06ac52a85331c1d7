import type { Doctor } from '../domain/certificate.ts';
import { diagnoseCertificate } from '../domain/diagnosis.ts';
import type { CaaLook } from '../domain/observation.ts';

/** Names under caa.test carry a CAA record that allows nobody we know; the sandbox's own authority only warns of it. */
export const sandboxDoctor = (identities: string[]): Doctor => ({
  examine: ({ hostname }) =>
    Promise.resolve(
      hostname.endsWith('.caa.test')
        ? diagnoseCertificate(forbiddingCaa(hostname), 'insecure', { identities, advisory: true })
        : [],
    ),
});

const forbiddingCaa = (hostname: string): CaaLook => ({
  hostname,
  outcome: 'found',
  at: 'caa.test',
  records: [{ critical: false, tag: 'issue', value: 'other-authority.test' }],
  cause: null,
});
