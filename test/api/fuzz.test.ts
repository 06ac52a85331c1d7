import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { request as httpRequest, Agent } from 'node:http';
import { openApiDocument } from '../../src/api/openapi.ts';
import { mintWidgetToken } from '../../src/api/widget-token.ts';
import { findKey } from '../../src/db/tenant/keys.ts';
import { someName, startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { tries, withSeed } from '../support/tries.ts';
import { arbitraryOf, poison, poisoned, type Hints, type JsonSchema } from './schema-arbitrary.ts';

/** Number of valid and broken requests generated from the document. Every answer must match the document too. */
const REQUESTS = tries(10_000, 4_000);
const CONCURRENCY = 16;

interface Operation {
  parameters: { name: string; in: string; required: boolean; schema: JsonSchema }[];
  requestBody?: { content: { 'application/json': { schema: JsonSchema } } };
  /** `content` is absent if the answer has no body. */
  responses: Record<string, { content?: { 'application/json': { schema: JsonSchema } } }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> };
}
const document = openApiDocument({ closed: true }) as unknown as Document;
const resolve = (ref: string) => document.components.schemas[ref.split('/').at(-1)!]!;
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(document, 'api');

interface Shot {
  method: string;
  template: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

let api: TestApi;
let hints: Hints;
let credentials: fc.Arbitrary<string>;
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
beforeAll(async () => {
  // There is no Temporal here, so each verify would wait until its deadline.
  api = await startTestApi({
    limits: { anonymous: null, key: null, tenant: null, widget: null, verify: { perSecond: 0.01, burst: 1 } },
  });
  const tenant = await api.tenant();
  const ids: string[] = [tenant.live.application_id, tenant.test.application_id];
  for (const { application_id, key } of [tenant.live, tenant.test]) {
    const made = await api.client(key).POST('/v1/connections', { body: { application_id, hostname: someName() } });
    ids.push(made.data!.id);
  }
  hints = {
    name: fc.constantFrom('Shop', 'Käsekuchen'),
    id: fc.constantFrom(...ids),
    application_id: fc.constantFrom(...ids),
    hostname: fc.constantFrom('shop.fuzz-site.com', 'a.auto.test', 'fuzz-site.com', 'bücher.fuzz-site.com'),
    domain: fc.constantFrom('shop.fuzz-site.com', 'a.auto.test'),
    host: fc.constantFrom('@', 'www', '_dmarc', 'a.auto.test', '{subdomain}'),
    value: fc.constantFrom('{cname_target}', '192.0.2.1', 'target.fuzz-site.com', '0 issue "ca.test"'),
    allowed_origins: fc.constantFrom('https://app.fuzz-site.com', 'http://localhost:3000'),
    origin_url: fc.constantFrom('https://origin.fuzz-site.com', 'http://10.0.0.1'),
  };
  const grant = {
    tenantId: tenant.tenant_id,
    applicationId: tenant.live.application_id,
    environment: 'live' as const,
    hostname: null,
    externalId: null,
    mintedBy: (await findKey(api.deps.pool, tenant.live.key))!.id,
  };
  const { token } = await mintWidgetToken(api.deps.keys.widgetTokens, api.baseUrl, grant, new Date());
  credentials = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(tenant.live.key, tenant.test.key) },
    { weight: 2, arbitrary: fc.constant(token) },
    { weight: 1, arbitrary: fc.stringMatching(/^[!-~]{1,80}$/) },
  );
});
afterAll(async () => {
  agent.destroy();
  await api.stop();
});

function shotsAt(method: string, template: string, operation: Operation): fc.Arbitrary<Shot> {
  const sane = (schema: JsonSchema, name: string) => arbitraryOf(schema, resolve, hints, name);
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query');
  const text = (value: unknown) =>
    encodeURIComponent(wellFormed(typeof value === 'string' ? value : JSON.stringify(value)));
  const either = (value: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: poison });
  const path = fc
    .tuple(...inPath.map(({ schema, name }) => either(sane(schema, name))))
    .map((values) =>
      values.reduce<string>(
        (filled, value, index) => filled.replace(`{${inPath[index]!.name}}`, text(value) || 'x'),
        template,
      ),
    );
  const query = fc
    .record(Object.fromEntries(inQuery.map(({ schema, name }) => [name, either(sane(schema, name))])), {
      requiredKeys: [],
    })
    .map((values) =>
      Object.entries(values)
        .map(([name, value]) => `${name}=${text(value)}`)
        .join('&'),
    );
  const schema = operation.requestBody?.content['application/json'].schema;
  const json = schema === undefined ? fc.constant(undefined) : sane(schema, '');
  const body = fc.oneof(
    { weight: 4, arbitrary: json.map((value) => JSON.stringify(value)) },
    { weight: 4, arbitrary: poisoned(json).map((value) => JSON.stringify(value)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '{',
        '[',
        'null',
        '"',
        '[[[[[[',
        '{"a":1e400}',
        '['.repeat(40_000),
        `${'{"a":'.repeat(9_000)}1`,
        '{"__proto__":{"x":1}}',
        '',
      ),
    },
  );
  const headers = fc.record(
    {
      authorization: credentials.map((credential) => `Bearer ${credential}`),
      'idempotency-key': fc.stringMatching(/^[ -~]{0,300}$/).map((key) => key.trim()),
      'x-request-id': fc.stringMatching(/^[!-~]{1,200}$/),
      'content-type': fc.constantFrom(
        'application/json',
        'application/json',
        'application/json',
        'text/plain',
        'application/json; charset=latin1',
      ),
      origin: fc.constantFrom('https://app.fuzz-site.com', 'null', 'x'),
    },
    { requiredKeys: ['authorization', 'content-type'] },
  );
  return fc
    .tuple(path, inQuery.length === 0 ? fc.constant('') : query, body, headers)
    .map(([filled, search, sent, given]) => ({
      method,
      template,
      path: search === '' ? filled : `${filled}?${search}`,
      headers: given,
      body: sent,
    }));
}

const wellFormed = (value: string | undefined): string => (value ?? '').toWellFormed();

/** Uses node:http, because fetch would fix some of the broken requests. */
function fire({
  method,
  path,
  headers,
  body,
}: Shot): Promise<{ status: number; text: string; headers: Record<string, unknown> }> {
  const bytes = body === undefined || body === '' ? undefined : Buffer.from(body);
  const sent =
    bytes === undefined
      ? Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'content-type'))
      : { ...headers, 'content-length': bytes.length };
  return new Promise((done, failed) => {
    const { hostname, port } = new URL(api.baseUrl);
    const request = httpRequest(
      { hostname, port, path, method: method.toUpperCase(), headers: sent, agent },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          done({ status: response.statusCode!, text: Buffer.concat(parts).toString(), headers: response.headers }),
        );
      },
    );
    request.on('error', failed);
    request.end(bytes);
  });
}

/** Returns what is wrong with an answer, or undefined. */
function faultOf(
  { method, template }: Shot,
  { status, text, headers }: Awaited<ReturnType<typeof fire>>,
): string | undefined {
  if (status === 500) return `500 ${text}`;
  if (headers['x-request-id'] === undefined) return 'no X-Request-Id';
  const pointer = [template, method, 'responses', String(status)]
    .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
    .join('/');
  const documented = document.paths[template]![method]!.responses[String(status)];
  if (documented && documented.content === undefined) return text === '' ? undefined : `${status} has a body: ${text}`;
  const check = documented && ajv.getSchema(`api#/paths/${pointer}/content/application~1json/schema`);
  if (!check) return `${status} is not documented: ${text}`;
  if (check(JSON.parse(text)) !== true)
    return `${status} breaks its schema: ${ajv.errorsText(check.errors)} in ${text}`;
  return /node_modules|\.ts:\d|SELECT |postgres:/.test(text) ? `leaks internals: ${text}` : undefined;
}

test(
  `${REQUESTS} requests made from the document get no 500 and no answer that is not in it`,
  () => withSeed(fireAll),
  180_000,
);

async function fireAll(seed: number): Promise<void> {
  const operations = Object.entries(document.paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, operation]) => shotsAt(method, template, operation)),
  );
  const shots = fc.sample(fc.oneof(...operations), { numRuns: REQUESTS, seed });
  const faults: string[] = [];
  const statuses = new Map<number, number>();

  const worker = async () => {
    for (let shot = shots.pop(); shot !== undefined; shot = shots.pop()) {
      const answer = await fire(shot);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const fault = faultOf(shot, answer);
      if (fault !== undefined) faults.push(`${JSON.stringify(shot).slice(0, 600)}\n  ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));

  expect(faults.slice(0, 5)).toEqual([]);
  expect([...statuses.values()].reduce((a, b) => a + b)).toBe(REQUESTS);
  // The test is useful only if some requests pass authentication and validation.
  expect([200, 201, 400, 403, 404].filter((status) => !statuses.has(status))).toEqual([]);
}
