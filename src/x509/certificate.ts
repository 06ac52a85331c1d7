import { X509Certificate } from 'node:crypto';

/** A certificate of a chain, described for people and for decisions. */
export interface DescribedCertificate {
  /** Hexadecimal, in upper case. */
  serial: string;
  /** DNS names, in lower case. */
  names: string[];
  notBefore: Date;
  notAfter: Date;
  /** Common name of the issuer, or its organisation. */
  ca: string;
}

/** Splits PEM text into certificates. Text between them is ignored (RFC 7468 section 2). */
export const certificatesIn = (pem: string): X509Certificate[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []).map(
    (block) => new X509Certificate(block),
  );

export const describe = (certificate: X509Certificate): DescribedCertificate => ({
  serial: certificate.serialNumber,
  names: dnsNames(certificate.subjectAltName),
  notBefore: new Date(certificate.validFrom),
  notAfter: new Date(certificate.validTo),
  ca: issuerOf(certificate),
});

/** Returns the DNS names in OpenSSL's text of a certificate's alternative names. Names of other kinds are ignored. */
export const dnsNames = (alternativeNames: string | undefined): string[] =>
  (alternativeNames?.split(', ') ?? []).flatMap((entry) =>
    entry.startsWith('DNS:') ? [entry.slice(4).toLowerCase()] : [],
  );

function issuerOf({ issuer }: X509Certificate): string {
  const part = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(issuer)?.[1];
  return part('CN') ?? part('O') ?? issuer.replaceAll('\n', ', ');
}
