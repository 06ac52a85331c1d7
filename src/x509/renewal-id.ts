import type { X509Certificate } from 'node:crypto';
import { AuthorityKeyIdentifier, Certificate } from 'pkijs';

const AUTHORITY_KEY_IDENTIFIER = '2.5.29.35';

/**
 * Returns the id under which a CA knows a certificate for renewal (RFC 9773 section 4.1): the issuer's key identifier
 * and the serial number, both as in the certificate. Null if it does not name its issuer's key.
 */
export function renewalId({ raw }: X509Certificate): string | null {
  const { extensions = [], serialNumber } = Certificate.fromBER(new Uint8Array(raw));
  const authority = extensions.find(({ extnID }) => extnID === AUTHORITY_KEY_IDENTIFIER)?.parsedValue as unknown;
  if (!(authority instanceof AuthorityKeyIdentifier) || authority.keyIdentifier === undefined) return null;
  return [authority.keyIdentifier, serialNumber]
    .map(({ valueBlock }) => Buffer.from(valueBlock.valueHexView).toString('base64url'))
    .join('.');
}
