import { z } from 'zod';
import { STATUS_OF, type ErrorCode } from '../domain/errors.ts';
import { API_PREFIX } from './prefix.ts';
import type { Route } from './route.ts';
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
const WHEN_IDEMPOTENT: readonly ErrorCode[] = ['idempotency_in_progress', 'idempotency_key_reused'];

/**
 * The contract as OpenAPI 3.1, made from the routes and the schemas that judge requests: it cannot say anything else.
 * Answers may grow, so it allows fields that it does not name; `closed` forbids them, for tests that look for slips.
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
    components: { schemas: sorted(components.schemas), securitySchemes: SECURITY },
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
    ],
    ...(takesBody ? { requestBody: { required: true, content: { 'application/json': { schema: body } } } } : {}),
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
      ...(status === '204' ? {} : { content: json(schemaOf(schema, 'output', components)) }),
    };
  const error = json(schemaOf(ErrorBody, 'output', components));
  for (const status of [...new Set(codes.map((code) => STATUS_OF[code]))].sort((a, b) => a - b))
    answers[String(status)] = {
      description: codes.filter((code) => STATUS_OF[code] === status).join(', '),
      content: error,
    };
  return answers;
}

const json = (schema: Json): Json => ({ 'application/json': { schema } });

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
      if (io === 'output' && !components.closed) delete jsonSchema.additionalProperties;
      delete jsonSchema.id;
    },
  });
  const text = JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $defs, ...rest } = JSON.parse(text) as Json;
  Object.assign(components.schemas, $defs);
  delete rest['$schema'];
  return rest;
}

const sorted = (record: Json): Json => Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
