import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { ATTRIBUTES, SPANS } from '../../src/telemetry/attributes.ts';
import { OtlpReceiver, type ReceivedSpan } from '../support/doubles/otlp-receiver.ts';
import { createTestDatabase } from '../support/fixtures/database.ts';
import { startApiProcess } from '../support/fixtures/half-process.ts';
import { startProviderLab, type ProviderLab } from '../support/fixtures/provider-lab.ts';
import { Service } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** Checks docs/traces.md. The caller's span, which a create continues: */
const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

describe('a connection whose records the service writes', () => {
  let lab: ProviderLab;
  let receiver: OtlpReceiver;
  let service: Service;
  let id: string;

  beforeAll(async () => {
    [lab, receiver] = await Promise.all([startProviderLab(['vultr'], []), OtlpReceiver.start()]);
    service = await Service.start(await tempFolder(), {
      ...lab.env,
      LOG_LEVEL: 'debug',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=abc',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=lab',
      OTEL_BSP_SCHEDULE_DELAY: '200',
    });
    const { test: application } = await service.demo();
    const [{ zone, double }] = lab.customers as [(typeof lab.customers)[0]];
    await service.call('POST', `/applications/${application.application_id}/credentials`, {
      provider: 'vultr',
      credentials: double.credential,
    });
    const created = await fetch(`${(await service.demo()).base_url}/v1/connections`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${application.key}`,
        'content-type': 'application/json',
        traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01`,
      },
      body: JSON.stringify({ application_id: application.application_id, hostname: `shop.${zone}` }),
    });
    ({ id } = (await created.json()) as { id: string });
    await (await service.user()).untilLive(id, 60_000);
    await until(() => first().some(({ name }) => name === 'workflow connection'), 30_000);
    await until(() => first().filter(({ name }) => name === 'webhook').length >= 3, 30_000);
    await until(() => orphans().length === 0, 30_000);
  }, 180_000);

  afterAll(async () => {
    await service.stop();
    await Promise.all([lab.stop(), receiver.stop()]);
  });

  const first = () => receiver.spans.filter(({ traceId }) => traceId === CALLER.traceId);
  const withId = (spanId: string) => receiver.spans.find((span) => span.spanId === spanId);
  const orphans = () => first().filter(({ parentId }) => parentId !== CALLER.spanId && withId(parentId) === undefined);
  const above = (span: ReceivedSpan): string[] => {
    const parent = withId(span.parentId);
    return parent === undefined ? [] : [parent.name, ...above(parent)];
  };

  test('has one trace from the request to live, over outbox, workflow, activities, DNS, provider and webhooks', () => {
    const path = ['workflow connection', 'send connection start', 'POST /v1/connections'];
    const paths = first().map((span) => [span.name, ...above(span)]);
    expect(paths).toEqual(
      expect.arrayContaining([
        ['POST /v1/connections'],
        ['provider vultr POST', 'activity setUp', ...path],
        ['dns challenge', 'activity setUp', ...path],
        ['dns records', 'activity setUp', ...path],
        ['activity setUp', ...path],
      ]),
    );
    const webhooks = first().filter(({ name }) => name === 'webhook');
    for (const span of webhooks) expect(above(span).slice(-1)).toEqual(['POST /v1/connections']);
  });

  test('continues the trace of the caller', () => {
    expect(receiver.named('POST /v1/connections').map(({ parentId }) => parentId)).toContain(CALLER.spanId);
  });

  test('has no span without its parent', () => {
    expect(orphans().map(({ name }) => name)).toEqual([]);
  });

  test('has a trace of its own for each later step, linked to the first', async () => {
    await service.call('DELETE', `/connections/${id}`);
    await until(() => receiver.named('activity removeWhatWeWrote').length > 0, 60_000);
    const [archive] = receiver.named('DELETE /v1/connections/:id') as [ReceivedSpan];
    const [removal] = receiver.named('activity removeWhatWeWrote') as [ReceivedSpan];
    const drift = receiver.named('activity watch');
    expect(archive.traceId).not.toBe(CALLER.traceId);
    expect(removal.traceId).toBe(archive.traceId);
    for (const span of [removal, ...drift]) {
      expect(span.traceId).not.toBe(CALLER.traceId);
      expect(span.links).toContainEqual({ traceId: CALLER.traceId, spanId: expect.any(String) as string });
    }
    expect(drift.length).toBeGreaterThan(0);
  }, 90_000);

  test('shows only the listed attributes, and neither hostname nor tenant nor secret', async () => {
    const { tenant_id, test: application } = await service.demo();
    const names = new Set(receiver.spans.flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...names].filter((name) => !(name in ATTRIBUTES))).toEqual([]);
    const text = JSON.stringify(receiver.spans);
    for (const secret of ['customer.com', '_svc', tenant_id, application.key, '?', '127.0.0.1'])
      expect([secret, text.includes(secret)]).toEqual([secret, false]);
    const known = Object.values(SPANS).map(
      ({ name }) => new RegExp(`^${name.replaceAll(/\{[\w.]+\}/g, '[\\w/:.{}*-]+')}$`),
    );
    const other = receiver.spans.filter(({ name }) => !known.some((pattern) => pattern.test(name)));
    expect(other).toEqual([]);
  });

  test('has its trace id in the log next to the request id', () => {
    const lines = service.output.split('\n').filter((line) => line.includes('"msg":"request"'));
    const created = lines.find((line) => line.includes('"route":"/v1/connections"') && line.includes('"status":201'));
    expect(JSON.parse(created ?? '{}')).toMatchObject({
      trace_id: CALLER.traceId,
      request_id: expect.any(String) as string,
    });
    expect(lines.length).toBeGreaterThan(1);
    const ofWorker = service.output.split('\n').filter((line) => line.includes('"provider call"'));
    expect(ofWorker.some((line) => line.includes(CALLER.traceId))).toBe(true);
  });

  test('is sent with the headers and the resource that the standard variables name', () => {
    expect(receiver.requests.map(({ url }) => url)).toContain('/v1/traces');
    expect(receiver.requests[0]!.headers).toMatchObject({ 'x-collector-key': 'abc' });
    expect(receiver.spans[0]!.resource).toMatchObject({
      'service.name': 'domain-connection-service',
      'deployment.environment.name': 'lab',
    });
  });
});

describe('an API process', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const settings = { EDGE: 'off' };

  test('loads nothing of the SDK without a receiver, or if the SDK is disabled', async () => {
    const loaded = async (env: NodeJS.ProcessEnv) => {
      const options = { NODE_OPTIONS: `--import ${SHOW_LOADED}` };
      const api = await startApiProcess(database.url, { ...settings, ...options, ...env });
      await api.stop('SIGTERM');
      return /@opentelemetry.(sdk-trace|exporter)/.test(api.output());
    };
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    expect(await loaded({})).toBe(false);
    expect(await loaded({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toBe(false);
    expect(await loaded(endpoint)).toBe(true);
  }, 90_000);

  test('answers, and stops in time, while the receiver accepts connections and never answers', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const api = await startApiProcess(database.url, {
      ...settings,
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_BSP_SCHEDULE_DELAY: '100',
    });
    for (let i = 0; i < 3; i++) expect((await fetch(`http://127.0.0.1:${api.port}/v1/providers`)).status).toBe(401);
    await until(() => sockets.size > 0, 10_000);
    const began = performance.now();
    expect(await api.stop('SIGTERM')).toBe(0);
    // An export gives up after 10 s. The process must not wait for it.
    expect(performance.now() - began).toBeLessThan(9_000);
    for (const socket of sockets) socket.destroy();
    silent.close();
  }, 60_000);

  test('refuses to start with a protocol or sampler that it does not have', async () => {
    const start = (env: NodeJS.ProcessEnv) =>
      startApiProcess(database.url, { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', ...env });
    await expect(start({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).rejects.toThrow('must be http/protobuf');
  }, 60_000);
});

/** Prints the URL of every module that a process loads. */
const SHOW_LOADED = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module';
   registerHooks({ load: (url, context, next) => (process.stderr.write('loads ' + url + '\\n'), next(url, context)) });`,
)}`;
