import { z } from 'zod';
import { REDIRECT_STATUSES } from '../../domain/edge/own-route.ts';
import { Label } from './common.ts';

const status = z.literal(REDIRECT_STATUSES);
const to = z.string().max(2_000).meta({
  description: 'Absolute https URL without query and fragment.',
  example: 'https://www.example.com',
});
const keepPath = z.boolean().meta({ description: 'Whether path and query are appended.' });

/** Fields of a connection's own route, as requests and answers have them. */
const fields = {
  origin_url: z.string().max(300).meta({
    description: "Server to which the edge forwards requests, in place of the application's.",
    example: 'https://shop-7.example.com',
  }),
  host_header: z.enum(['origin', 'visitor']).meta({
    description: "Host header at the origin: the origin's own name, or the hostname that the visitor requested.",
    example: 'origin',
  }),
  metadata: z.record(Label(64), z.string().max(4_096)).meta({
    description: 'Values that the origin gets as `X-Svc-Metadata`. At most 4 kB as JSON.',
    example: { plan: 'gold' },
  }),
  redirect: z
    .strictObject({
      to,
      status: status.exactOptional().meta({ description: 'Defaults to 308.', example: 308 }),
      keep_path: keepPath.exactOptional(),
    })
    .meta({ description: 'Redirects every visitor. It needs no origin, and excludes `origin_url`.' }),
  security_headers: z
    .strictObject({
      hsts_max_age: z.int().min(0).max(63_072_000).meta({
        description: 'Seconds for which browsers use https only, sent once the connection was live for a day.',
        example: 31_536_000,
      }),
    })
    .meta({ description: 'Headers of responses, unless the origin sends its own.' }),
  maintenance: z
    .strictObject({
      message: Label(500).meta({ description: 'Your text on the page.', example: 'We are back at 14:00 UTC.' }),
    })
    .meta({ description: 'Shows a page with status 503 in place of the site.' }),
};

/** Null returns to the application's value. The description is that of the field itself. */
const orNull = <T extends z.ZodType>(field: T, example: unknown = null) =>
  field.nullable().meta({ ...field.meta(), example });

/** Absent keeps what is stored, and null returns to the application's value. */
const given = <T extends z.ZodType>(field: T, example?: unknown) => {
  const nullable = orNull(field, example);
  return nullable.exactOptional().meta(nullable.meta() ?? {});
};

export const givenRoute = {
  origin_url: given(fields.origin_url, 'https://shop-7.example.com'),
  host_header: given(fields.host_header, 'origin'),
  metadata: given(fields.metadata, { plan: 'gold' }),
  redirect: given(fields.redirect),
  security_headers: given(fields.security_headers),
  maintenance: given(fields.maintenance),
};
export const GivenRoute = z.object(givenRoute);
export type GivenRoute = z.infer<typeof GivenRoute>;

export const shownRoute = {
  origin_url: orNull(fields.origin_url),
  host_header: fields.host_header,
  metadata: orNull(fields.metadata),
  redirect: z
    .object({ to, status: status.meta({ description: 'Status of the response.', example: 308 }), keep_path: keepPath })
    .nullable()
    .meta({ description: 'URL to which every visitor is sent, or null.', example: null }),
  security_headers: orNull(fields.security_headers),
  maintenance: orNull(fields.maintenance),
};
