import { hash, type KeyObject } from 'node:crypto';
import { signedText, type SignedParts, type SigningSecret } from '../domain/edge/signature.ts';

/** Finds the key of a secret; null if this process does not have it. A known key needs no promise. */
export interface SigningKeys {
  get(id: string): KeyObject | null | Promise<KeyObject | null>;
}

/** Returns the signature header for an origin, with one `v1` for each active secret; undefined without one. */
export async function signatureFor(
  secrets: readonly SigningSecret[],
  keys: SigningKeys,
  request: SignedParts,
  metadata: string | undefined,
  now = Date.now(),
): Promise<string | undefined> {
  const seconds = Math.floor(now / 1_000);
  let text: string | undefined;
  let header = `t=${seconds}`;
  for (const { id, from } of secrets) {
    if (from > now) continue;
    const found = keys.get(id);
    const key = found instanceof Promise ? await found : found;
    if (key === null) continue;
    text ??= signedText(seconds, request, hashOf(metadata));
    header += `,v1=${hmac(key, text)}`;
  }
  return text === undefined ? undefined : header;
}

const HASH_OF_NOTHING = hash('sha256', '');
const hashOf = (metadata: string | undefined): string =>
  metadata === undefined ? HASH_OF_NOTHING : hash('sha256', metadata);

const BLOCK_BYTES = 64;

interface Pads {
  inner: Buffer;
  outer: Buffer;
}
const known = new WeakMap<KeyObject, Pads>();

/**
 * Returns HMAC-SHA256 (RFC 2104) in hex. Two plain hashes cost half as much as an object of createHmac, which counts at
 * each request. Text is latin1, one character for each byte, because a query can contain any byte.
 */
function hmac(key: KeyObject, text: string): string {
  const { inner, outer } = padsOf(key);
  const first = Buffer.allocUnsafe(BLOCK_BYTES + text.length);
  first.set(inner);
  first.write(text, BLOCK_BYTES, 'latin1');
  const second = Buffer.from(outer);
  second.write(hash('sha256', first, 'binary'), BLOCK_BYTES, 'latin1');
  return hash('sha256', second);
}

function padsOf(key: KeyObject): Pads {
  const pads = known.get(key) ?? { inner: padded(key, 0x36, 0), outer: padded(key, 0x5c, 32) };
  known.set(key, pads);
  return pads;
}

/** Returns the key XOR a byte, with room behind. Keys have 32 bytes, less than a block. */
function padded(key: KeyObject, pad: number, room: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES + room, pad);
  for (const [at, byte] of key.export().entries()) block[at] = byte ^ pad;
  return block;
}
