import { untilEveryCopyKnows } from '../../src/edge/barrier.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { startApiProcess, type HalfProcess } from '../support/fixtures/half-process.ts';
import { startControlPlane, type ControlPlane } from '../support/fixtures/control-plane.ts';
import { until } from '../support/until.ts';

let plane: ControlPlane;
let api: HalfProcess;
let internalPort: number;

beforeAll(async () => {
  plane = await startControlPlane();
  internalPort = await freePort();
  api = await startApiProcess(plane.databaseUrl, {
    INTERNAL_PORT: String(internalPort),
    ORIGIN_ALLOW_PRIVATE: '127.0.0.0/8,::1',
  });
});
afterAll(async () => {
  await api.stop();
  await plane.stop();
});

const statusOf = async (port: number, path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;

test('the edge’s requests are answered only on the internal listener, if there is one', async () => {
  const name = `n${crypto.randomUUID().slice(0, 8)}.example-shop.com`;
  const id = await plane.connect(name);
  await untilEveryCopyKnows(plane.pool, { connectionId: id });
  await until(async () => (await statusOf(internalPort, `/internal/ask?domain=${name}`)) === 200);
  for (const path of [`/internal/ask?domain=${name}`, `/internal/route?host=${name}`, '/metrics'])
    expect(await statusOf(api.port, path)).toBe(404);
  expect(await statusOf(internalPort, '/metrics')).toBe(200);
});

test('the edge’s requests are counted by answer, and reading the metric does not change it', async () => {
  const malformed = async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text();
    return Number(/^edge_ask_total\{answer="malformed"\} (\d+)/m.exec(metrics)?.[1] ?? 0);
  };
  const before = await malformed();
  for (let i = 0; i < 3; i++) expect(await statusOf(internalPort, '/internal/ask?domain=no_host')).toBe(400);
  expect(await malformed()).toBe(before + 3);
  expect(await malformed()).toBe(before + 3);
});

test('when PATCH of an application has returned, its pages show its new name', async () => {
  const name = `n${crypto.randomUUID().slice(0, 8)}.example-shop.com`;
  await plane.connect(name, 'verified');
  const { application_id, key } = plane.tenant.test;
  for (const display_name of ['Acme Shops', 'Acme <b>', null]) {
    const patched = await fetch(`http://127.0.0.1:${api.port}/v1/applications/${application_id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ display_name }),
    });
    expect(await patched.json()).toMatchObject({ display_name });
    const page = await (await fetch(`http://127.0.0.1:${internalPort}/internal/route?host=${name}`)).text();
    expect(/<b><bdi>(.*)<\/bdi><\/b>/.exec(page)?.[1] ?? null).toBe(display_name?.replace('<b>', '&lt;b&gt;') ?? null);
  }
});

test('when PATCH of an application has returned, requests go to its new origin', async () => {
  const name = `n${crypto.randomUUID().slice(0, 8)}.example-shop.com`;
  await plane.connect(name);
  const { application_id, key } = plane.tenant.test;
  for (const port of [9_001, 9_002, 9_003]) {
    const patched = await fetch(`http://127.0.0.1:${api.port}/v1/applications/${application_id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ origin_url: `http://127.0.0.1:${port}` }),
    });
    expect(patched.status).toBe(200);
    for (const at of [internalPort, plane.port]) {
      const route = await fetch(`http://127.0.0.1:${at}/internal/route?host=${name}`);
      expect(route.headers.get('x-origin-dial')).toBe(`127.0.0.1:${port}`);
    }
  }
});
