import { z } from 'zod';
import { STATUS_OF, type ErrorCode } from '../domain/errors.ts';
import { errorExample, exampleOf } from './openapi-examples.ts';
import { API_PREFIX, type Route } from './route.ts';
import { routes } from './routes/all.ts';
import { ErrorBody } from './schemas/errors.ts';

type Json = Record<string, unknown>;
interface Components {
  closed: boolean;
  schemas: Json;
}

/** What any route can answer, whatever it does. */
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
const ERRORS = Object.keys(STATUS_OF) as ErrorCode[];
const WHEN_IDEMPOTENT: readonly ErrorCode[] = ['idempotency_in_progress', 'idempotency_key_reused'];

/**
 * The contract as OpenAPI 3.1, made from the routes and the schemas that judge requests: it cannot say anything else.
 * Answers may grow, so it allows fields and values of enumerations that it does not name; `closed` forbids them, for
 * tests that look for slips.
 */
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
      version: 'v1',
      description: 'Within v1 changes are additive only: ignore fields and enumeration values that you do not know.',
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: sorted(components.schemas),
      headers: { ...HEADERS, ...RETRY_AFTER, ...REPLAYED, ETag: POLLED['ETag'] },
      examples: Object.fromEntries(ERRORS.map((code) => [code, { value: errorExample(code) }])),
      securitySchemes: SECURITY,
    },
  };
}

const SECURITY = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: sk_test_… or sk_live_….' },
  widgetToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token of POST /v1/tokens.' },
};

function operation(route: Route, components: Components): Json {
  const body = schemaOf(route.body, 'input', components);
  const takesBody = Object.keys((body['properties'] as Json | undefined) ?? {}).length > 0;
  return {
    operationId: operationId(route),
    summary: route.summary,
    description: descriptionOf(route),
    tags: [route.path.split('/')[1]],
    security: [{ apiKey: [] }, ...(route.widget ? [{ widgetToken: [] }] : [])],
    parameters: [
      ...parameters(route.params, 'path', components),
      ...parameters(route.query, 'query', components),
      ...(route.idempotent ? [IDEMPOTENCY_KEY] : []),
      ...(route.polled ? [IF_NONE_MATCH] : []),
      REQUEST_ID,
    ],
    ...(takesBody
      ? {
          requestBody: {
            required: !route.body.safeParse(undefined).success,
            content: json(body, exampleOf(body, components.schemas)),
          },
        }
      : {}),
    responses: responses(route, components),
  };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Repeats of a request with the same key and body within 24 hours get the first answer again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of the answer that you have: as long as it is still the answer, 304 comes in its place.',
  schema: { type: 'string' },
};

const REQUEST_ID = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description:
    'Your own id for this request, for its answer and our log; one is made where it is missing or malformed.',
  schema: { type: 'string', pattern: '^[\\w-]{1,128}$' },
};

const header = (description: string, type = 'string') => ({ description, schema: { type } });

/** What answers carry beside their body. */
const HEADERS: Json = {
  'X-Request-Id': header('The id of this request, yours or ours. Quote it when you ask us about the answer.'),
  'RateLimit-Policy': header(
    'The limit that was counted: its name, how many requests (q) within how many seconds (w).',
  ),
  RateLimit: header('Where you stand in that limit: requests left (r), and seconds until all are back (t).'),
};
const RETRY_AFTER: Json = { 'Retry-After': header('Seconds after which trying again makes sense.', 'integer') };
const POLLED: Json = {
  ETag: header('Names what the answer says; send it back in If-None-Match.'),
  'Retry-After': header('Seconds after which asking again makes sense.', 'integer'),
};
const REPLAYED: Json = {
  'Idempotent-Replayed': header('`true` where this is the answer that the first request with the key was given.'),
};
const referTo = (kind: string, names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/${kind}/${name}` }]));
const WITH_RETRY_AFTER: ReadonlySet<number> = new Set([409, 429, 503]);

const operationId = ({ method, path }: Route): string =>
  [method, ...path.split(/[/:]/).map((part) => part.replace(/^\{(\w+)\}$/, 'by_$1'))].filter(Boolean).join('_');

function descriptionOf({ needs, widget, testOnly }: Route): string {
  const scope = needs.length === 0 ? 'Any valid key.' : `Needs the scope ${needs.join(' or ')}.`;
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
    schema: inner,
  }));
}

function responses(route: Route, components: Components): Json {
  const codes = [...EVERYWHERE, ...route.errors, ...(route.idempotent ? WHEN_IDEMPOTENT : [])];
  const answers: Json = {};
  for (const [status, schema] of Object.entries(route.replies))
    answers[status] = {
      description: route.summary,
      headers: headersOf({ ...(route.idempotent ? REPLAYED : {}), ...(route.polled ? POLLED : {}) }),
      ...(status === '204' ? {} : { content: answerOf(schemaOf(schema, 'output', components), components) }),
    };
  if (route.polled)
    answers['304'] = { description: 'Nothing has changed since that ETag.', headers: headersOf(POLLED) };
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

const answerOf = (schema: Json, { schemas }: Components): Json => json(schema, exampleOf(schema, schemas));

const headersOf = (more: Json): Json => referTo('headers', Object.keys({ ...HEADERS, ...more }));

const json = (schema: Json, example: unknown): Json => ({ 'application/json': { schema, example } });

/** One schema as JSON Schema; those with an id move to the components and are referred to. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: Components): Json {
  const made = z.toJSONSchema(schema, {
    io,
    override: ({ zodSchema, jsonSchema }) => {
      const override = z.globalRegistry.get(zodSchema)?.['override'];
      if (typeof override === 'object' && override !== null) {
        for (const key of Object.keys(jsonSchema)) if (key !== 'description') Reflect.deleteProperty(jsonSchema, key);
        Object.assign(jsonSchema, override);
      }
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

/** Clients that were made from this document must not break on a field or a value that comes later. */
function leaveOpen(schema: z.core.JSONSchema.BaseSchema): void {
  delete schema.additionalProperties;
  if (schema.enum === undefined || schema.type !== 'string') return;
  const values = schema.enum;
  delete schema.enum;
  Object.assign(schema, {
    description: [schema.description, `One of ${values.join(', ')}; new values may be added.`]
      .filter(Boolean)
      .join(' '),
    'x-known-values': values,
  });
}

const sorted = (record: Json): Json => Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
