import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { openApiDocument } from '../../src/api/openapi.ts';
import { routes } from '../../src/api/routes/all.ts';
import { startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { send } from '../support/http.ts';

const ROOT = join(import.meta.dirname, '..', '..');

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

test('the committed document and client match the routes', async () => {
  const child = spawn(process.execPath, [join(ROOT, 'tools/openapi.ts'), '--check'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });

  const [output, exit] = await Promise.all([text(child.stdout), once(child, 'exit')]);

  expect({ output, exit }).toEqual({ output: '', exit: [0, null] });
});

test('the document is served and lists every route once', async () => {
  const { status, headers, body } = await send('GET', `${api.baseUrl}/openapi.json`);

  const { paths } = body as { paths: Record<string, object> };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} ${path}`),
  );
  expect(status).toBe(200);
  expect(headers.get('content-type')).toContain('application/json');
  expect(operations.toSorted()).toEqual(routes.map(({ method, path }) => `${method} /v1${path}`).toSorted());
});

test('pages of any origin may load the document, but no other answers', async () => {
  const policyOf = async (path: string) =>
    (await send('GET', api.baseUrl + path)).headers.get('cross-origin-resource-policy');

  expect(await policyOf('/openapi.json')).toBe('cross-origin');
  for (const path of ['/docs', '/docs/api.md', '/v1/connections', '/healthz'])
    expect([path, await policyOf(path)]).toEqual([path, 'same-origin']);
});

interface Media {
  schema: object;
  example?: unknown;
  examples?: Record<string, { $ref: string }>;
}
interface Operation {
  parameters: { name: string }[];
  requestBody?: { content: { 'application/json': Media } };
  responses: Record<string, { headers: Record<string, { $ref: string }>; content?: { 'application/json': Media } }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; headers: object; examples: Record<string, { value: unknown }> };
}
const operationsOf = ({ paths }: Document): [string, Operation][] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );

test('every request and every answer has an example that its schema allows', () => {
  const document = openApiDocument({ closed: true }) as unknown as Document;
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addSchema({ $id: 'doc', components: document.components });
  const judge = ({ schema, example }: Media, where: string) => {
    const text = JSON.stringify(schema).replaceAll('"#/components', '"doc#/components');
    const check = ajv.compile(JSON.parse(text) as object);
    expect([where, example !== undefined && check(example), check.errors]).toEqual([where, true, null]);
  };
  for (const [name, { requestBody, responses }] of operationsOf(document)) {
    if (requestBody) judge(requestBody.content['application/json'], name);
    for (const [status, { content }] of Object.entries(responses)) {
      const media = content?.['application/json'];
      if (media === undefined) continue;
      const examples = Object.keys(media.examples ?? {}).map((code) => document.components.examples[code]?.value);
      for (const example of media.examples ? examples : [media.example])
        judge({ ...media, example }, `${name} ${status}`);
    }
  }
});

test('every answer documents its headers, and retryable answers have Retry-After', () => {
  const document = openApiDocument() as unknown as Document;
  for (const [name, { responses, parameters }] of operationsOf(document)) {
    expect(parameters.map((parameter) => parameter.name)).toContain('X-Request-Id');
    for (const [status, { headers }] of Object.entries(responses)) {
      const names = Object.keys(headers);
      expect([name, names]).toEqual([name, expect.arrayContaining(['X-Request-Id', 'RateLimit', 'RateLimit-Policy'])]);
      expect([name, status, names.includes('Retry-After')]).toEqual([
        name,
        status,
        ['409', '429', '503', ...(names.includes('ETag') ? ['200', '304'] : [])].includes(status),
      ]);
      for (const header of names) expect(document.components.headers).toHaveProperty(header);
    }
  }
});

test('enumerations are closed in requests and open in answers, so that new values do not break clients', () => {
  const { paths, components } = openApiDocument() as unknown as Document;
  const answers = JSON.stringify([
    Object.values(paths).flatMap((item) => Object.values(item).map(({ responses }) => responses)),
    Object.entries(components.schemas).filter(([name]) => name !== 'TemplateRecord'),
  ]);
  const requests = JSON.stringify(
    Object.values(paths).flatMap((item) =>
      Object.values(item).map(({ requestBody, parameters }) => [requestBody, parameters]),
    ),
  );

  expect(answers).not.toContain('"enum":');
  expect(answers).toContain('"x-known-values":["created","pending_ownership"');
  expect(requests).toContain('"enum":');
  expect(requests).not.toContain('x-known-values');
  expect(JSON.stringify(components.schemas['TemplateRecord'])).toContain('"enum":');
});
