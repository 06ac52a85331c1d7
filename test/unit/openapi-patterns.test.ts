import { openApiPatterns } from '../support/openapi-patterns.ts';

/** Syntax that not every engine has: groups with a question mark, back-references, Unicode properties and `\u`. */
const NOT_COMMON = [/\(\?(?!:)/, /\\[1-9]/, /\\(?![dDsSwWnrtx])[a-zA-Z]/];

const isCommon = (pattern: string): boolean => NOT_COMMON.every((syntax) => !syntax.test(pattern));

test.each(['^(?=a)b$', '(?<!a)b', String.raw`^\p{L}+$`, String.raw`(a)\1`, String.raw`[\u00e9]`, '(?<name>a)'])(
  'the check of regular expressions refuses %s',
  (pattern) => expect(isCommon(pattern)).toBe(false),
);

test('every regular expression in the OpenAPI document works in ECMAScript without flags, in Python and in Go', () => {
  const patterns = openApiPatterns();
  expect(patterns.length).toBeGreaterThan(5);
  for (const pattern of patterns) {
    expect(() => new RegExp(pattern)).not.toThrow();
    expect([pattern, isCommon(pattern)]).toEqual([pattern, true]);
  }
});
