import { z } from 'zod';
import { RECORD_TYPES, TTL_MAX, TTL_MIN } from '../../domain/record.ts';

/** For routes without parameters, query or body; whatever is sent there is refused by name. */
export const Nothing = z.strictObject({}).optional();

export const Timestamp = z.iso.datetime({ precision: 3 });

export const Environment = z.enum(['test', 'live']);

/** An id as callers give it: RFC 9562 lets them write it in capitals, and it is the same id. */
export const GivenId = z.uuid().toLowerCase();

export const Id = z.strictObject({ id: GivenId });

/** What every audited answer tells of the object that was changed. */
export const Administered = z.object({ id: z.uuid(), environment: Environment });

export const Record = z
  .object({
    host: z.string().meta({ description: 'The full name, without a trailing dot.' }),
    relative_host: z
      .string()
      .meta({ description: 'The name as typed at a provider: relative to the zone, @ at its apex.' }),
    type: z.enum(RECORD_TYPES),
    value: z.string(),
    ttl: z.int(),
    priority: z.int().nullable().meta({ description: 'MX and SRV only, else null.' }),
  })
  .meta({ id: 'Record' });

/**
 * Refuses a list or map that is longer than `max` before its entries are judged. zod judges every entry first, so without
 * this a list of fifty thousand wrong entries would cost far more than parsing it did.
 */
const atMost = <S extends z.ZodType>(max: number, origin: 'array' | 'object', schema: S) =>
  z.preprocess((value, context) => {
    const length = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
    if (length > max) context.addIssue({ code: 'too_big', origin, maximum: max, inclusive: true, input: value });
    return value;
  }, schema);

export const ListOf = <S extends z.ZodType>(item: S, { min, max }: { min?: 1; max: number }) =>
  atMost(max, 'array', min === undefined ? z.array(item).max(max) : z.array(item).min(min).max(max));

export const MapOf = <K extends z.ZodString, V extends z.ZodType>(key: K, value: V, max: number) =>
  atMost(max, 'object', z.record(key, value).meta({ maxProperties: max }));

export const Ttl = z.int().min(TTL_MIN).max(TTL_MAX);

/** Text that people read: no control characters, no blank ends. */
export const Label = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^(?!\s)[^\p{Cc}]*(?<!\s)$/u, 'must be text without control characters or blank ends');

/** A number in a query is text; only digits are one. */
const Limit = z
  .string()
  .regex(/^\d{1,4}$/, 'must be a whole number')
  .transform(Number)
  .pipe(z.int().min(1).max(100))
  .meta({ override: { type: 'integer', minimum: 1, maximum: 100 }, description: 'How many, 1 to 100.' });

export const ListQuery = z.strictObject({
  cursor: z.string().min(1).max(500).optional().meta({ description: 'The next_cursor of the page before.' }),
  limit: Limit.optional(),
});

export const pageOf = <S extends z.ZodType>(item: S) =>
  z.object({
    data: z.array(item),
    next_cursor: z.string().nullable().meta({ description: 'Null on the last page.' }),
  });
