import { openApiDocument } from '../../src/api/openapi.ts';
import { API_VERSION } from '../../src/api/route.ts';

interface Answer {
  description: string;
  headers?: unknown;
  content?: Record<string, { schema: unknown; example?: unknown; examples?: unknown }>;
}
interface Operation {
  parameters: { name: string }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, Answer>;
}
interface Document {
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, unknown>;
}

/**
 * Returns the OpenAPI document for the generators of clients. All errors have one schema, so each operation has a single
 * `default` answer instead of a dozen, which makes the generated code a third as long. Examples, headers of answers and
 * X-Request-Id, which a client sets for all of its requests, are left out.
 */
export function clientDocument(): Document {
  const { info, paths, components, ...rest } = openApiDocument() as unknown as Document;
  return {
    ...rest,
    // A new release alone does not change the generated code.
    info: { title: info.title, version: API_VERSION },
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [
        path,
        Object.fromEntries(Object.entries(item).map(([method, one]) => [method, simplified(one)])),
      ]),
    ),
    components: { schemas: components['schemas'], securitySchemes: components['securitySchemes'] },
  };
}

function simplified({ requestBody, responses, parameters, ...rest }: Operation): Operation {
  const answers = Object.entries(responses);
  const isError = ([status]: [string, Answer]) => Number(status) >= 400;
  const [, error] = answers.find(isError) ?? [];
  if (error === undefined) throw new Error('An operation documents no errors.');
  return {
    ...rest,
    parameters: parameters.filter(({ name }) => name !== 'X-Request-Id'),
    ...(requestBody && { requestBody: { ...requestBody, content: withoutExamples(requestBody.content) } }),
    responses: {
      ...Object.fromEntries(
        answers.filter((answer) => !isError(answer)).map(([status, answer]) => [status, plain(answer)]),
      ),
      default: plain({ ...error, description: 'The request failed.' }),
    },
  };
}

const plain = ({ description, content }: Answer): Answer => ({
  description,
  ...(content && { content: withoutExamples(content) }),
});

const withoutExamples = <T extends { example?: unknown; examples?: unknown }>(content: Record<string, T>) =>
  Object.fromEntries(
    Object.entries(content).map(([type, { example: _example, examples: _examples, ...media }]) => [type, media]),
  ) as Record<string, T>;
