import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { samplesOf } from '../../src/reference/samples.ts';
import { groupsOf, type OpenApi } from '../../src/reference/document.ts';
import { prepareFile } from '../../src/sdk/files.ts';
import { startTestApi, type TestApi } from '../support/fixtures/api.ts';

jest.setTimeout(60_000);

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const FILES = ['reference-AAAAAAAA.js', 'reference-BBBBBBBB.css'].map((name) =>
  prepareFile({ name, body: Buffer.from('') }),
);
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ referenceFiles: FILES, demoKey: 'sk_test_demo' });
});
afterAll(() => api.stop());

const get = (path: string) => fetch(api.baseUrl + path);

test('/docs is readable without script, and its policy allows neither inline code nor eval', async () => {
  const answer = await get('/docs');
  const policy = answer.headers.get('content-security-policy')!;
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
  expect(policy).not.toContain('unsafe');
  // The page names files of its release, so no cache may keep it.
  expect(answer.headers.get('cache-control')).toBe('no-cache');
  const page = await answer.text();
  expect(page).toContain('<article class="operation" id="post_connections"');
  expect(page).toContain(`curl</span> <span class="k">-X</span> POST ${api.baseUrl}/v1/connections`);
  expect(page).not.toMatch(/<style|\sstyle=|<script>|\son\w+=/);
  expect(page).toContain('<body data-key="sk_test_demo">');
  for (const [, path = ''] of page.matchAll(/(?:src|href)="(\/[^"]*)"/g)) expect((await get(path)).status).toBe(200);
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const broken = [...page.matchAll(/href="#([^"]+)"/g)].filter(([, id]) => !ids.has(id));
  expect(broken).toEqual([]);
});

test('every document is served as Markdown, is in /llms.txt, and has links that work', async () => {
  const pages = globSync('docs/**/*.md', { cwd: ROOT }).filter((name) => name !== 'docs/README.md');
  const list = await (await get('/llms.txt')).text();
  expect(pages.filter((name) => !list.includes(`(${api.baseUrl}/${name})`))).toEqual([]);
  /** Files of the repository that the service does not have. */
  const sources = /\/(\.env\.example|src\/.*|LICENSE|docker-compose\.yml)$/;
  const targets = new Set([`${api.baseUrl}/docs/README.md`]);
  for (const name of pages) {
    const answer = await get(`/${name}`);
    expect([name, answer.status, answer.headers.get('content-type')]).toEqual([name, 200, 'text/markdown; charset=utf-8']); // prettier-ignore
    for (const [, link = ''] of (await answer.text()).matchAll(/\]\((?!\w+:|#)([^)#]+)/g))
      targets.add(new URL(link, `${api.baseUrl}/${name}`).href);
  }
  const checked = [...targets].filter((target) => !sources.test(target));
  const statuses = await Promise.all(checked.map(async (target) => [target, (await fetch(target)).status] as const));
  expect(statuses.filter(([, status]) => status !== 200)).toEqual([]);
});

test.each([
  '/docs/../package.json',
  '/docs/%2e%2e/package.json',
  '/docs/..%2fpackage.json',
  '/docs/x.md',
  '/package.json',
])('%s is no document', async (path) => {
  // fetch would normalize the path.
  const { port } = new URL(api.baseUrl);
  const status = await new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path }, (answer) => {
      text(answer).then(() => resolve(answer.statusCode), reject);
    })
      .on('error', reject)
      .end();
  });
  expect(status).toBe(404);
});

test('the samples of a creation work as they are shown', async () => {
  const { test: key } = await api.tenant();
  const document = (await (await get('/openapi.json')).json()) as OpenApi;
  const operation = groupsOf(document)
    .flatMap(({ operations }) => operations)
    .find(({ id }) => id === 'post_applications')!;
  const samples = samplesOf(operation, api.baseUrl);
  const env = { ...process.env, KEY: key.key };
  const results = await Promise.all([
    run('sh', ['-c', samples.curl], { env }),
    run('python3', ['-c', samples.python], { env }),
  ]);
  for (const { stdout } of results) expect(stdout).toMatch(/['"]name['"]: ?['"]Shop['"]/);
});
