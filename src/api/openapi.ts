import { z } from 'zod';
import { STATUS_OF, type ErrorCode } from '../domain/errors.ts';
import { releaseVersion } from '../release-version.ts';
import { API_PREFIX, type Route } from './route.ts';
import { routes } from './routes/all.ts';
import { ErrorBody, errorExample } from './schemas/errors.ts';

type Json = Record<string, unknown>;
interface Components {
  closed: boolean;
  schemas: Json;
}

/** Errors that every route can return. */
const EVERYWHERE: readonly ErrorCode[] = [
  'invalid',
  'unauthorized',
  'forbidden',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'headers_too_large',
  'internal',
  'unavailable',
];
const WHEN_IDEMPOTENT: readonly ErrorCode[] = ['idempotency_in_progress', 'idempotency_key_reused'];

/** Builds the OpenAPI 3.1 document. Answers may gain fields; `closed` forbids that, which reveals undocumented ones. */
export function openApiDocument({ closed = false } = {}): Json {
  const components: Components = { closed, schemas: {} };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const item = (paths[API_PREFIX + route.path] ??= {});
    item[route.method] = operation(route, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Domain Connection Service',
      version: releaseVersion(),
      description: 'Changes within v1 are additive. Ignore fields and enumeration values that you do not know.',
      contact: { name: 'The operator of this service' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: sorted(withoutExamples(components.schemas)),
      headers: { ...HEADERS, ...RETRY_AFTER, ...REPLAYED, ETag: POLLED['ETag'] },
      examples: Object.fromEntries(usedErrors().map((code) => [code, { value: errorExample(code) }])),
      securitySchemes: SECURITY,
    },
  };
}

/** Groups of requests, by the first part of their path. */
const TAGS = {
  connections: 'Connect hostnames, prove their ownership and check their records.',
  email: 'Generate the DNS records of a mailbox provider.',
  batches: 'Connect many hostnames in one request.',
  domains: 'Detect the DNS provider of a domain before you connect it.',
  tokens: 'Create tokens for the widget.',
  applications: 'Manage applications, their API keys and their DNS credentials.',
  'webhook-endpoints': 'Register receivers of events.',
  deliveries: 'See and repeat deliveries of events.',
  events: 'List what happened.',
  providers: 'List the DNS providers and what a credential of each needs.',
  usage: 'Read what was used in a month.',
  plans: 'List the plans.',
  subscriptions: 'Read and change the subscription.',
  'console-sessions': 'Sign people in to the console, and end their sessions.',
  audit: 'Read the audit log.',
  sandbox: 'Edit the DNS of the test environment.',
};

function tagOf({ path }: Route): string {
  const tag = path.split(/[/:]/)[1] ?? '';
  if (!(tag in TAGS)) throw new Error(`The tag ${tag} has no description.`);
  return tag;
}

/** Returns the codes of all errors that a route can return. */
const usedErrors = (): ErrorCode[] => [...new Set(routes.flatMap(errorsOf))].sort();

const errorsOf = (route: Route): ErrorCode[] => [
  ...EVERYWHERE,
  ...route.errors,
  ...(route.idempotent ? WHEN_IDEMPOTENT : []),
];

const SECURITY = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'API key: sk_test_… or sk_live_….' },
  widgetToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Widget token from POST /v1/tokens.',
  },
};

function operation(route: Route, components: Components): Json {
  const body = schemaOf(route.body, 'input', components);
  const takesBody = Object.keys((body['properties'] as Json | undefined) ?? {}).length > 0;
  return {
    operationId: operationId(route),
    summary: route.summary,
    description: descriptionOf(route),
    tags: [tagOf(route)],
    security: [{ apiKey: [] }, ...(route.widget ? [{ widgetToken: [] }] : [])],
    parameters: [
      ...parameters(route.params, 'path', components),
      ...parameters(route.query, 'query', components),
      ...(route.idempotent ? [IDEMPOTENCY_KEY] : []),
      ...(route.polled ? [IF_NONE_MATCH] : []),
      REQUEST_ID,
    ],
    ...(takesBody
      ? { requestBody: { required: !route.body.safeParse(undefined).success, content: json(body, components) } }
      : {}),
    responses: responses(route, components),
  };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Makes the request safe to retry. For 24 hours, the same key and body return the first answer again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'ETag of the answer that you have. You get a 304 if the answer has not changed.',
  schema: { type: 'string' },
};

const REQUEST_ID = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description:
    'Your id for this request. It appears in the answer and in our log. We create one if it is missing or invalid.',
  schema: { type: 'string', pattern: '^[\\w-]{1,128}$' },
};

const header = (description: string, type = 'string') => ({ description, schema: { type } });

const HEADERS: Json = {
  'X-Request-Id': header('Id of this request. Quote it when you contact support.'),
  'RateLimit-Policy': header(
    'Rate limit that applies: its name, and the number of requests (q) in a window of seconds (w).',
  ),
  RateLimit: header('Requests left in that limit (r), and seconds until it is fully restored (t).'),
};
const RETRY_AFTER: Json = { 'Retry-After': header('Seconds to wait before you retry.', 'integer') };
const POLLED: Json = {
  ETag: header('Version of the answer. Send it back in If-None-Match.'),
  'Retry-After': header('Seconds to wait before you poll again.', 'integer'),
};
const REPLAYED: Json = {
  'Idempotent-Replayed': header('`true` if this repeats the answer to the first request with the same key.'),
};
const referTo = (kind: string, names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/${kind}/${name}` }]));
const WITH_RETRY_AFTER: ReadonlySet<number> = new Set([409, 429, 503]);

const operationId = ({ method, path }: Route): string =>
  [method, ...path.split(/[/:]/).map((part) => part.replace(/^\{(\w+)\}$/, 'by_$1'))].filter(Boolean).join('_');

function descriptionOf({ needs, widget, testOnly }: Route): string {
  const scope = needs.length === 0 ? 'Accepts any valid API key.' : `Requires the scope ${needs.join(' or ')}.`;
  return [scope, widget ? 'Accepts a widget token.' : '', testOnly ? 'Test keys only.' : ''].filter(Boolean).join(' ');
}

function parameters(schema: z.ZodType, where: 'path' | 'query', components: Components): Json[] {
  const { properties = {}, required = [] } = schemaOf(schema, 'input', components) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...inner }]) => ({
    name,
    in: where,
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: withoutExamples(inner),
  }));
}

function responses(route: Route, components: Components): Json {
  const codes = errorsOf(route);
  const answers: Json = {};
  for (const [status, schema] of Object.entries(route.replies))
    answers[status] = {
      description: route.summary,
      headers: headersOf({ ...(route.idempotent ? REPLAYED : {}), ...(route.polled ? POLLED : {}) }),
      ...(status === '204' ? {} : { content: json(schemaOf(schema, 'output', components), components) }),
    };
  if (route.polled)
    answers['304'] = { description: 'The answer has not changed since that ETag.', headers: headersOf(POLLED) };
  const error = schemaOf(ErrorBody, 'output', components);
  for (const status of [...new Set(codes.map((code) => STATUS_OF[code]))].sort((a, b) => a - b)) {
    const here = codes.filter((code) => STATUS_OF[code] === status);
    answers[String(status)] = {
      description: here.join(', '),
      headers: headersOf(WITH_RETRY_AFTER.has(status) ? RETRY_AFTER : {}),
      content: { 'application/json': { schema: error, examples: referTo('examples', here) } },
    };
  }
  return answers;
}

const headersOf = (more: Json): Json => referTo('headers', Object.keys({ ...HEADERS, ...more }));

const json = (schema: Json, { schemas }: Components): Json => ({
  'application/json': { schema: withoutExamples(schema), example: exampleOf(schema, schemas) },
});

/** Values of fields without an `example`, by format or type. */
const DEFAULTS: Json = {
  uuid: '0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f',
  'date-time': '2026-04-01T12:00:00.000Z',
  boolean: true,
  integer: 1,
};

/** Composes an example from the `example` of each field. Enumerations show their first value. */
function exampleOf(schema: Json, components: Json): unknown {
  if ('example' in schema) return schema['example'];
  type Schema = {
    $ref?: string;
    anyOf?: Json[];
    properties?: Record<string, Json>;
    items?: Json;
    type?: string;
    format?: string;
  };
  const { $ref, anyOf: [inner] = [], properties, items, type = '', format = type } = schema as Schema;
  if ($ref !== undefined) return exampleOf(components[$ref.split('/').at(-1) ?? ''] as Json, components);
  if (inner !== undefined) return exampleOf(inner, components);
  if (items !== undefined) return [exampleOf(items, components)];
  if (properties !== undefined)
    return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, exampleOf(field, components)]));
  const values = (schema['enum'] ?? schema['x-known-values'] ?? [schema['const']]) as unknown[];
  const value = values[0] ?? DEFAULTS[format];
  if (value === undefined) throw new Error(`This schema has no example: ${JSON.stringify(schema)}`);
  return value;
}

/** The document shows one example of each whole body, not one of each field. */
const withoutExamples = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema, (key, value: unknown) => (key === 'example' ? undefined : value))) as Json;

/** Converts a schema to JSON Schema. Schemas with an id become components. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: Components): Json {
  const made = z.toJSONSchema(schema, {
    io,
    override: ({ zodSchema, jsonSchema }) => {
      const override = z.globalRegistry.get(zodSchema)?.['override'];
      if (typeof override === 'object' && override !== null) {
        for (const key of Object.keys(jsonSchema)) if (key !== 'description') Reflect.deleteProperty(jsonSchema, key);
        Object.assign(jsonSchema, override);
      }
      if (jsonSchema.enum?.every(Number.isInteger) === true) jsonSchema.type = 'integer';
      if (io === 'output' && !components.closed) leaveOpen(jsonSchema);
      delete jsonSchema.id;
    },
  });
  const text = JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $defs, ...rest } = JSON.parse(text) as Json;
  Object.assign(components.schemas, $defs);
  delete rest['$schema'];
  return rest;
}

/**
 * Lets clients that were generated from this document accept fields and enum values that are added later. The type of a
 * map's values stays.
 */
function leaveOpen(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.enum === undefined || (schema.type !== 'string' && schema.type !== 'integer')) return;
  const values = schema.enum;
  delete schema.enum;
  Object.assign(schema, {
    description: [schema.description, `One of ${values.join(', ')}. New values may be added.`]
      .filter(Boolean)
      .join(' '),
    'x-known-values': values,
  });
}

const sorted = (record: Json): Json => Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
