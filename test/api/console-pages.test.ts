import express from 'express';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { consolePages } from '../../src/api/console-pages.ts';
import { prepareFile } from '../../src/sdk/files.ts';

const built = (name: string, body: string) => prepareFile({ name, body: Buffer.from(body) });
const FILES = [built('console-AAAAAAAA.js', 'script'), built('console-BBBBBBBB.css', 'style'), built('domains-CCCCCCCC.js', 'screen')]; // prettier-ignore

let server: Server;
let origin: string;
beforeAll(async () => {
  const app = express();
  const findEarlier = (name: string) =>
    Promise.resolve(name === 'domains-DDDDDDDD.js' ? built(name, 'earlier screen') : null);
  app.use(consolePages({ files: FILES, hasDemo: true, hasOidc: false, isInsecure: true, findEarlier }));
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const get = (path: string) => fetch(origin + path);

test.each(['/console', '/console/', '/console/domains', '/console/domains/0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f'])(
  '%s is the one document of the console, which no cache keeps and no page can frame',
  async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const policy = answer.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    const page = await answer.text();
    expect(page).toContain('<body data-demo data-insecure>');
    expect(page).toContain('src="/console/assets/console-AAAAAAAA.js"');
    expect(page).not.toMatch(/<style|style=|<script>|onload=/);
  },
);

test.each(['/console/api/v1/x', '/console/api', '/console/oidc/start', '/console/assets/x.js', '/console/robots.txt'])(
  '%s is not a screen',
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);

test('files are cached for ever and compressed, and an open page still finds those of an earlier release', async () => {
  const script = await fetch(`${origin}/console/assets/domains-CCCCCCCC.js`, { headers: { 'accept-encoding': 'br' } });
  expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(script.headers.get('content-encoding')).toBe('br');
  expect(await script.text()).toBe('screen');
  expect((await get('/console/assets/console-BBBBBBBB.css')).headers.get('content-type')).toBe(
    'text/css; charset=utf-8',
  );
  expect(await (await get('/console/assets/domains-DDDDDDDD.js')).text()).toBe('earlier screen');
});
