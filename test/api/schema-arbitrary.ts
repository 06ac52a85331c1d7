import fc from 'fast-check';

/** The part of JSON Schema that our document uses. */
export interface JsonSchema {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  format?: string;
  pattern?: string;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** Real ids, hostnames and values by field name, so that requests pass the first validation. */
export type Hints = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Generates values that a schema allows. */
export function arbitraryOf(
  schema: JsonSchema,
  resolve: (ref: string) => JsonSchema,
  hints: Hints,
  name = '',
): fc.Arbitrary<unknown> {
  const inner = (part: JsonSchema, partName = name) => arbitraryOf(part, resolve, hints, partName);
  if (schema.$ref !== undefined) return inner(resolve(schema.$ref));
  const hint = hints[name];
  if (hint !== undefined && schema.type !== 'object' && schema.type !== 'array')
    return fc.oneof({ weight: 3, arbitrary: hint }, { weight: 1, arbitrary: plain(schema, inner) });
  return plain(schema, inner);
}

function plain(
  schema: JsonSchema,
  inner: (part: JsonSchema, name?: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((part) => inner(part)));
  const { minLength = 0, maxLength = 300, minimum = -(2 ** 31), maximum = 2 ** 31 } = schema;
  switch (schema.type) {
    case 'object':
      return objectOf(schema, inner);
    case 'array':
      return fc.array(inner(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, 3),
      });
    case 'integer':
      return fc.integer({ min: minimum, max: maximum });
    case 'number':
      return fc.double();
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      if (schema.format === 'uuid') return fc.uuid();
      return fc.string({ minLength, maxLength: Math.min(maxLength, 300), unit: 'grapheme' });
    default:
      return fc.jsonValue();
  }
}

function objectOf(
  schema: JsonSchema,
  inner: (part: JsonSchema, name?: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const model = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, part]) => [name, inner(part, name)]),
  );
  return fc.record(model, { requiredKeys: schema.required ?? [] });
}

/** Invalid values that often break servers. */
export const poison: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null, '', ' ', '\0', 'a\0b', '\ud800', '\u202e', '%00', '../../etc/passwd', "'; DROP TABLE x; --", '{hostname}{nope}', '__proto__',
    -1, 0, 1.5, 1e308, 2 ** 53, true, [], {}, [[]], { __proto__: null, constructor: 1 }, 'x'.repeat(5_000),
    'https://user:pw@host/path', '127.0.0.1', 'xn--', 'xn--a.com', 'a..b', '.', '-', 'co.uk', '🦊.com',
  ), // prettier-ignore
  fc.string({ unit: 'binary' }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Replaces one random part of a value by an invalid value. */
export const poisoned = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(value, poison, fc.nat(), fc.string({ maxLength: 12 })).map(([base, bad, place, extra]) => {
    if (typeof base !== 'object' || base === null || Array.isArray(base)) return bad;
    const names = [...Object.keys(base), extra];
    return { ...base, [names[place % names.length] ?? extra]: bad };
  });
