import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { routes } from '../../src/api/routes/all.ts';
import { descriptors } from '../../src/providers/registry.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { send } from '../support/http.ts';

const ROOT = join(import.meta.dirname, '..', '..');

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

test('the instructions of every provider are where domains:check says', async () => {
  const pages = await Promise.all(
    descriptors().map(({ slug }) => send('GET', `${api.baseUrl}/docs/providers/${slug}`)),
  );

  for (const { status, headers, text: page } of pages) {
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(page).toMatch(/^# /);
  }
});

test('the committed document and the client made from it are what the routes say', async () => {
  const child = spawn(process.execPath, [join(ROOT, 'tools/openapi.ts'), '--check'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });

  const [said, exit] = await Promise.all([text(child.stdout), once(child, 'exit')]);

  expect({ said, exit }).toEqual({ said: '', exit: [0, null] });
});

test('the document is served, and names every route once', async () => {
  const { status, headers, body } = await send('GET', `${api.baseUrl}/openapi.json`);

  const { paths } = body as { paths: Record<string, object> };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} ${path}`),
  );
  expect(status).toBe(200);
  expect(headers.get('content-type')).toContain('application/json');
  expect(operations.toSorted()).toEqual(routes.map(({ method, path }) => `${method} /v1${path}`).toSorted());
});

test('the page for people loads everything from here and nothing from anywhere else', async () => {
  const page = await send('GET', `${api.baseUrl}/docs`);

  const assets = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
  expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self';/);
  expect(assets.length).toBeGreaterThan(2);
  for (const asset of assets) {
    expect(asset).toMatch(/^\//);
    expect([asset, (await send('GET', api.baseUrl + asset)).status]).toEqual([asset, 200]);
  }
});
