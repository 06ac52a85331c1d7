import type { X509Certificate } from 'node:crypto';
import { Certificate } from 'pkijs';

/** Signature algorithms with MD5 or SHA-1: RSA (RFC 8017), ECDSA (RFC 3279), DSA. */
const WEAK: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.2',
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.2.840.10045.4.1',
  '1.2.840.10040.4.3',
]);

/** Whether a certificate is signed with a hash for which collisions are known. */
export const isSignedWeakly = ({ raw }: X509Certificate): boolean =>
  WEAK.has(Certificate.fromBER(new Uint8Array(raw)).signatureAlgorithm.algorithmId);
