import { defaultPayloadConverter } from '@temporalio/common';
import { encryptingCodec } from '../../src/temporal/codec.ts';

const key = (kid: string, byte: number) => ({ kid, secret: Buffer.alloc(32, byte) });
const payload = defaultPayloadConverter.toPayload({ hostname: 'shop.example.com' });

describe('the payload codec', () => {
  test('decodes to the original payload, and the encoded form shows nothing of it', async () => {
    const codec = encryptingCodec([key('k1', 1)]);
    const sealed = await codec.encode([payload]);
    expect(JSON.stringify(sealed.map(({ data }) => Buffer.from(data ?? []).toString('latin1')))).not.toContain('shop');
    const [opened] = await codec.decode(sealed);
    expect(defaultPayloadConverter.fromPayload(opened!)).toEqual({ hostname: 'shop.example.com' });
  });

  test('encrypts with the first key and still decrypts with older keys', async () => {
    const before = encryptingCodec([key('k1', 1)]);
    const after = encryptingCodec([key('k2', 2), key('k1', 1)]);
    const [old] = await before.encode([payload]);
    const [young] = await after.encode([payload]);
    expect(Buffer.from(young!.metadata!['encryption-key-id']!).toString()).toBe('k2');
    const opened = await after.decode([old!, young!]);
    expect(opened.map((one) => defaultPayloadConverter.fromPayload(one))).toEqual([
      { hostname: 'shop.example.com' },
      { hostname: 'shop.example.com' },
    ]);
  });

  test('names the missing key', async () => {
    const sealed = await encryptingCodec([key('lost', 1)]).encode([payload]);
    await expect(encryptingCodec([key('k2', 2)]).decode(sealed)).rejects.toThrow(
      'A payload was encrypted with the key "lost", which TEMPORAL_CODEC_KEYS does not name.',
    );
  });

  test('rejects a payload that was modified', async () => {
    const codec = encryptingCodec([key('k1', 1)]);
    const [sealed] = await codec.encode([payload]);
    const data = Buffer.from(sealed!.data!);
    data[data.length - 1]! ^= 1;
    await expect(codec.decode([{ ...sealed, data }])).rejects.toThrow();
  });

  test('reads payloads that were written before encryption was enabled', async () => {
    expect(await encryptingCodec([key('k1', 1)]).decode([payload])).toEqual([payload]);
  });
});
