import { createHmac, timingSafeEqual } from 'node:crypto';

/** Keys by name. The first key signs; all of them verify, so an operator can rotate keys without downtime. */
export type Keyring = readonly [Key, ...Key[]];
export interface Key {
  kid: string;
  secret: Buffer;
}

const MAC_BYTES = 32;

/** Computes a MAC that is bound to a purpose: a MAC made for one purpose is not valid for another. */
export const sign = ({ secret }: Key, purpose: string, text: string): Buffer =>
  createHmac('sha256', secret).update(`${purpose}\n${text}`).digest();

export const isSigned = (keys: Keyring, purpose: string, text: string, mac: Buffer): boolean =>
  keys.some((key) => mac.length === MAC_BYTES && timingSafeEqual(sign(key, purpose, text), mac));

/** Returns a URL-safe token that holds a text and its MAC. The text is not encrypted. */
export const signToken = (keys: Keyring, purpose: string, text: string): string =>
  Buffer.concat([sign(keys[0], purpose, text), Buffer.from(text)]).toString('base64url');

/** Returns the text of a token that `signToken` made for this purpose, or null. */
export function verifyToken(keys: Keyring, purpose: string, token: string): string | null {
  const bytes = Buffer.from(token, 'base64url');
  const text = bytes.subarray(MAC_BYTES).toString();
  const isCanonical = bytes.toString('base64url') === token;
  return isCanonical && isSigned(keys, purpose, text, bytes.subarray(0, MAC_BYTES)) ? text : null;
}
