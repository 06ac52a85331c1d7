import { webcrypto } from 'node:crypto';
import { isIPv4 } from 'node:net';
import {
  Attribute,
  AttributeTypeAndValue,
  CertificationRequest,
  CryptoEngine,
  Extension,
  Extensions,
  GeneralName,
  GeneralNames,
} from 'pkijs';
import { OctetString, Utf8String } from 'asn1js';
import { keyOfPem } from './keys.ts';

export const COMMON_NAME = '2.5.4.3';
const SUBJECT_ALT_NAME = '2.5.29.17';
/** PKCS #9: the extensions that a request asks for (RFC 2986, RFC 2985 section 5.4.2). */
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const DNS_NAME = 2;
const IP_ADDRESS = 7;
/** The longest common name that X.520 allows; longer names are in the extension only. */
const MAX_COMMON_NAME = 64;

export const P256 = { name: 'ECDSA', namedCurve: 'P-256' };
export const engine = new CryptoEngine({ name: 'node', crypto: webcrypto as Crypto });

/** Creates a certificate signing request (PKCS #10) for DNS names, as DER. The key must be ECDSA P-256. */
export async function signingRequest(privateKey: string, names: readonly [string, ...string[]]): Promise<Buffer> {
  const pkcs8 = keyOfPem(privateKey).export({ type: 'pkcs8', format: 'der' });
  const key = await webcrypto.subtle.importKey('pkcs8', pkcs8, P256, true, ['sign']);
  const request = new CertificationRequest();
  const [first] = names;
  if (first.length <= MAX_COMMON_NAME)
    request.subject.typesAndValues.push(
      new AttributeTypeAndValue({ type: COMMON_NAME, value: new Utf8String({ value: first }) }),
    );
  await request.subjectPublicKeyInfo.importKey((await publicHalf(key)) as CryptoKey, engine);
  request.attributes = [new Attribute({ type: EXTENSION_REQUEST, values: [alternativeNames(names).toSchema()] })];
  await request.sign(key as CryptoKey, 'SHA-256', engine);
  return Buffer.from(request.toSchema(true).toBER(false));
}

export function alternativeNames(names: readonly string[]): Extensions {
  const general = new GeneralNames({ names: names.map(generalName) });
  const extnValue = general.toSchema().toBER(false);
  return new Extensions({ extensions: [new Extension({ extnID: SUBJECT_ALT_NAME, critical: false, extnValue })] });
}

/** Returns a DNS name, or an IPv4 address (RFC 5280 section 4.2.1.6). */
function generalName(value: string): GeneralName {
  if (!isIPv4(value)) return new GeneralName({ type: DNS_NAME, value });
  const bytes = Uint8Array.from(value.split('.').map(Number));
  return new GeneralName({ type: IP_ADDRESS, value: new OctetString({ valueHex: bytes.buffer }) });
}

export async function publicHalf(key: webcrypto.CryptoKey): Promise<webcrypto.CryptoKey> {
  const { crv, kty, x, y } = await webcrypto.subtle.exportKey('jwk', key);
  return webcrypto.subtle.importKey('jwk', { crv, kty, x, y } as JsonWebKey, P256, true, ['verify']);
}

/** Encodes DER as PEM (RFC 7468). */
export function pemOf(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
