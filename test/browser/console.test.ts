import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { until } from '../support/until.ts';
import { ConsoleLab } from '../support/fixtures/console-lab.ts';
import { violations } from './axe.ts';

jest.setTimeout(120_000);

/** The console in a real browser, with the whole service behind it. */
let lab: ConsoleLab;
let stalled: string;
beforeAll(async () => {
  lab = await ConsoleLab.start();
  const { test: demo } = await lab.service.demo();
  // Deadlines of the sandbox pass 30 times faster, so a domain stalls within seconds.
  await lab.service.call('PATCH', `/applications/${demo.application_id}`, { sandbox_speed: 30 });
  const live = await Promise.all(['fern', 'maple', 'tidepool'].map((name) => lab.connect(`shop.${name}.auto.test`)));
  stalled = await lab.connect('shop.willow.stall.test', 'customer-7');
  await Promise.all([...live.map((id) => lab.untilState(id, 'live')), lab.untilState(stalled, 'stalled')]);
}, 240_000);
afterAll(() => lab.stop());

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

describe('signing in', () => {
  test('a link shows tenant, role and environment, leaves the address bar, and works once', async () => {
    const { url } = await lab.link({ scopes: ['connections:read'] });
    const page = await lab.page();
    await page.goto(url);
    await page.getByText('Reader: sees everything, changes nothing').waitFor();
    await page.getByText('Test', { exact: true }).waitFor();
    expect(page.url()).toBe(`${lab.origin}/console`);
    expect(await violations(page, 'body')).toEqual([]);
    await button(page, 'Sign in').click();
    await heading(page, 'Overview').waitFor();

    const other = await lab.page();
    await other.goto(url);
    await other.getByText('It was used before, or it is older than two minutes.').waitFor();
    expect(await violations(other, 'body')).toEqual([]);
  });

  test('a link in a browser with a session asks before it replaces the session', async () => {
    const { page, sessionId } = await lab.open('/');
    const second = await lab.link();
    await page.goto(second.url);
    await page.getByText('You are already signed in').waitFor();
    expect(await violations(page, 'body')).toEqual([]);
    await button(page, 'Keep the present session').click();
    await heading(page, 'Overview').waitFor();

    await page.goto(second.url);
    await button(page, 'Replace the session and sign in').click();
    await heading(page, 'Overview').waitFor();
    const now = await page.evaluate(async () => ((await (await fetch('/console/api/session')).json()) as { id: string }).id); // prettier-ignore
    expect(now).toBe(second.id);
    expect(now).not.toBe(sessionId);
  });

  test('the demo button signs in, and signing out ends the session', async () => {
    const page = await lab.page();
    await page.goto(`${lab.origin}/console`);
    await button(page, 'Sign in as the demo tenant').click();
    await heading(page, 'Overview').waitFor();
    await button(page, 'Sign out').click();
    await heading(page, 'Domain console').waitFor();
    await page.reload();
    await heading(page, 'Domain console').waitFor();
  });

  test('a reader sees no action that changes something', async () => {
    const { page } = await lab.open(`/domains/${stalled}`, { scopes: ['connections:read'] });
    await heading(page, /shop\.willow\.stall\.test/).waitFor();
    expect(await button(page, 'Archive…').count()).toBe(0);
    await page.goto(`${lab.origin}/console/domains`);
    await row(page, 'shop.fern.auto.test').waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
  });
});

/** Every screen, with a text that appears once its data is there. */
const SCREENS: readonly (readonly [name: string, path: () => string, text: string | RegExp])[] = [
  ['Overview', () => '/', 'Domains by state'],
  ['Domains', () => '/domains', 'shop.fern.auto.test'],
  ['Domain', () => `/domains/${stalled}`, 'What needs a fix'],
];

test.each(SCREENS)('%s works in light and dark, at 1280 and 360 px, without a violation', async (_name, path, text) => {
  for (const width of [1280, 360])
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await lab.open(path(), { context: { viewport: { width, height: 800 }, colorScheme } });
      const errors: string[] = [];
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      await page.getByText(text).first().waitFor();
      await page.waitForLoadState('networkidle');
      expect(await violations(page, 'body')).toEqual([]);
      expect(errors).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      await page.context().close();
    }
});

describe('the story of a stalled domain', () => {
  test('support finds it from the overview, reads what is wrong, asks the name servers, and sees it go live', async () => {
    const hostname = 'shop.alder.stall.test';
    const id = await lab.connect(hostname, 'customer-8');
    await lab.untilState(id, 'stalled');
    const { page } = await lab.open('/');
    await page.getByRole('link', { name: /for records for too long/ }).click();
    await row(page, hostname).getByRole('link').click();
    await heading(page, new RegExp(hostname)).waitFor();
    await page.getByText(`There is no CNAME record edge.localhost at ${hostname}.`).first().waitFor();
    await page.getByText(`Add CNAME edge.localhost at ${hostname}.`).waitFor();
    await page.getByText("Your customer reads: “This record doesn't exist yet.”").waitFor();

    await button(page, 'Check now').click();
    await page.getByText('0 of 1 records are published as wanted.').waitFor();
    await page.getByRole('list', { name: 'Answers of the servers' }).getByText('ns.sandbox.test').waitFor();
    await page.getByText('no such record').waitFor();

    const record = { host: hostname, type: 'CNAME', value: 'edge.localhost' };
    await lab.service.call('PUT', '/sandbox/records', { records: [record] });
    // The page follows on its own.
    await heading(page, /Live/).waitFor({ timeout: 90_000 });
    expect(await page.getByText('What needs a fix').count()).toBe(0);
    expect(await violations(page, 'body')).toEqual([]);
  });

  test('a link for the person who manages the DNS is made here and works without signing in', async () => {
    const { page } = await lab.open(`/domains/${stalled}`);
    await button(page, 'Share…').click();
    expect(await violations(page, 'body')).toEqual([]);
    await button(page, 'Create link').click();
    const url = await page.locator('dialog code').textContent();
    const shared = await lab.page();
    await shared.goto(String(url));
    await shared.getByText('shop.willow.stall.test').first().waitFor();
  });
});

describe('the list', () => {
  test('is searched by `/`, walked by arrows, keeps its view in the address, and its place on the way back', async () => {
    const { page } = await lab.open('/domains');
    await row(page, 'shop.fern.auto.test').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('SHOP.M');
    await until(async () => (await page.getByRole('row').count()) === 2, 10_000);
    await row(page, 'shop.maple.auto.test').waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('SHOP.M');
    await page.reload();
    await row(page, 'shop.maple.auto.test').waitFor();
    expect(await page.getByRole('row').count()).toBe(2);

    await page.goto(`${lab.origin}/console/domains`);
    await row(page, 'shop.fern.auto.test').waitFor();
    const links = page.locator('.row-link');
    await links.first().focus();
    await page.keyboard.press('ArrowDown');
    const second = await links.nth(1).textContent();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(second);
    await page.keyboard.press('Enter');
    await heading(page, String(second)).waitFor();
    await page.goBack();
    await row(page, 'shop.fern.auto.test').waitFor();

    await page.setViewportSize({ width: 1280, height: 300 });
    await links.last().scrollIntoViewIfNeeded();
    const place = await page.evaluate(() => window.scrollY);
    expect(place).toBeGreaterThan(0);
    await links.last().click();
    await heading(page, /./).waitFor();
    await until(async () => (await page.evaluate(() => window.scrollY)) === 0, 10_000);
    await page.goBack();
    await until(async () => (await page.evaluate(() => window.scrollY)) === place, 10_000);
  });

  test('shows new domains and states by itself', async () => {
    const { page } = await lab.open('/domains');
    await row(page, 'shop.fern.auto.test').waitFor();
    await lab.connect('shop.heron.auto.test');
    await row(page, 'shop.heron.auto.test').getByText('Live').waitFor({ timeout: 60_000 });
  });

  test('is saved as CSV, in which no value is a formula', async () => {
    await lab.connect('shop.csv.auto.test', '=HYPERLINK("http://192.0.2.1")');
    const { page } = await lab.open('/domains?q=shop.csv');
    await row(page, 'shop.csv.auto.test').waitFor();
    const saved = page.waitForEvent('download');
    await button(page, 'Export CSV').click();
    const text = await readFile(await (await saved).path(), 'utf8');
    const [head, first] = text.split('\r\n');
    expect(head).toMatch(/^hostname,state,/);
    expect(first).toMatch(/^shop\.csv\.auto\.test,/);
    expect(first).toContain(`"'=HYPERLINK(""http://192.0.2.1"")"`);
  });

  test('archives chosen domains after a preview, and only once their number is typed', async () => {
    const [first, second] = await Promise.all([lab.connect('bulk-1.brand.test'), lab.connect('bulk-2.brand.test')]);
    await lab.service.call('DELETE', `/connections/${second}`);
    const { page } = await lab.open('/domains?q=bulk-');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await button(page, 'Archive…').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Skipped: it is archived already.').waitFor();
    expect(await violations(page, 'body')).toEqual([]);
    await dialog.getByRole('button', { name: 'Archive 1' }).click({ force: true });
    expect((await lab.service.call('GET', `/connections/${first}`)).body['state']).toBe('pending_ownership');
    await dialog.getByLabel('Type 1 to archive this domain').fill('1');
    await dialog.getByRole('button', { name: 'Archive 1' }).click();
    await dialog.getByText('1 of 1 done').waitFor();
    expect((await lab.service.call('GET', `/connections/${first}`)).body['state']).toBe('archived');
  });
});

describe('a domain', () => {
  test('is archived only once its hostname is typed', async () => {
    const id = await lab.connect('typed.brand.test');
    const { page } = await lab.open(`/domains/${id}`);
    await button(page, 'Archive…').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type typed.brand.test to confirm').fill('typed.brand');
    await dialog.getByRole('button', { name: 'Archive', exact: true }).click({ force: true });
    expect((await lab.service.call('GET', `/connections/${id}`)).body['state']).toBe('pending_ownership');
    await dialog.getByLabel('Type typed.brand.test to confirm').fill('typed.brand.test');
    await dialog.getByRole('button', { name: 'Archive', exact: true }).click();
    await heading(page, /Archived/).waitFor();
  });

  test('shows what we wrote in its zone, and undoes it', async () => {
    const hostname = `undo-${crypto.randomUUID().slice(0, 6)}.managed.test`;
    const id = await lab.connect(hostname);
    await lab.untilState(id, 'live');
    const { page } = await lab.open(`/domains/${id}`);
    await button(page, 'Compare with the zone').click();
    await page.locator('.diff .unchanged').getByText(`${hostname} 300 CNAME edge.localhost`).waitFor();
    await button(page, 'Undo what we wrote…').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click();
    await page.locator('.diff .added').getByText(`${hostname} 300 CNAME edge.localhost`).waitFor();
    expect(await violations(page, 'body')).toEqual([]);
  });

  test('of another tenant, or none, is explained', async () => {
    const { page } = await lab.open('/domains/0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f');
    await page.getByText('There is no such domain').waitFor();
    expect(await violations(page, 'body')).toEqual([]);
  });
});

describe('texts of strangers', () => {
  const HOSTILE = '<img src=x onerror="document.title=\'run\'">\u202e{{7*7}}';

  test('external ids, names of applications and hostnames are shown as text', async () => {
    const { test: demo } = await lab.service.demo();
    await lab.connect('xn--pypal-4ve.brand.test', HOSTILE);
    await lab.service.call('PATCH', `/applications/${demo.application_id}`, { name: HOSTILE });
    const { page } = await lab.open('/domains?q=xn--pypal');
    await row(page, HOSTILE).waitFor();
    await page.getByRole('option', { name: HOSTILE }).waitFor({ state: 'attached' });
    await page.locator('.row-link').first().click();
    await page.getByText(HOSTILE).last().waitFor();
    // A hostname in another script is shown with its ASCII form, because it can resemble another hostname.
    await page.locator('main > p code').getByText('xn--pypal-4ve.brand.test').waitFor();
    expect(await page.locator('#console img').count()).toBe(0);
    expect(await page.title()).not.toContain('run');
    await page.goto(`${lab.origin}/console/domains?customer=${encodeURIComponent(HOSTILE)}&q=%22%3E%3Cscript%3E`);
    await page.getByText('No domain matches').waitFor();
    await lab.service.call('PATCH', `/applications/${demo.application_id}`, { name: 'Shops' });
  });
});

describe('while a page is open', () => {
  test('a revoked session ends it, and none of its data stays on the screen', async () => {
    const { page, sessionId } = await lab.open('/domains');
    await row(page, 'shop.fern.auto.test').waitFor();
    await lab.service.call('DELETE', `/console-sessions/${sessionId}`);
    await heading(page, 'Your session has ended').waitFor({ timeout: 30_000 });
    expect(await page.getByText('shop.fern.auto.test').count()).toBe(0);
    expect(await violations(page, 'body')).toEqual([]);
  });

  test('another session in the same browser does not mix its data into the page', async () => {
    const { page } = await lab.open('/domains');
    const second = await lab.link({ environment: 'live' });
    const tab = await page.context().newPage();
    await tab.goto(second.url);
    await button(tab, 'Replace the session and sign in').click();
    await heading(tab, 'Overview').waitFor();
    await page.bringToFront();
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    // The page has started again with the session of the other tab, which reaches the live environment.
    await page.getByRole('radio', { name: 'Live' }).waitFor();
  });

  test('a restart of the API keeps what is shown, and the page continues on its own', async () => {
    const { page } = await lab.open('/domains');
    await row(page, 'shop.fern.auto.test').waitFor();
    await page.evaluate(() => ((window as unknown as { kept: boolean }).kept = true));
    await lab.service.stop();
    await page.getByText("We can't reach the service.").waitFor({ timeout: 30_000 });
    await row(page, 'shop.fern.auto.test').waitFor();
    expect(await violations(page, 'body')).toEqual([]);
    await lab.restart();
    await page.getByText("We can't reach the service.").waitFor({ state: 'detached', timeout: 60_000 });
    await lab.connect('after.restart.auto.test');
    await row(page, 'after.restart.auto.test').waitFor({ timeout: 60_000 });
    expect(await page.evaluate(() => (window as unknown as { kept?: boolean }).kept)).toBe(true);
  });
});
