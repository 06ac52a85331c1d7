import type { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';
import { certificatesIn } from '../x509/certificate.ts';

/** Trusted root certificates, by their subject. */
export type Roots = ReadonlyMap<string, readonly X509Certificate[]>;

/** Reads the roots of Node and of this system, and those in a file, once. */
export function readRoots(file: string | undefined): () => Roots {
  let known: Roots | undefined;
  const read = (): Roots => {
    const pems = new Set([...getCACertificates('default'), ...getCACertificates('system')]);
    const own = file === undefined ? [] : certificatesIn(readFileSync(file, 'utf8'));
    return Map.groupBy([...[...pems].flatMap(certificatesIn), ...own], ({ subject }) => subject);
  };
  return () => (known ??= read());
}

/** More certificates than any chain of a public CA has. */
const MAX_DEPTH = 8;

/**
 * Whether signatures lead from the certificate, over the others, to a root. Every issuer must be valid now; the
 * certificate's own period is judged elsewhere. Browsers build other paths too, but every browser can use this one.
 */
export function reachesRoot(
  certificate: X509Certificate,
  others: readonly X509Certificate[],
  roots: Roots,
  now: Date,
  depth = 0,
): boolean {
  if (depth > MAX_DEPTH) return false;
  const issued = (issuer: X509Certificate): boolean =>
    issuer.ca && isValidAt(issuer, now) && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  if (roots.get(certificate.issuer)?.some(issued)) return true;
  return others.some(
    (issuer) => issuer !== certificate && issued(issuer) && reachesRoot(issuer, others, roots, now, depth + 1),
  );
}

const isValidAt = ({ validFromDate, validToDate }: X509Certificate, now: Date): boolean =>
  validFromDate <= now && now < validToDate;
