import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

const generate = promisify(generateKeyPair);

/** Creates a private key for certificates and accounts: ECDSA P-256, as PEM (PKCS #8). */
export async function newPrivateKey(): Promise<string> {
  const { privateKey } = await generate('ec', { namedCurve: 'P-256' });
  return pemOfKey(privateKey);
}

export const pemOfKey = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Throws if the text is no private key, or an encrypted one. */
export const keyOfPem = (pem: string): KeyObject => createPrivateKey(pem);
