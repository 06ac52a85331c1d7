import fc from 'fast-check';
import { excessOf, JSON_DEPTH, JSON_VALUES } from '../../src/api/json-bounds.ts';

const judge = (json: string) => excessOf(Buffer.from(json));
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const listOf = (entries: number) => JSON.stringify(Array.from({ length: entries }, () => 1));

/** Counts every object, list and scalar as one value; keys do not count. */
const valuesOf = (value: unknown): number =>
  1 + (typeof value === 'object' && value !== null ? Object.values(value).reduce<number>((sum, item) => sum + valuesOf(item), 0) : 0); // prettier-ignore

test('a document may be as deep as the limit and no deeper, in any nesting', () => {
  expect(judge(nested(JSON_DEPTH))).toBeNull();
  expect(judge(nested(JSON_DEPTH + 1))).toBe('too_deep');
  expect(judge('{"a":'.repeat(JSON_DEPTH + 1))).toBe('too_deep');
  expect(judge('[{"a":'.repeat(JSON_DEPTH))).toBe('too_deep');
});

test('a document may hold as many values as the limit and no more', () => {
  expect(judge(listOf(JSON_VALUES - 1))).toBeNull();
  expect(judge(listOf(JSON_VALUES))).toBe('too_many_values');
});

test('values are counted exactly, with any text, blanks and empty lists', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
      // Lists that fill the limit exactly, so one more value must be rejected.
      const room = JSON_VALUES - valuesOf([value]);
      const filled = (fill: number) =>
        judge(JSON.stringify([value, ...Array.from({ length: fill }, () => 0)], null, indent));
      expect([filled(room), filled(room + 1)]).toEqual([null, 'too_many_values']);
    }),
    { numRuns: 30 },
  );
});

test('brackets, commas and escaped quotes inside strings are text', () => {
  const text = '[{,"\\'.repeat(JSON_VALUES);
  expect(judge(JSON.stringify({ [text]: text }))).toBeNull();
});
