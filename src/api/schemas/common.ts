import { z } from 'zod';
import { RECORD_TYPES, TTL_MAX, TTL_MIN } from '../../domain/record.ts';

/** An empty part of a request. Every field that a caller sends there is refused by name. */
export const Nothing = z.strictObject({}).optional();

export const Timestamp = z.iso.datetime({ precision: 3 });
export const GivenTime = z.iso.datetime({ offset: true });

export const Environment = z
  .enum(['test', 'live'])
  .meta({ description: 'Environment of the object.', example: 'test' });
/** Environments of a list or a count. */
export const GivenEnvironment = z.enum(['test', 'live', 'all']).meta({
  description:
    "Defaults to the key's own environment, or to that of the given `application_id` or `batch_id`. A test key sees `test` only.",
});
export const ObjectId = z.uuid().meta({ description: 'Unique id.' });
export const CreatedAt = Timestamp.meta({ description: 'Time of creation.' });

/** An id in a request. RFC 9562 allows upper case, so it is normalized. */
export const GivenId = z.uuid().toLowerCase();
export const GivenApplicationId = GivenId.meta({
  description: 'Id of the application.',
  example: '0192f0c0-1111-7abc-8def-0123456789ab',
});

export const ApplicationId = z
  .uuid()
  .meta({ description: 'Id of the application.', example: '0192f0c0-1111-7abc-8def-0123456789ab' });
export const ExternalId = z
  .string()
  .nullable()
  .meta({ description: 'Your id for the customer, or null.', example: 'customer-1234' });
export const Hostname = z
  .string()
  .meta({ description: 'Hostname of the customer. A wildcard begins with `*.`.', example: 'shop.brand.test' });
/** A hostname in a request, in any spelling. */
export const GivenHostname = z.string().max(1_000).meta({
  description: 'Hostname of the customer, in any spelling. It can be a wildcard, such as `*.brand.test`.',
  example: 'shop.brand.test',
});
export const ProviderSlug = z
  .string()
  .meta({ description: 'DNS provider, as in GET /providers.', example: 'cloudflare' });
export const ProviderName = z
  .string()
  .nullable()
  .meta({ description: 'Display name of the DNS provider. Null if it is unknown.', example: 'Cloudflare' });

export const Id = z.strictObject({ id: GivenId.meta({ description: 'Id of the object.' }) });

/** Fields of every audited answer: the object that was changed. */
export const Administered = z.object({ id: ObjectId, environment: Environment });

export const Record = z
  .object({
    host: Hostname.meta({ description: 'Fully qualified name without a trailing dot.' }),
    relative_host: z.string().meta({ description: 'Name relative to the zone, or `@` at its apex.', example: 'shop' }),
    type: z
      .enum(RECORD_TYPES)
      .meta({ description: 'Record type. ALIAS acts like a CNAME at an apex.', example: 'CNAME' }),
    value: z.string().meta({ description: 'Record value, without quotes.', example: 'edge.example.net' }),
    ttl: z.int().meta({ description: 'Time to live in seconds.', example: 300 }),
    priority: z.int().nullable().meta({ description: 'Null unless the type is MX or SRV.', example: null }),
  })
  .meta({ id: 'Record' });

/** Refuses a list or map longer than `max` before zod validates its entries, which would cost far more than parsing. */
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

export const Ttl = z.int().min(TTL_MIN).max(TTL_MAX).meta({ description: 'Time to live in seconds.', example: 300 });

/** Control characters and spaces, as escapes that every engine for regular expressions knows. */
const CONTROL = String.raw`\x00-\x1f\x7f-\x9f`;
const CONTROL_OR_SPACE = String.raw`\x00-\x20\x7f-\xa0`;
const PLAIN_TEXT = new RegExp(`^[^${CONTROL_OR_SPACE}]([^${CONTROL}]*[^${CONTROL_OR_SPACE}])?$`);

/** Text for people: no control characters, no leading or trailing spaces. */
export const Label = (max: number) =>
  z
    .string()
    .min(1, { abort: true })
    .max(max)
    .regex(PLAIN_TEXT, 'must not contain control characters, or begin or end with a space');

/** Query parameters arrive as text, so the digits are parsed here. */
const Limit = z
  .string()
  .regex(/^\d{1,4}$/, 'must be a whole number')
  .transform(Number)
  .pipe(z.int().min(1).max(100))
  .meta({
    override: { type: 'integer', minimum: 1, maximum: 100 },
    description: 'Page size, from 1 to 100. Usually 20 by default.',
  });

export const ListQuery = z.strictObject({
  cursor: z.string().min(1).max(500).optional().meta({ description: 'The `next_cursor` of the previous page.' }),
  limit: Limit.optional(),
});

export const pageOf = <S extends z.ZodType>(item: S) =>
  z.object({
    data: z.array(item).meta({ description: 'Objects of this page.' }),
    next_cursor: z.string().nullable().meta({ description: 'Null on the last page.', example: null }),
  });
