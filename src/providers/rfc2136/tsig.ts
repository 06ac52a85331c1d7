import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  CLASS,
  decodeMessage,
  decodeName,
  encodeMessage,
  encodeName,
  type WireMessage,
  TYPE,
  words,
  rcodeOf,
} from './message.ts';

/** Key of a transaction signature (RFC 8945). A reply is trusted only if it is signed with the key of its request. */
export interface TsigKey {
  name: string;
  algorithm: string;
  secret: Buffer;
}

const DIGESTS: Record<string, string> = {
  'hmac-sha1': 'sha1',
  'hmac-sha224': 'sha224',
  'hmac-sha256': 'sha256',
  'hmac-sha384': 'sha384',
  'hmac-sha512': 'sha512',
};

export const isAlgorithm = (name: string): boolean => Object.hasOwn(DIGESTS, name);

const FUDGE_SECONDS = 300;

/** Signs a message. The returned MAC is needed to verify the reply. */
export function signMessage(message: WireMessage, key: TsigKey, nowSeconds: number): { wire: Buffer; mac: Buffer } {
  const unsigned = encodeMessage(message);
  const mac = macOf(key, [unsigned, variables(key, { time: time48(nowSeconds), error: 0, other: Buffer.alloc(0) })]);
  const data = Buffer.concat([
    encodeName(key.algorithm),
    time48(nowSeconds),
    words(FUDGE_SECONDS, mac.length),
    mac,
    words(message.id, 0, 0),
  ]);
  const record = { name: key.name, type: TYPE.TSIG, class: CLASS.ANY, ttl: 0, data };
  return { wire: encodeMessage({ ...message, additional: [...message.additional, record] }), mac };
}

export type TsigCheck =
  | { kind: 'genuine'; message: WireMessage }
  /** The server does not know the key, or has another secret for it. Such a reply cannot be signed. */
  | { kind: 'key_refused' }
  | { kind: 'clocks_differ' }
  /** An unsigned refusal, of a server that knows neither key nor zone. A forged one could only make us give up. */
  | { kind: 'refused_unsigned'; rcode: number }
  | { kind: 'not_genuine' };

/** NOTIMP, REFUSED and NOTAUTH. */
const UNSIGNED_REFUSALS: ReadonlySet<number> = new Set([4, 5, 9]);

const ERROR_BADSIG = 16;
const ERROR_BADKEY = 17;
const ERROR_BADTIME = 18;

/** Verifies a reply with the MAC of its request. Throws a RangeError if the reply is not a DNS message. */
export function verifyReply(wire: Buffer, key: TsigKey, requestMac: Buffer, nowSeconds: number): TsigCheck {
  const message = decodeMessage(wire);
  const record = message.additional.at(-1);
  if (record?.type !== TYPE.TSIG) {
    const rcode = rcodeOf(message);
    return UNSIGNED_REFUSALS.has(rcode) ? { kind: 'refused_unsigned', rcode } : { kind: 'not_genuine' };
  }
  const tsig = readTsig(record.data);
  if (tsig.error === ERROR_BADKEY || tsig.error === ERROR_BADSIG) return { kind: 'key_refused' };

  // The TSIG record comes last and is never compressed, so removing it leaves the bytes that the server signed.
  const length = encodeName(record.name).length + 10 + record.data.length;
  const signed = Buffer.from(wire.subarray(0, wire.length - length));
  signed.writeUInt16BE(message.additional.length - 1, 10);
  signed.writeUInt16BE(tsig.originalId, 0);
  const expected = macOf(key, [words(requestMac.length), requestMac, signed, variables(key, tsig)]);
  if (tsig.mac.length !== expected.length || !timingSafeEqual(tsig.mac, expected)) return { kind: 'not_genuine' };
  if (tsig.error === ERROR_BADTIME) return { kind: 'clocks_differ' };
  const age = Math.abs(nowSeconds - tsig.time.readUIntBE(0, 6));
  return age > FUDGE_SECONDS ? { kind: 'clocks_differ' } : { kind: 'genuine', message };
}

function readTsig(data: Buffer) {
  const { next } = decodeName(data, 0);
  const macEnd = next + 10 + data.readUInt16BE(next + 8);
  return {
    time: data.subarray(next, next + 6),
    mac: data.subarray(next + 10, macEnd),
    originalId: data.readUInt16BE(macEnd),
    error: data.readUInt16BE(macEnd + 2),
    other: data.subarray(macEnd + 6),
  };
}

/** The signed variables, in the order of RFC 8945 section 4.3.3. */
function variables(key: TsigKey, { time, error, other }: { time: Buffer; error: number; other: Buffer }): Buffer {
  const head = [encodeName(key.name), words(CLASS.ANY, 0, 0), encodeName(key.algorithm)];
  return Buffer.concat([...head, time, words(FUDGE_SECONDS, error, other.length), other]);
}

const macOf = (key: TsigKey, parts: readonly Buffer[]): Buffer =>
  createHmac(DIGESTS[key.algorithm] ?? 'sha256', key.secret)
    .update(Buffer.concat(parts))
    .digest();

function time48(seconds: number): Buffer {
  const buffer = Buffer.alloc(6);
  buffer.writeUIntBE(Math.floor(seconds), 0, 6);
  return buffer;
}
