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

/**
 * Whether signatures lead from the certificate, over the others, to a root. Every issuer must be valid now; the
 * certificate's own period is judged elsewhere. Browsers build other paths too, but every browser can use this one.
 * Each certificate is tried once, so that many certificates of one CA do not multiply the work.
 */
export function reachesRoot(
  certificate: X509Certificate,
  others: readonly X509Certificate[],
  roots: Roots,
  now: Date,
): boolean {
  const reached = new Set([certificate]);
  // The loop visits what is added meanwhile, too.
  for (const one of reached) {
    const isIssuer = (issuer: X509Certificate): boolean =>
      issuer.ca && isValidAt(issuer, now) && one.checkIssued(issuer) && one.verify(issuer.publicKey);
    if (roots.get(one.issuer)?.some(isIssuer)) return true;
    for (const issuer of others) if (!reached.has(issuer) && isIssuer(issuer)) reached.add(issuer);
  }
  return false;
}

const isValidAt = ({ validFromDate, validToDate }: X509Certificate, now: Date): boolean =>
  validFromDate <= now && now < validToDate;
