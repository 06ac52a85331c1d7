import { createPrivateKey, createPublicKey, generateKeyPair, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

/** A key with which apply URLs are signed. Its name is also the label under which its public half stands in DNS. */
export interface SigningKey {
  kid: string;
  privateKey: KeyObject;
}

/** The first one signs; others stay published until no URL that they signed is in use. */
export type SigningKeys = readonly [SigningKey, ...SigningKey[]];

/** `kid:base64 of PKCS#8,…`; an error names what is wrong and never the key. */
export function readSigningKeys(text: string): SigningKeys {
  const [first, ...others] = text.split(',').map((item) => {
    const [, kid, der] = /^\s*([a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?):([A-Za-z0-9+/]+={0,2})\s*$/i.exec(item) ?? [];
    if (kid === undefined || der === undefined)
      throw new Error('must read like kid:base64 of a PKCS#8 key, comma separated');
    const privateKey = privateKeyOf(der);
    if (privateKey?.asymmetricKeyType !== 'rsa' || (privateKey.asymmetricKeyDetails?.modulusLength ?? 0) < 2_048)
      throw new Error(`${kid} is no RSA key of 2048 bits or more in PKCS#8`);
    return { kid, privateKey };
  });
  if (first === undefined) throw new Error('must name a key');
  return [first, ...others];
}

function privateKeyOf(base64: string): KeyObject | null {
  try {
    return createPrivateKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'pkcs8' });
  } catch {
    return null;
  }
}

/** A new key as it stands in DOMAIN_CONNECT_KEYS. */
export async function makeSigningKey(kid: string): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
  return `${kid}:${privateKey.toString('base64')}`;
}

/** RS256: RSA with PKCS#1 v1.5 over SHA-256, which providers check against the TXT records below. */
export const signQuery = ({ privateKey }: SigningKey, query: string): string =>
  sign('sha256', Buffer.from(query), privateKey).toString('base64');

/** With `p=…,a=RS256,d=` before it, a part is well within the 255 bytes of one TXT string. */
const PART = 200;

/** The TXT values that publish the key at `<kid>.<domain>`: its public half in numbered parts. */
export function publishedKey({ privateKey }: SigningKey): string[] {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64');
  const parts = spki.match(new RegExp(`.{1,${PART}}`, 'g')) ?? [];
  return parts.map((data, index) => `p=${index + 1},a=RS256,d=${data}`);
}
