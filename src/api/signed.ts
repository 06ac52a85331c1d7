import { createHmac, timingSafeEqual } from 'node:crypto';

/** Keys by name. The first one signs; the others are still believed, so that a key can be changed without a break. */
export type Keyring = readonly [Key, ...Key[]];
export interface Key {
  kid: string;
  secret: Buffer;
}

/** Keyed, and bound to its purpose: what is signed for one is worthless for another. */
export const sign = ({ secret }: Key, purpose: string, text: string): Buffer =>
  createHmac('sha256', secret).update(`${purpose}\n${text}`).digest();

export const isSigned = (keys: Keyring, purpose: string, text: string, mac: Buffer): boolean =>
  keys.some((key) => mac.length === 32 && timingSafeEqual(sign(key, purpose, text), mac));
