import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { makeSigningKey, publishedKey, readSigningKeys } from '../../src/domain-connect/keys.ts';
import { dcTemplates } from '../../src/domain/zone/domain-connect.ts';
import { launchChromium } from '../support/servers/chromium.ts';
import { runCli } from '../support/fixtures/cli.ts';
import { startDomainConnectProvider, type DomainConnectProvider } from '../support/doubles/domain-connect-provider.ts';
import { Service } from '../support/fixtures/service.ts';
import { startTenantPages, type TenantPages } from '../support/fixtures/tenant-page.ts';
import { enter, receivedEvents, start, stepsReported, untilTitle } from '../support/fixtures/widget-lab.ts';
import { connectionOf } from '../support/fixtures/widget-steps.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { violations } from './axe.ts';
import { until } from '../support/until.ts';
import { EDGE_TARGET, startInternetLab, type InternetLab } from '../support/fixtures/internet-lab.ts';

const US = 'saas-product.com';

/** The tenant's page: a button that opens the provider's consent page, and a list of the messages that come back. */
const PAGE = `<!doctype html><title>Tenant</title><button>Connect</button><ul></ul>
<script>
  const { base, id, token } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  addEventListener('message', ({ data, origin }) => {
    const line = document.createElement('li');
    line.textContent = JSON.stringify({ ...data, session: undefined, origin });
    document.querySelector('ul').append(line);
  });
  document.querySelector('button').onclick = async () => {
    const answer = await fetch(base + '/v1/connections/' + id, { headers: { authorization: 'Bearer ' + token } });
    open((await answer.json()).domain_connect.apply_url);
  };
</script>`;

let internet: InternetLab;
let provider: DomainConnectProvider;
let env: Record<string, string>;
let service: Service;
let tenant: { server: Server; origin: string };
let browser: Browser;

beforeAll(async () => {
  const keys = await makeSigningKey('_dcpubkeyv1');
  internet = await startInternetLab();
  await internet.powerdns.set(US, `_dcpubkeyv1.${US}`, 'TXT', ...publishedKey(readSigningKeys(keys)[0]).map((value) => `"${value}"`)); // prettier-ignore
  provider = await startDomainConnectProvider({
    templates: dcTemplates({
      providerId: US,
      providerName: 'SaaS Product',
      pubKeyDomain: US,
      redirectDomain: '127.0.0.1',
      edge: { cnameTarget: EDGE_TARGET, ipv4: [], ipv6: [], policy: 'any' },
    }),
    resolver: `${internet.recursor.address}:${internet.recursor.port}`,
    write: (domain, name, type, value) => internet.powerdns.set(domain, name, type, value),
  });
  env = {
    ...internet.env,
    DOMAIN_CONNECT_PROVIDER_ID: US,
    DOMAIN_CONNECT_PUBKEY_DOMAIN: US,
    DOMAIN_CONNECT_KEYS: keys,
    DOMAIN_CONNECT_HOSTS: provider.endpoint,
    NODE_EXTRA_CA_CERTS: provider.caFile,
  };
  service = await Service.start(await tempFolder(), env);
  const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE));
  await once(server.listen(0, 'localhost'), 'listening');
  tenant = { server, origin: `http://localhost:${(server.address() as AddressInfo).port}` };
  const { test } = await service.demo();
  await service.call('PATCH', `/applications/${test.application_id}`, { allowed_origins: [tenant.origin] });
  browser = await launchChromium();
}, 180_000);
afterAll(async () => {
  await browser.close();
  tenant.server.close();
  await service.stop();
  await provider.stop();
  await internet.stop();
});

interface Detail {
  domain_connect: { provider_name: string } | null;
  findings: { code: string }[];
  setup_type: string;
}
const read = async (id: string) => (await service.call('GET', `/connections/${id}`)).body as unknown as Detail;

/** Creates a connection at the provider and opens it on the tenant's page with a widget token only. */
async function openTenantPage() {
  const domain = await internet.domain();
  await internet.powerdns.set(domain, `_domainconnect.${domain}`, 'TXT', `"${provider.endpoint}"`);
  const id = await service.connect(`shop.${domain}`);
  await until(async () => (await read(id)).domain_connect !== null, 30_000);
  const { base_url, test } = await service.demo();
  const minted = await service.call('POST', '/tokens', { application_id: test.application_id });
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  const hash = new URLSearchParams({ base: base_url, id, token: String(minted.body['auth_token']) });
  await page.goto(`${tenant.origin}/#${hash.toString()}`);
  const consent = async () => {
    const opened = page.waitForEvent('popup');
    await page.click('text=Connect');
    return opened;
  };
  return { domain, id, page, consent, message: `{"type":"svc:domain_connect","connection_id":"${id}"`, base_url };
}

test('a domain at a Domain Connect provider goes live with two clicks and no credential', async () => {
  const { domain, id, page, consent, message, base_url } = await openTenantPage();
  const check = await service.call('POST', '/domains:check', { domain: `shop.${domain}` });

  const popup = await consent();
  const closed = popup.waitForEvent('close');
  await popup.click('text=Allow');
  await closed;

  await page.waitForSelector('li');
  expect(await page.textContent('li')).toBe(`${message},"error":null,"origin":"${base_url}"}`);
  expect(check.body).toMatchObject({
    setup_type: 'automatic',
    provider: 'unknown',
    provider_name: 'Double DNS',
    auto_configurable: true,
    domain_connect: { supported: true, template_supported: true, provider_id: 'double.example', consent_needed: true },
  });
  const live = await service.untilLive(id);
  expect(live).toMatchObject({
    error_code: null,
    findings: [],
    domain_connect: null,
    setup_type: 'automatic',
    provider_name: 'Double DNS',
  });
}, 90_000);

test('a customer who cancels changes nothing, and the connection has a finding', async () => {
  const { id, consent, message, page } = await openTenantPage();

  const popup = await consent();
  const closed = popup.waitForEvent('close');
  await popup.click('text=Cancel');
  await closed;

  await page.waitForSelector('li');
  expect(await page.textContent('li')).toContain(`${message},"error":"user_cancel"`);
  const after = await read(id);
  expect(after.findings.map(({ code }) => code)).toContain('domain_connect_refused');
}, 90_000);

describe('in the widget', () => {
  let pages: TenantPages;
  beforeAll(async () => {
    const { base_url, test } = await service.demo();
    pages = await startTenantPages(base_url);
    const allowed_origins = [tenant.origin, pages.origin];
    await service.call('PATCH', `/applications/${test.application_id}`, { allowed_origins });
  });
  afterAll(() => pages.stop());

  /** Opens the widget and enters a hostname at the provider, whose name servers are unknown. */
  async function openWidget() {
    const domain = await internet.domain();
    await internet.powerdns.set(domain, `_domainconnect.${domain}`, 'TXT', `"${provider.endpoint}"`);
    const { test } = await service.demo();
    const minted = await service.call('POST', '/tokens', { application_id: test.application_id });
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
    await page.goto(pages.page());
    await start(page, { applicationId: test.application_id, token: String(minted.body['auth_token']) });
    await enter(page, `shop.${domain}`);
    await untilTitle(page, "Here's what we found");
    const consent = async () => {
      const opened = page.waitForEvent('popup');
      await page.getByRole('link', { name: /Continue at Double DNS/ }).click();
      return opened;
    };
    return { page, hostname: `shop.${domain}`, consent };
  }

  test('the customer learns of the consent first, never sees the records, and the setup counts as automatic', async () => {
    const { page, hostname, consent } = await openWidget();
    expect(await page.locator('.provider strong').textContent()).toBe('Double DNS');
    await page.getByText('You confirm once at Double DNS, and the records are added for you.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Continue' }).click();
    await untilTitle(page, 'Confirm at Double DNS');
    expect(await violations(page)).toEqual([]);
    const popup = await consent();
    const closed = popup.waitForEvent('close');
    await popup.click('text=Allow');
    await closed;
    await untilTitle(page, 'Your domain is live');
    expect(await stepsReported(page)).not.toContain('manual_configuration');
    const success = (await receivedEvents(page)).find(([name]) => name === 'svc:success')?.[1];
    expect(success).toMatchObject({ domain: hostname, setupType: 'automatic' });
    expect(await connectionOf({ service }, hostname)).toMatchObject({ setup_type: 'automatic', state: 'live' });
    await page.context().close();
  }, 90_000);

  test('a customer who cancels reads so, and can try again or add the records manually', async () => {
    const { page, consent } = await openWidget();
    await page.getByRole('button', { name: 'Continue' }).click();
    await untilTitle(page, 'Confirm at Double DNS');
    const popup = await consent();
    const closed = popup.waitForEvent('close');
    await popup.click('text=Cancel');
    await closed;
    await page.getByText('You cancelled at Double DNS, so nothing was changed.', { exact: false }).waitFor();
    await untilTitle(page, 'Confirm at Double DNS');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add the records manually' }).click();
    await untilTitle(page, 'Add these records at Double DNS');
    await page.context().close();
  }, 90_000);
});

test('the provider refuses a request that was changed after signing', async () => {
  const { consent } = await openTenantPage();
  const popup = await consent();
  await popup.waitForSelector('text=Allow');

  await popup.goto(popup.url().replace('host=shop', 'host=bank'));

  expect(await popup.textContent('h1')).toBe('The request is not signed');
}, 90_000);

test('the check command shows what a hostname is offered, or why nothing is', async () => {
  const [offered, unoffered] = [await internet.domain(), await internet.domain()];
  await internet.powerdns.set(offered, `_domainconnect.${offered}`, 'TXT', `"${provider.endpoint}"`);
  const check = (hostname: string) => runCli(['domain-connect', 'check', hostname, '--json'], env);

  const [found, missing] = [await check(`shop.${offered}`), await check(`shop.${unoffered}`)];

  expect([found.err, missing.err]).toEqual(['', '']);
  expect(JSON.parse(found.out)).toMatchObject({ offered: true, service: 'subdomain' });
  expect(JSON.parse(missing.out)).toMatchObject({ offered: false, obstacle: 'not_published' });
});
