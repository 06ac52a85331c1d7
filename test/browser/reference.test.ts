import type { Browser, Locator, Page } from 'playwright-core';
import { cacheDir } from '../../src/embedded/folders.ts';
import { loadReference } from '../../src/sdk/files.ts';
import { startTestApi, type TestApi } from '../support/fixtures/api.ts';
import { launchChromium } from '../support/servers/chromium.ts';
import { until } from '../support/until.ts';
import { violations } from './axe.ts';

jest.setTimeout(180_000);

/** The API reference in a real browser, with the API behind it. */
let api: TestApi;
let browser: Browser;
const problems: string[] = [];

beforeAll(async () => {
  [api, browser] = await Promise.all([
    loadReference(cacheDir()).then((referenceFiles) => startTestApi({ referenceFiles })),
    launchChromium(),
  ]);
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

async function open(hash = '', context: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const page = await (await browser.newContext({ reducedMotion: 'reduce', ...context })).newPage();
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(`${api.baseUrl}/docs${hash}`);
  return page;
}

test('works in light and dark, at 1280 and 360 px, without a violation or a blocked file', async () => {
  const page = await open('#get_connections', { colorScheme: 'light' });
  // One article of each kind is enough: the others differ in their texts, and a whole page takes axe a minute.
  await page.evaluate(() => {
    for (const article of document.querySelectorAll('article:not(#post_tokens, #get_connections, #schema-Finding)'))
      article.remove();
    for (const link of document.querySelectorAll<HTMLAnchorElement>('nav li > a'))
      if (document.querySelector(link.hash) === null) link.remove();
  });
  await page.locator('#post_tokens .try').click();
  for (const width of [1280, 360])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      expect([width, colorScheme, await violations(page, 'body')]).toEqual([width, colorScheme, []]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect([width, overflow]).toEqual([width, Math.min(overflow, 0)]);
    }
  expect(problems).toEqual([]);
});

test('a person finds a request with the keyboard, and a link to it opens it in the language that was chosen', async () => {
  const page = await open();
  await page.keyboard.press('/');
  await page.keyboard.type('signing secret');
  await page.getByText(/^\d+ found$/).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/#(?:post|get)_webhook-endpoints/);
  const article = page.locator('#post_tokens');
  await article.getByRole('button', { name: 'Python' }).click();
  expect(await article.locator('.sample:visible').innerText()).toContain('urlopen(request)');
  await page.goto(`${api.baseUrl}/docs#get_events`);
  await page.reload();
  expect(await page.locator('#get_events .sample:visible').innerText()).toContain('urlopen(request)');
  await until(async () => (await page.locator('#get_events h3').boundingBox())!.y < 400, 30_000);
});

test('the chosen theme stays', async () => {
  const page = await open('', { colorScheme: 'light' });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole('button', { name: 'Dark mode' }).click();
  const dark = await background();
  expect(dark).not.toBe(light);
  await page.reload();
  expect(await background()).toBe(dark);
});

test('a request is sent with the pasted key, and with the id of the person’s own application', async () => {
  const tenant = await api.tenant();
  const page = await open('#post_tokens');
  const article = page.locator('#post_tokens');
  await article.getByRole('button', { name: 'Try it' }).click();
  await article.getByRole('button', { name: 'Send POST' }).click();
  await article.getByRole('link', { name: 'Paste an API key' }).click();
  await page.getByLabel('API key for requests').fill(tenant.test.key);
  await page.locator('#get_applications').getByRole('button', { name: 'Try it' }).click();
  await page.locator('#get_applications').getByRole('button', { name: 'Send GET' }).click();
  await page.locator('#get_applications .ok').getByText('200 OK').waitFor();
  const create = page.locator('#post_connections');
  await create.getByRole('button', { name: 'Try it' }).click();
  await expectValue(create.getByLabel('Body'), tenant.test.application_id);
  await create.getByRole('button', { name: 'Send POST' }).click();
  await create.locator('.ok').getByText('201 Created').waitFor();
  expect(await create.locator('.output pre').innerText()).toContain('"shop.brand.test"');
  const one = page.locator('#get_connections_by_id');
  await one.getByRole('button', { name: 'Try it' }).click();
  await one.getByRole('button', { name: 'Send GET' }).click();
  await one.locator('.ok').getByText('200 OK').waitFor();
});

const expectValue = (field: Locator, text: string) =>
  until(async () => (await field.inputValue()).includes(text), 30_000);
