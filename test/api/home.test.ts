import { startTestApi, type TestApi } from '../support/fixtures/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const BROWSERS_ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

test('a browser at / gets a page that loads no script and whose links work', async () => {
  const response = await fetch(`${api.baseUrl}/`, { headers: { accept: BROWSERS_ACCEPT } });
  const page = await response.text();

  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  expect(response.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; base/,
  );
  expect(page).not.toContain('<script');
  const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, path = '']) => path);
  expect(links).toContain('/docs');
  expect(links).not.toContain('/demo'); // this service has none
  for (const path of links) expect((await fetch(api.baseUrl + path)).status).toBeLessThan(500);
  for (const path of links) expect((await fetch(api.baseUrl + path)).status).not.toBe(404);
});

test.each(['*/*', 'application/json'])('a program that accepts %s gets the links as JSON', async (accept) => {
  const response = await fetch(`${api.baseUrl}/`, { headers: { accept } });

  expect(response.headers.get('vary')).toContain('Accept');
  expect(await response.json()).toMatchObject({
    api: `${api.baseUrl}/v1`,
    docs: `${api.baseUrl}/docs`,
    openapi: `${api.baseUrl}/openapi.json`,
    health: `${api.baseUrl}/healthz`,
  });
});
