import fc from 'fast-check';
import { decodeMessage, decodeName, encodeMessage, encodeName } from '../../src/providers/rfc2136/message.ts';
import { decodeData, encodeData } from '../../src/providers/rfc2136/rdata.ts';

test('any TXT value survives encoding', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 700 }), (value) => {
      const { type, data } = encodeData({ type: 'TXT', value, priority: null });
      expect(decodeData(type, data)).toEqual({ type: 'TXT', value, priority: null });
    }),
  );
});

test('names with any bytes in their labels survive, in lower case', () => {
  const bytes = fc
    .uint8Array({ minLength: 1, maxLength: 20 })
    .filter((label) => !label.some((byte) => byte >= 65 && byte <= 90));
  fc.assert(
    fc.property(fc.array(bytes, { minLength: 1, maxLength: 4 }), (labels) => {
      const wire = Buffer.concat([
        ...labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]),
        Buffer.from([0]),
      ]);
      expect(encodeName(decodeName(wire, 0).name)).toEqual(wire);
    }),
  );
});

test('for any bytes, the reader answers or throws a RangeError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      try {
        decodeMessage(Buffer.from(bytes));
      } catch (error) {
        expect(error).toMatchObject({ name: 'RangeError' });
      }
    }),
  );
});

test('a name that points at itself is refused', () => {
  const message = encodeMessage({ id: 1, flags: 0, question: [], answer: [], authority: [], additional: [] });
  const loop = Buffer.concat([message, Buffer.from([0xc0, 0x0c, 0, 1, 0, 1])]);
  loop.writeUInt16BE(1, 4);
  expect(() => decodeMessage(loop)).toThrow(RangeError);
});
