import { ValueError, type Payload, type PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const { Payload: Message } = proto.temporal.api.common.v1;
const ENCODING = Buffer.from('binary/encrypted');
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

type Key = { kid: string; secret: Buffer };
/** The first key encrypts; all keys decrypt. */
export type CodecKeys = readonly [Key, ...Key[]];

/** Encrypts payloads for a Temporal server that others operate, except ids and search attributes. */
export function encryptingCodec(keys: CodecKeys): PayloadCodec {
  const [newest] = keys;
  const secrets = new Map(keys.map(({ kid, secret }) => [kid, secret]));

  function encrypt(payload: Payload): Payload {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', newest.secret, nonce);
    const sealed = Buffer.concat([cipher.update(Message.encode(payload).finish()), cipher.final()]);
    return {
      metadata: { encoding: ENCODING, 'encryption-key-id': Buffer.from(newest.kid) },
      data: Buffer.concat([nonce, cipher.getAuthTag(), sealed]),
    };
  }

  function decrypt(payload: Payload): Payload {
    if (!ENCODING.equals(payload.metadata?.['encoding'] ?? Buffer.of())) return payload;
    const kid = Buffer.from(payload.metadata?.['encryption-key-id'] ?? []).toString();
    const secret = secrets.get(kid);
    if (secret === undefined)
      throw new ValueError(`A payload was encrypted with the key "${kid}", which TEMPORAL_CODEC_KEYS does not name.`);
    const data = Buffer.from(payload.data ?? []);
    const decipher = createDecipheriv('aes-256-gcm', secret, data.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(data.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Message.decode(Buffer.concat([decipher.update(data.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]));
  }

  return {
    encode: (payloads) => Promise.resolve(payloads.map(encrypt)),
    decode: (payloads) => Promise.resolve(payloads).then((all) => all.map(decrypt)),
  };
}
