import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { LANGUAGES } from '../../src/locales/all.ts';
import { LOCALES } from '../../src/locales/words.ts';
import { startEchoOrigin, type EchoOrigin } from '../support/doubles/echo-origin.ts';
import { startEdgeWithAgent, type EdgeWithAgent } from '../support/fixtures/edge-agent-lab.ts';
import { startApiProcess, type HalfProcess } from '../support/fixtures/half-process.ts';
import { until } from '../support/until.ts';

let lab: EdgeWithAgent;
let api: HalfProcess;
let origin: EchoOrigin;
beforeAll(async () => {
  lab = await startEdgeWithAgent({ settings: { LOG_LEVEL: 'info' } });
  api = await startApiProcess(lab.control.databaseUrl, { ORIGIN_ALLOW_PRIVATE: '127.0.0.0/8' });
  origin = await startEchoOrigin('origin');
});
afterAll(async () => {
  await Promise.all([api.stop(), origin.stop()]);
  await lab.stop();
});

interface Site {
  name: string;
  id: string;
  tenant: NewTenant;
}
async function siteAt(originUrl: string): Promise<Site> {
  const tenant = await createTenant(lab.control.pool, 'pages');
  await lab.control.setOrigin(originUrl, tenant);
  const name = `n${crypto.randomUUID().slice(0, 8)}.example-shop.com`;
  return { name, tenant, id: await lab.control.connect(name, 'live', tenant) };
}
const downSite = async (): Promise<Site> => siteAt(`http://127.0.0.1:${await freePort()}`);

const patch = (tenant: NewTenant, body: object): Promise<Response> =>
  fetch(`http://127.0.0.1:${api.port}/v1/applications/${tenant.test.application_id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${tenant.test.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

interface LogLine {
  request_id: string;
  host: string;
  application_id: string;
  status: number;
  reason: string | null;
}
/** Returns the lines about pages in the agent's log. */
const logLines = (): LogLine[] =>
  lab.agent
    .output()
    .split('\n')
    .filter((line) => line.includes('"request_id"') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine);

describe('the id of a request', () => {
  test('is on the page in every language, in the header and in the log, and is never the visitor’s', async () => {
    const { name, tenant } = await downSite();
    for (const locale of LOCALES) {
      const { status, headers, body } = await lab.visit(name, {
        headers: { 'accept-language': locale, 'x-request-id': 'of-the-visitor' },
      });
      const id = String(headers['x-request-id']);
      expect([status, id]).toEqual([502, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
      expect(body).toContain(`<html lang="${locale}"`);
      expect(body).toContain(`${LANGUAGES[locale].page.edgeRequest}: <bdi dir="ltr">${id}</bdi>`);
      await until(() => logLines().some((line) => line.request_id === id));
      const line = logLines().find(({ request_id }) => request_id === id);
      expect(line).toMatchObject({
        host: name,
        application_id: tenant.test.application_id,
        page: 'originDown',
        status: 502,
      });
      expect(line?.reason).toMatch(/^dial tcp .*refused$/);
      expect(JSON.stringify(line)).not.toContain('of-the-visitor');
    }
  });

  test('reaches the origin, and its responses are not logged', async () => {
    const { name } = await siteAt(origin.url);
    const { headers, body } = await lab.visit(name, { headers: { 'x-request-id': 'of-the-visitor' } });
    const seen = JSON.parse(body) as { headers: Record<string, string> };
    expect(seen.headers['x-request-id']).toBe(headers['x-request-id']);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    const page = await lab.visit((await downSite()).name);
    await until(() => logLines().some(({ request_id }) => request_id === page.headers['x-request-id']));
    expect(logLines().filter(({ host }) => host === name)).toEqual([]);
  });
});

describe('an application’s logo and support link', () => {
  const LOGO = 'https://cdn.acme.example/logo.svg?a=1&b="';
  const policyOf = (headers: IncomingMessage['headers']) => String(headers['content-security-policy']);

  test('are on its pages as soon as PATCH has returned, and on no other tenant’s', async () => {
    const [one, other] = [await downSite(), await downSite()];
    const patched = await patch(one.tenant, { logo_url: LOGO, support_url: 'mailto:help@acme.example' });
    expect(await patched.json()).toMatchObject({
      logo_url: 'https://cdn.acme.example/logo.svg?a=1&b=%22',
      support_url: 'mailto:help@acme.example',
    });
    const page = await lab.visit(one.name);
    expect(page.body).toContain('<img class="logo" src="https://cdn.acme.example/logo.svg?a=1&amp;b=%22" alt="" referrerpolicy="no-referrer">'); // prettier-ignore
    expect(page.body).toContain('<a href="mailto:help@acme.example" rel="noopener noreferrer">Contact support</a>');
    expect(policyOf(page.headers)).toContain("default-src 'none'; img-src https://cdn.acme.example;");

    const theirs = await lab.visit(other.name);
    expect(theirs.body).not.toMatch(/<img|<a /);
    expect(policyOf(theirs.headers)).not.toContain('img-src');

    await patch(one.tenant, { logo_url: null, support_url: 'https://acme.example/help' });
    const later = await lab.visit(one.name);
    expect(later.body).not.toContain('<img');
    expect(later.body).toContain('<a href="https://acme.example/help"');
  });

  test('survive a restart of the agent without the control plane’s help', async () => {
    const one = await downSite();
    await patch(one.tenant, { logo_url: LOGO });
    await lab.agent.stop('SIGKILL');
    lab.database.freeze();
    try {
      await lab.startAgent();
      await until(async () => (await lab.visit(one.name)).body.includes('<img class="logo"'));
    } finally {
      lab.database.thaw();
    }
    await lab.untilTrusted();
  });

  test('are not on the page of an unknown or an archived hostname', async () => {
    const one = await downSite();
    await patch(one.tenant, { logo_url: LOGO, support_url: 'https://acme.example/help' });
    await lab.visit(one.name);
    await lab.control.setState(one.id, 'archived');
    await until(async () => (await lab.visit(one.name)).status === 410);
    const request = httpGet({
      host: '127.0.0.1',
      port: lab.caddy.httpPort,
      headers: { host: 'unknown.example-shop.com' },
      agent: false,
    });
    const [unknown] = (await once(request, 'response')) as [IncomingMessage];
    expect(unknown.statusCode).toBe(404);
    for (const body of [await text(unknown), (await lab.visit(one.name)).body]) {
      expect(body).not.toMatch(/<img|<a |acme/);
      expect(body).toContain('Request ID: ');
    }
  });

  test.each([
    ['logo_url', 'http://acme.example/logo.svg'],
    ['logo_url', 'javascript:alert(1)'],
    ['logo_url', 'data:image/png;base64,AAAA'],
    ['logo_url', 'mailto:help@acme.example'],
    ['logo_url', 'https://user:secret@acme.example/logo.svg'],
    ['logo_url', 'https://*.acme.example/logo.svg'],
    ['logo_url', "https://acme.example;script-src'unsafe-inline'/logo.svg"],
    ['logo_url', 'https://127.0.0.1/logo.svg'],
    ['logo_url', '/logo.svg'],
    ['logo_url', `https://acme.example/${'x'.repeat(1_000)}`],
    ['support_url', 'JavaScript:alert(1)'],
    ['support_url', 'http://acme.example/help'],
    ['support_url', 'https://user@acme.example/help'],
    ['support_url', 'mailto:a@acme.example,b@acme.example'],
    ['support_url', 'mailto:a@acme.example?bcc=b@acme.example'],
    ['support_url', 'mailto:'],
    ['support_url', `mailto:a@${'x'.repeat(1_000)}`],
  ])('are refused if hostile: %s %s', async (field, url) => {
    const response = await patch(lab.control.tenant, { [field]: url });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { details: [{ path: `body.${field}` }] } },
    ]);
  });
});
