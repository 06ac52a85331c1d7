import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { Receiver } from '../support/doubles/receiver.ts';
import { ConsoleLab } from '../support/fixtures/console-lab.ts';
import { until } from '../support/until.ts';
import { violations } from './axe.ts';

jest.setTimeout(180_000);

/** The screens of the console that change things, in a real browser with the whole service behind it. */
let lab: ConsoleLab;
let receiver: Receiver;
let application: string;
let endpoint: string;
let delivery: string;
let batch: string;

beforeAll(async () => {
  [lab, receiver] = await Promise.all([ConsoleLab.start(), Receiver.start()]);
  application = (await lab.service.demo()).test.application_id;
  receiver.answer = (response) => response.writeHead(500).end('<b>Out of order</b>');
  const made = await call('POST', '/webhook-endpoints', { application_id: application, url: receiver.url, events: ['domain.flow.completed'] }); // prettier-ignore
  endpoint = String(made['id']);
  receiver.secrets = [String(made['signing_secret'])];
  delivery = String((await call('POST', `/webhook-endpoints/${endpoint}:test`))['id']);
  await until(() => receiver.received.length > 0, 60_000);
  const hostnames = ['one.auto.test', 'not a name'];
  batch = String((await call('POST', '/batches', { application_id: application, hostnames }))['batch_id']);
  await call('PUT', '/sandbox/records', { records: [{ host: 'mail.brand.test', type: 'MX', value: 'mx.brand.test', priority: 10 }] }); // prettier-ignore
}, 240_000);
afterAll(() => Promise.all([lab.stop(), receiver.stop()]));

async function call(...request: Parameters<ConsoleLab['service']['call']>): Promise<Record<string, unknown>> {
  const { status, body } = await lab.service.call(...request);
  if (status >= 300) throw new Error(`${request[1]} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const dialog = (page: Page) => page.getByRole('dialog');
const row = (page: Page, name: string | RegExp) => page.getByRole('row').filter({ hasText: name });
const menu = (page: Page) => page.getByRole('navigation', { name: 'Screens' }).getByRole('link').allTextContents();

/** Every screen, with a text that appears once its data is there. */
const SCREENS: readonly (readonly [name: string, path: () => string, text: string | RegExp])[] = [
  ['Connect', () => '/connect', 'Many domains'],
  ['Batch', () => `/connect/${batch}`, 'not a name'],
  ['Credentials', () => '/credentials', 'managed.test'],
  ['Credential', () => '/credentials/new?provider=cloudflare', 'Create Custom Token'],
  ['Webhooks', () => '/webhooks', '127.0.0.1'],
  ['Endpoint', () => `/webhooks/${endpoint}`, 'last 30 days'],
  ['Delivery', () => `/webhooks/deliveries/${delivery}`, 'HTTP 500'],
  ['Keys', () => '/keys', 'Every scope'],
  ['Usage and plan', () => '/plan', 'Active domains'],
  ['Audit', () => '/audit', 'webhook_endpoint.created'],
  ['Sessions', () => '/sessions', 'Yours'],
  ['Sandbox', () => '/sandbox', 'mail.brand.test'],
];

test.each(SCREENS)('%s works in light and dark, at 1280 and 360 px, without a violation', async (_name, path, text) => {
  const { page } = await lab.open(path());
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  for (const width of [1280, 360])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.getByText(text).first().waitFor();
      expect([width, colorScheme, await violations(page, 'body')]).toEqual([width, colorScheme, []]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect([width, overflow]).toEqual([width, Math.min(overflow, 0)]);
    }
  expect(errors).toEqual([]);
});

describe('credentials', () => {
  test('the form is the provider’s, next to its instructions; a credential is added, tested, replaced and deleted', async () => {
    const { page } = await lab.open('/credentials');
    await page.getByRole('link', { name: 'Add a credential' }).click();
    await page.getByLabel('DNS provider').selectOption({ label: 'Amazon Route 53' });
    await page.getByText('route53:ChangeResourceRecordSets').waitFor();
    expect(await page.getByLabel('Secret access key').getAttribute('type')).toBe('password');

    await page.getByLabel('DNS provider').selectOption('sandbox');
    await page.getByLabel('Zone').fill('orchard.com');
    await button(page, 'Test and save').click();
    await page.locator('form .error').waitFor();
    await page.getByLabel('Zone').fill('orchard.test');
    await page.getByLabel('Label (optional)').fill('<i>Orchard</i>');
    await button(page, 'Test and save').click();
    const saved = row(page, '<i>Orchard</i>');
    await saved.getByText('orchard.test').waitFor();
    await saved.getByRole('button', { name: 'Test' }).click();
    await page.getByText('The provider accepts the credential.').waitFor();

    await saved.getByRole('link', { name: 'Replace…' }).click();
    await page.getByLabel('Zone').fill('meadow.test');
    await button(page, 'Test and replace').click();
    await saved.getByText('meadow.test').first().waitFor();
    await saved.getByRole('button', { name: 'Delete…' }).click();
    expect(await violations(page, 'body')).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await saved.waitFor({ state: 'detached' });
  });
});

describe('webhooks', () => {
  test('a failed delivery is read with its attempts and sent again, which the page follows', async () => {
    const { page } = await lab.open('/webhooks');
    await row(page, receiver.url).getByRole('link').click();
    await page.getByLabel('Event', { exact: true }).selectOption('webhook.test');
    await row(page, 'webhook.test').getByRole('link').click();
    const attempts = page.getByRole('list', { name: 'Attempts' });
    await attempts.getByText('HTTP 500').first().waitFor();
    await attempts.getByText('<b>Out of order</b>').first().waitFor();
    await page.getByRole('region', { name: 'Body of the request' }).getByText('"type": "webhook.test"').waitFor();

    receiver.answer = (response) => response.writeHead(200).end('thanks');
    await button(page, 'Send again').click();
    // Five failures in a row pause an endpoint for half a minute and more.
    await heading(page, /Delivered/).waitFor({ timeout: 150_000 });
    await attempts.getByText('HTTP 200').waitFor();
    await attempts.getByText('thanks').waitFor();
    expect(receiver.received.every(({ isGenuine }) => isGenuine)).toBe(true);
  });

  test('an endpoint is created with its secret shown once, edited, tested, disabled, enabled and rotated', async () => {
    const { page } = await lab.open('/webhooks');
    await button(page, 'Add an endpoint').click();
    await dialog(page).getByLabel('URL').fill('ftp://127.0.0.1/');
    await dialog(page).getByRole('button', { name: 'Add', exact: true }).click();
    await dialog(page).locator('.field .error').waitFor();
    expect(await violations(page, 'body')).toEqual([]);
    await dialog(page).getByLabel('URL').fill(`${receiver.url}/second`);
    await dialog(page).getByRole('button', { name: 'Add', exact: true }).click();
    const secret = await dialog(page).locator('code').textContent();
    receiver.secrets.push(String(secret));
    await button(page, "I've saved it").click();
    await row(page, '/second').getByRole('link').click();

    await button(page, 'Edit…').click();
    await dialog(page).getByLabel('Every event, also those of later releases').check();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Every event', { exact: true }).waitFor();

    await button(page, 'Send test event').click();
    await row(page, 'webhook.test').getByText('Delivered').waitFor();
    await button(page, 'Disable').click();
    await page.getByText('By your team.').waitFor();
    await button(page, 'Enable').click();
    await button(page, 'Disable').waitFor();

    await button(page, 'Rotate secret…').click();
    await dialog(page).getByLabel('The new secret signs').selectOption('now');
    await button(page, 'Create a new secret').click();
    const rotated = dialog(page).locator('code');
    await rotated.waitFor();
    expect(await rotated.textContent()).not.toBe(secret);
    receiver.secrets.push(String(await rotated.textContent()));
    expect(await violations(page, 'body')).toEqual([]);
    await button(page, "I've saved it").click();
    expect(await page.getByText(String(secret)).count()).toBe(0);
  });

  test('events that an endpoint missed are recovered since a time', async () => {
    await call('PATCH', `/webhook-endpoints/${endpoint}`, { active: false });
    const id = await lab.connect('missed.auto.test');
    await lab.untilState(id, 'live');
    await call('PATCH', `/webhook-endpoints/${endpoint}`, { active: true });
    const isReceived = () => receiver.received.some(({ event }) => event.type === 'domain.flow.completed' && JSON.stringify(event.data).includes(id)); // prettier-ignore
    const before = receiver.received.length;
    const { page } = await lab.open(`/webhooks/${endpoint}`);
    await button(page, 'Recover…').click();
    expect(await violations(page, 'body')).toEqual([]);
    await button(page, 'Send again').click();
    await page.getByText(/being sent again\./).waitFor();
    await until(() => receiver.received.length > before && isReceived(), 90_000);
  });
});

describe('keys and sessions', () => {
  test('a key is revoked here, and none can be created', async () => {
    const name = '"><script>document.title=1</script>';
    const key = await call('POST', `/applications/${application}/keys`, { name, scopes: ['connections:read'] });
    const { page } = await lab.open('/keys');
    await page.getByText('The console cannot create API keys').waitFor();
    await row(page, name).getByRole('button').click();
    expect(await violations(page, 'body')).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await row(page, name).getByText('Revoked').waitFor();
    const refused = await fetch(`${lab.origin}/v1/connections`, { headers: { authorization: `Bearer ${String(key['secret'])}` } }); // prettier-ignore
    expect(refused.status).toBe(401);
    expect(await page.title()).toBe('Keys · Console');
  });

  test('a session is ended from another one, its own is marked, and ending it signs out', async () => {
    const [first, second] = [await lab.open('/sessions'), await lab.open('/plan')];
    const { page } = first;
    const of = (id: string) => row(page, id.slice(-12));
    await of(first.sessionId).getByText('Yours').waitFor();
    await of(second.sessionId).getByRole('button').click();
    await dialog(page).getByRole('button', { name: 'End the session' }).click();
    await of(second.sessionId).waitFor({ state: 'detached' });
    await second.page.reload();
    await heading(second.page, 'Domain console').waitFor();
    await of(first.sessionId).getByRole('button').click();
    await dialog(page).getByRole('button', { name: 'End the session' }).click();
    await heading(page, 'Your session has ended').waitFor();
  });
});

describe('the sandbox', () => {
  test('a behaviour is picked and connected', async () => {
    const { page } = await lab.open('/sandbox');
    await page.getByLabel('*.stall.test').check();
    await page.getByLabel('First label').fill('rehearsal');
    await button(page, 'Connect rehearsal.stall.test').click();
    await heading(page, /rehearsal\.stall\.test/).waitFor();
  });

  test('the DNS table is edited: a domain goes live by records that are added here', async () => {
    const id = await lab.connect('edited.brand.test');
    const detail = await call('GET', `/connections/${id}`);
    const challenge = detail['ownership_challenge'] as { name: string; value: string };
    const { page } = await lab.open('/sandbox');
    const add = async (name: string, type: string, value: string) => {
      await button(page, 'Add a record').click();
      await dialog(page).getByLabel('Name').fill(name);
      await dialog(page).getByLabel('Type').selectOption(type);
      await dialog(page).getByLabel('Values').fill(value);
      await dialog(page).getByRole('button', { name: 'Save' }).click();
    };
    await add('edited.brand.com', 'TXT', 'x');
    await dialog(page).locator('.field .error').waitFor();
    expect(await violations(page, 'body')).toEqual([]);
    await page.keyboard.press('Escape');
    await add(challenge.name, 'TXT', challenge.value);
    await add('edited.brand.test', 'CNAME', 'edge.localhost');
    await lab.untilState(id, 'live');

    await button(page, 'Edit MX at mail.brand.test').click();
    const values = dialog(page).getByLabel('Values');
    expect(await values.inputValue()).toBe('10 mx.brand.test');
    await values.fill('10 mx1.brand.test\n20 mx2.brand.test');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await row(page, '20 mx2.brand.test').waitFor();
    await button(page, 'Remove MX at mail.brand.test').first().click();
    await dialog(page).getByRole('button', { name: 'Remove' }).click();
    await row(page, 'mail.brand.test').first().waitFor({ state: 'detached' });
  });

  test('a live session learns which session it needs', async () => {
    const { page } = await lab.open('/sandbox', { environment: 'live' });
    await page.getByText('The sandbox needs a session of the test environment').waitFor();
    expect(await menu(page)).not.toContain('Sandbox');
  });
});

describe('scopes and tenants', () => {
  const NEEDS: readonly (readonly [path: string, scope: string])[] = [
    ['/connect', 'connections:write'],
    ['/credentials', 'apps:admin'],
    ['/credentials/new', 'apps:admin'],
    ['/webhooks', 'webhooks:write or apps:admin'],
    ['/keys', 'apps:admin'],
    ['/audit', 'apps:admin'],
    ['/sessions', 'apps:admin'],
  ];

  test('a screen whose scope is missing is not in the menu, and its address names the scope', async () => {
    const { page } = await lab.open('/', { scopes: ['connections:read'] });
    expect(await menu(page)).toEqual(['Overview', 'Domains', 'Usage and plan', 'Sandbox']);
    for (const [path, scope] of NEEDS) {
      await page.goto(`${lab.origin}/console${path}`);
      await page.getByText(`It needs the scope ${scope}.`).waitFor();
    }
    expect(await violations(page, 'body')).toEqual([]);
    await page.goto(`${lab.origin}/console/sandbox`);
    await row(page, 'brand.test').first().waitFor();
    expect(await button(page, 'Add a record').count()).toBe(0);
  });

  test('a member without apps:admin connects a domain, in the application of the newest one', async () => {
    const { page } = await lab.open('/connect', { scopes: ['connections:read', 'connections:write'] });
    const field = page.getByLabel('Application').first();
    await until(async () => (await field.inputValue()) === application, 20_000);
    await page.getByLabel('Hostname').fill('member.auto.test');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await heading(page, /member\.auto\.test/).waitFor();
  });

  test('two tenants in two browsers see their own objects only', async () => {
    const cli = join(import.meta.dirname, '../../src/cli/main.ts');
    const env = { ...process.env, DATA_DIR: lab.service.dataDir };
    const printed = execFileSync(process.execPath, [cli, 'tenant', 'create', '--name', 'Harbor <b>Shops</b>', '--json'], { env }); // prettier-ignore
    const other = (JSON.parse(printed.toString()) as { test: { key: string } }).test;
    const mine = await lab.open('/webhooks');
    const theirs = await lab.open('/webhooks', { key: other.key });
    await row(mine.page, receiver.url).first().waitFor();
    await theirs.page.getByText('No endpoint yet').waitFor();
    await theirs.page.locator('.tenant').getByText('Harbor <b>Shops</b>').waitFor();
    for (const [path, text] of [
      [`/webhooks/${endpoint}`, 'There is no such endpoint'],
      [`/webhooks/deliveries/${delivery}`, 'There is no such delivery'],
      [`/connect/${batch}`, 'There is no such batch'],
    ] as const) {
      await theirs.page.goto(`${lab.origin}/console${path}`);
      await theirs.page.getByText(text).waitFor();
    }
    expect(await violations(theirs.page, 'body')).toEqual([]);
    await theirs.page.goto(`${lab.origin}/console/sandbox`);
    await theirs.page.getByText("The sandbox's DNS is empty").waitFor();
    await theirs.page.goto(`${lab.origin}/console/sessions`);
    await row(theirs.page, theirs.sessionId.slice(-12)).waitFor();
    expect(await row(theirs.page, mine.sessionId.slice(-12)).count()).toBe(0);
  });
});

describe('connect', () => {
  test('one domain: a suggestion corrects the hostname, and its screen opens', async () => {
    const { page } = await lab.open('/connect');
    await page.getByLabel('Hostname').fill('https://typed.auto.test/shop');
    await page.getByLabel('Customer (optional)').fill('customer-12');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await button(page, 'Use typed.auto.test').click();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await heading(page, /typed\.auto\.test/).waitFor();
    await page.getByText('customer-12').waitFor();
  });

  test('a CSV of 200: preview of every row, progress, and the failures to download', async () => {
    const rows = Array.from({ length: 196 }, (_, i) => `row-${i}.auto.test,customer-${i}`);
    const bad = ['bad_name.auto.test,customer-a', 'https://site.auto.test,customer-b', 'row-0.auto.test,customer-c', 'co.uk,"=customer, d"']; // prettier-ignore
    const text = ['hostname,external_id,colour', ...rows, ...bad].join('\r\n');
    const { page } = await lab.open('/connect');
    await page.getByLabel('CSV file').setInputFiles({ name: 'fleet.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }); // prettier-ignore
    await page.getByText('200 rows, 3 with a problem').waitFor();
    await page.getByText('These columns are ignored: colour.').waitFor();
    const preview = page.getByRole('region', { name: 'Preview of the rows' });
    expect(await preview.getByRole('row').count()).toBe(201);
    await page.getByLabel('Only rows with a problem').check();
    expect(await preview.getByRole('row').count()).toBe(4);
    await preview.getByText('Did you mean site.auto.test?').waitFor();
    await preview.getByText('Line 2 has the same hostname with another external_id.').waitFor();
    expect(await violations(page, 'body')).toEqual([]);

    await button(page, 'Connect 197 domains').click();
    await heading(page, 'Batch').waitFor();
    const bar = page.getByRole('progressbar', { name: 'Settled rows' });
    const value = () => bar.evaluate((element: HTMLProgressElement) => element.value);
    await bar.waitFor();
    const first = await value();
    await until(async () => (await value()) > first, 120_000);
    // The service knows more than the browser: co.uk is a public suffix.
    await page.getByText('4 invalid').waitFor();
    await row(page, 'co.uk is a public suffix').waitFor();
    const saved = page.waitForEvent('download');
    await button(page, 'Download as CSV').click();
    const lines = (await readFile(await (await saved).path(), 'utf8')).trim().split('\r\n');
    expect(lines).toHaveLength(5);
    expect(lines[4]).toContain(`200,co.uk,"'=customer, d",invalid,`);
    await page.getByRole('link', { name: 'Show its domains' }).click();
    await row(page, 'row-195.auto.test').waitFor();
  });

  test('a value that the API refuses is shown at its row', async () => {
    const { page } = await lab.open('/connect');
    await page
      .getByLabel('Or paste the rows')
      .fill('hostname,redirect.status,redirect.to\na.auto.test,,\nb.auto.test,999,https://b.test');
    await button(page, 'Connect 2 domains').click();
    await page.getByText('2 rows, 1 with a problem').waitFor();
    expect(await row(page, 'b.auto.test').locator('.error').count()).toBe(1);
  });
});
