import { randomBytes, webcrypto } from 'node:crypto';
import { Integer, Utf8String } from 'asn1js';
import { AttributeTypeAndValue, Certificate } from 'pkijs';
import { keyOfPem } from './keys.ts';
import { alternativeNames, COMMON_NAME, engine, P256, pemOf, publicHalf } from './request.ts';

/** Creates a certificate for DNS names that its own key signs, as PEM. A client trusts it by having a copy. */
export async function selfSigned(
  privateKey: string,
  names: readonly [string, ...string[]],
  { from, days }: { from: Date; days: number },
): Promise<string> {
  const pkcs8 = keyOfPem(privateKey).export({ type: 'pkcs8', format: 'der' });
  const key = await webcrypto.subtle.importKey('pkcs8', pkcs8, P256, true, ['sign']);
  const certificate = new Certificate();
  certificate.version = 2; // X.509 v3
  certificate.serialNumber = new Integer({ valueHex: Uint8Array.from([1, ...randomBytes(15)]).buffer });
  for (const name of [certificate.subject, certificate.issuer])
    name.typesAndValues.push(
      new AttributeTypeAndValue({ type: COMMON_NAME, value: new Utf8String({ value: names[0] }) }),
    );
  certificate.notBefore.value = from;
  certificate.notAfter.value = new Date(from.getTime() + days * 86_400_000);
  certificate.extensions = alternativeNames(names).extensions;
  await certificate.subjectPublicKeyInfo.importKey((await publicHalf(key)) as CryptoKey, engine);
  await certificate.sign(key as CryptoKey, 'SHA-256', engine);
  return pemOf('CERTIFICATE', Buffer.from(certificate.toSchema(true).toBER(false)));
}
