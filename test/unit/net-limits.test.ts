import { Readable } from 'node:stream';
import { BoundedMap } from '../../src/net/bounded-map.ts';
import { BodyTooLarge, readBody } from '../../src/net/read-body.ts';

const bodyOf = (...texts: string[]) => Readable.from(texts.map((text) => Buffer.from(text)));

test('a body is read whole up to its limit', async () => {
  expect(await readBody(bodyOf('four', 'five'), 8)).toBe('fourfive');
});

test('a body beyond its limit is refused, and its stream is destroyed', async () => {
  const body = bodyOf('four', 'five', 'more');
  await expect(readBody(body, 7)).rejects.toThrow(BodyTooLarge);
  expect(body.destroyed).toBe(true);
});

test('a bounded map evicts the entry that was set longest ago', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.set('c', 4);
  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([3, undefined, 4]);
});
