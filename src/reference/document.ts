/** The parts of an OpenAPI 3.1 document that the page shows. */
export interface OpenApi {
  info: { title: string; version: string; description: string };
  tags: readonly { name: string; description: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  components: { schemas: Readonly<Record<string, Schema>> };
}

interface OpenApiOperation {
  operationId: string;
  summary: string;
  description: string;
  tags: readonly string[];
  parameters: readonly Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Readonly<Record<string, { description: string; content?: Content }>>;
}

type Content = Readonly<Record<'application/json', { schema: Schema; example?: unknown }>>;

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
}

export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  anyOf?: readonly Schema[];
  additionalProperties?: Schema | boolean;
  enum?: readonly unknown[];
  'x-known-values'?: readonly string[];
  const?: unknown;
  format?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  parameters: readonly Parameter[];
  body: { schema: Schema; example: Readonly<Record<string, unknown>> } | null;
  replies: readonly Reply[];
  errors: readonly { status: string; codes: readonly string[] }[];
}

export interface Reply {
  status: string;
  /** Absent if the answer has no body. */
  schema?: Schema | undefined;
  example?: unknown;
}

export interface Group {
  tag: string;
  title: string;
  description: string;
  operations: readonly Operation[];
}

/** The page describes this header once, because every request accepts it. */
const EVERYWHERE = 'X-Request-Id';

/** Returns the operations of a document, in its order, by their tag. */
export function groupsOf(document: OpenApi): Group[] {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, source]) => ({ tag: source.tags[0], ...operationOf(method, path, source) })),
  );
  return document.tags.map(({ name, description }) => ({
    tag: name,
    title: titleOf(name),
    description,
    operations: operations.filter(({ tag }) => tag === name),
  }));
}

function operationOf(method: string, path: string, source: OpenApiOperation): Operation {
  const body = source.requestBody?.content['application/json'];
  const answers = Object.entries(source.responses);
  return {
    id: source.operationId,
    method: method.toUpperCase(),
    path,
    summary: source.summary,
    description: source.description,
    parameters: source.parameters.filter(({ name }) => name !== EVERYWHERE),
    body: body ? { schema: body.schema, example: (body.example ?? {}) as Record<string, unknown> } : null,
    replies: answers
      .filter(([status]) => Number(status) < 400)
      .map(([status, { content }]) => ({ status, ...content?.['application/json'] })),
    errors: answers
      .filter(([status]) => Number(status) >= 400)
      .map(([status, { description }]) => ({ status, codes: description.split(', ') })),
  };
}

const titleOf = (tag: string): string => tag.charAt(0).toUpperCase() + tag.slice(1).replaceAll('-', ' ');

/** Returns the name of the component that a schema refers to. */
export const referredName = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1);

/** Returns the body of a first request: its required fields, or one field to change. Null if no body is needed. */
export function shortBody({ body, method }: Operation): Readonly<Record<string, unknown>> | null {
  if (body === null) return null;
  const fields = Object.entries(body.example);
  const needed =
    method === 'PATCH' ? fields.slice(0, 1) : fields.filter(([name]) => body.schema.required?.includes(name));
  return needed.length > 0 ? Object.fromEntries(needed) : null;
}
