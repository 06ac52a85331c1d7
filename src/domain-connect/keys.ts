import { createPrivateKey, createPublicKey, generateKeyPair, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

/** A key that signs apply URLs. Its id is also the DNS label under which its public key is published. */
export interface SigningKey {
  kid: string;
  privateKey: KeyObject;
}

/** The first key signs. Other keys stay published until no URL that they signed is in use. */
export type SigningKeys = readonly [SigningKey, ...SigningKey[]];

/** Parses `kid:base64 of PKCS#8,…`. An error never contains the key. */
export function readSigningKeys(text: string): SigningKeys {
  const [first, ...others] = text.split(',').map((item) => {
    const [, kid, der] = /^\s*([a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?):([A-Za-z0-9+/]+={0,2})\s*$/i.exec(item) ?? [];
    if (kid === undefined || der === undefined)
      throw new Error('must have the form kid:base64 of a PKCS#8 key, comma separated');
    const privateKey = privateKeyOf(der);
    if (privateKey?.asymmetricKeyType !== 'rsa' || (privateKey.asymmetricKeyDetails?.modulusLength ?? 0) < 2_048)
      throw new Error(`${kid} is not an RSA key of at least 2048 bits in PKCS#8`);
    return { kid, privateKey };
  });
  if (first === undefined) throw new Error('must contain a key');
  return [first, ...others];
}

function privateKeyOf(base64: string): KeyObject | null {
  try {
    return createPrivateKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'pkcs8' });
  } catch {
    return null;
  }
}

/** Creates a key in the form of DOMAIN_CONNECT_KEYS. */
export async function makeSigningKey(kid: string): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
  return `${kid}:${privateKey.toString('base64')}`;
}

/** Signs with RS256 (RSA with PKCS#1 v1.5 over SHA-256). Providers verify it with the TXT records below. */
export const signQuery = ({ privateKey }: SigningKey, query: string): string =>
  sign('sha256', Buffer.from(query), privateKey).toString('base64');

/** With its prefix `p=…,a=RS256,d=`, a part fits well into the 255 bytes of one TXT string. */
const PART = 200;

/** Returns the TXT values that publish the key at `<kid>.<domain>`: its public key in numbered parts. */
export function publishedKey({ privateKey }: SigningKey): string[] {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64');
  const parts = spki.match(new RegExp(`.{1,${PART}}`, 'g')) ?? [];
  return parts.map((data, index) => `p=${index + 1},a=RS256,d=${data}`);
}
