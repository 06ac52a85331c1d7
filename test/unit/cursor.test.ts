import fc from 'fast-check';
import { readCursor, writeCursor } from '../../src/api/cursor.ts';
import type { Keyring } from '../../src/api/signed.ts';

const key = (fill: number) => ({ kid: `k${fill}`, secret: Buffer.alloc(32, fill) });
const KEYS: Keyring = [key(1)];
const position = fc.record({
  created_at: fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
  id: fc.uuid(),
});

test('a cursor decodes to its position', () => {
  fc.assert(
    fc.property(position, fc.string(), (place, list) => {
      expect(readCursor(KEYS, list, writeCursor(KEYS, list, place))).toEqual(place);
    }),
  );
});

test('a cursor is rejected in another list', () => {
  fc.assert(
    fc.property(position, fc.string(), fc.string(), (place, one, other) => {
      fc.pre(one !== other);
      expect(readCursor(KEYS, other, writeCursor(KEYS, one, place))).toBeNull();
    }),
  );
});

test('a cursor with any character changed is rejected', () => {
  fc.assert(
    fc.property(position, fc.nat(), fc.stringMatching(/^[\w-]$/), (place, at, character) => {
      const cursor = writeCursor(KEYS, 'list', place);
      const changed = cursor.slice(0, at % cursor.length) + character + cursor.slice((at % cursor.length) + 1);
      fc.pre(changed !== cursor);
      expect(readCursor(KEYS, 'list', changed)).toBeNull();
    }),
  );
});

test('any other text is rejected without an exception', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) =>
      expect(readCursor(KEYS, 'list', text)).toBeNull(),
    ),
  );
});

test('a cursor stays valid as long as its key is listed', () => {
  const cursor = writeCursor(KEYS, 'list', { created_at: new Date(0), id: '019a0000-0000-7000-8000-000000000001' });

  expect(readCursor([key(2), key(1)], 'list', cursor)).not.toBeNull();
  expect(readCursor([key(2)], 'list', cursor)).toBeNull();
});
