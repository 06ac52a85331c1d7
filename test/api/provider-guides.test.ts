import { parseGuide } from '../../src/domain/guide.ts';
import { descriptors } from '../../src/providers/registry.ts';
import { startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { send } from '../support/http.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const SLUGS = descriptors().map(({ slug }) => slug);
const guide = (path: string) => send('GET', `${api.baseUrl}/docs/providers/${path}`);

test('the instructions of every provider are a page for people at the URL that domains:check returns', async () => {
  for (const slug of SLUGS) {
    const { status, headers, text } = await guide(slug);
    expect([slug, status, headers.get('content-type')]).toEqual([slug, 200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'self'");
    expect(text).toMatch(/<h1>Add the records /);
    // No Markdown is left, and nothing of it became markup by accident.
    expect(text).not.toMatch(/\*\*|`|^\d+\. |^#/m);
    expect(text).not.toMatch(/<script|style=|onclick/i);
  }
});

test('a customer’s page does not ask for an API token, which is the tenant’s part', async () => {
  for (const slug of SLUGS) {
    const [customer, tenant] = [await guide(slug), await guide(`${slug}/credential`)];
    expect(customer.text).not.toMatch(/To let us write|API token|access key/i);
    expect([slug, tenant.status]).toEqual([slug, 200]);
    expect(tenant.text).toContain('<h1>To let us write the records</h1>');
  }
  expect((await guide('unknown')).status).toBe(404);
});

test('a guide has a numbered list, links and code', async () => {
  const { text } = await guide('cloudflare');
  expect(text).toContain('<li>Sign in at <a href="https://dash.cloudflare.com" rel="noopener noreferrer">');
  expect(text).toContain('<strong>Records</strong>');
  expect((await guide('powerdns')).text).toContain('<pre tabindex="0"><code>pdnsutil add-record');
});

test('the tenant’s part is served as Markdown too, which the console shows next to its form', async () => {
  for (const slug of SLUGS) {
    const { status, headers, text } = await guide(`${slug}/credential.md`);
    expect([slug, status, headers.get('content-type')]).toEqual([slug, 200, 'text/markdown; charset=utf-8']);
    expect(text).toMatch(/^# To let us write the records\n/);
    expect(parseGuide(text).slice(1)).not.toEqual([]);
  }
});
