import type { KeyObject, X509Certificate } from 'node:crypto';
import { certificatesIn, describe } from '../x509/certificate.ts';
import { keyOfPem } from '../x509/keys.ts';
import { isSignedWeakly } from '../x509/signature.ts';
import { reachesRoot, type Roots } from './chain.ts';

export const UPLOAD_PROBLEMS = [
  'chain_invalid',
  'name_mismatch',
  'key_mismatch',
  'expired',
  'weak_key',
  'too_large',
] as const;
export type UploadProblem = (typeof UPLOAD_PROBLEMS)[number];

export interface Problem {
  code: UploadProblem;
  field: 'certificate_chain' | 'private_key';
  message: string;
}

export type JudgedUpload =
  | { outcome: 'refused'; problems: Problem[] }
  /** `chain` has the given certificates only, without other text. */
  | { outcome: 'accepted'; certificate: X509Certificate; chain: string; key: string };

interface Upload {
  hostname: string;
  chain: string;
  privateKey: string;
}

/** Decides whether a certificate may be served for a hostname, and lists every problem. Without roots, trust is not checked. */
export function judgeUpload({ hostname, chain, privateKey }: Upload, roots: Roots | null, now: Date): JudgedUpload {
  const certificates = parsed(() => certificatesIn(chain)) ?? [];
  const key = parsed(() => keyOfPem(privateKey));
  const [certificate, ...others] = certificates;
  const problems = [
    ...(certificate === undefined
      ? [problem('chain_invalid', 'The chain contains no certificate in PEM form.')]
      : ofCertificate(certificate, others, hostname, roots, now)),
    ...ofKey(key, certificate),
  ];
  if (problems.length > 0 || certificate === undefined || key === undefined) return { outcome: 'refused', problems };
  const pem = certificates.map((one) => one.toString()).join('');
  return { outcome: 'accepted', certificate, chain: pem, key: privateKey };
}

function ofCertificate(
  certificate: X509Certificate,
  others: readonly X509Certificate[],
  hostname: string,
  roots: Roots | null,
  now: Date,
): Problem[] {
  const { notBefore, notAfter } = describe(certificate);
  const isExpired = notAfter <= now;
  return [
    ...(roots === null || reachesRoot(certificate, others, roots, now)
      ? []
      : [problem('chain_invalid', 'The chain does not reach a trusted root. Add the intermediate certificates.')]),
    ...(names(certificate, hostname) ? [] : [problem('name_mismatch', `The certificate is not for ${hostname}.`)]),
    ...(isExpired ? [problem('expired', `The certificate ended at ${notAfter.toISOString()}.`)] : []),
    ...(notBefore > now ? [problem('expired', `The certificate begins at ${notBefore.toISOString()}.`)] : []),
    ...(isWeak(certificate.publicKey) || [certificate, ...others].some((one) => isSignedWeakly(one) && !isRoot(one))
      ? [problem('weak_key', 'Use RSA with 2048 bits or more, or ECDSA P-256 or P-384, signed with SHA-256 or better.')]
      : []),
  ];
}

function ofKey(key: KeyObject | undefined, certificate: X509Certificate | undefined): Problem[] {
  if (key === undefined)
    return [problem('key_mismatch', 'The private key is not a PEM key without a passphrase.', 'private_key')];
  if (certificate === undefined || certificate.checkPrivateKey(key)) return [];
  return [problem('key_mismatch', 'The private key does not belong to the certificate.', 'private_key')];
}

/** Whether the certificate names the hostname. A wildcard connection needs the wildcard itself. */
const names = (certificate: X509Certificate, hostname: string): boolean =>
  hostname.startsWith('*.')
    ? describe(certificate).names.includes(hostname)
    : certificate.checkHost(hostname, { subject: 'never', partialWildcards: false }) !== undefined;

const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1']);
const MIN_RSA_BITS = 2_048;

function isWeak({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  if (asymmetricKeyType === 'rsa') return (asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS;
  return asymmetricKeyType !== 'ec' || !CURVES.has(asymmetricKeyDetails?.namedCurve ?? '');
}

/** The signature of a root on itself proves nothing, so its strength does not matter. */
const isRoot = (certificate: X509Certificate): boolean => certificate.checkIssued(certificate);

const problem = (code: UploadProblem, message: string, field: Problem['field'] = 'certificate_chain'): Problem => ({
  code,
  field,
  message,
});

function parsed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
