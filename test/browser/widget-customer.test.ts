import type { Page } from 'playwright-core';
import { violations } from './axe.ts';
import { until } from '../support/until.ts';
import { EDGE_TARGET } from '../support/fixtures/internet-lab.ts';
import {
  CLOUDFLARE,
  enter,
  managedName,
  receivedEvents,
  sandboxName,
  start,
  startWidgetLab,
  untilTitle,
  type WidgetLab,
} from '../support/fixtures/widget-lab.ts';
import { button, connect, connectionOf, pagesOf, toProgress, toRecords } from '../support/fixtures/widget-steps.ts';

jest.setTimeout(90_000);

/** Details that decide whether a customer finds the way through the widget. */
let lab: WidgetLab;
beforeAll(async () => {
  lab = await startWidgetLab();
}, 180_000);
afterAll(() => lab.stop());
const { open } = pagesOf(() => lab);

const reopen = async (page: Page) => {
  await page.reload();
  await start(page, { applicationId: lab.applicationId, token: await lab.mint(), brandName: 'Larkspur' });
};

describe('a customer who entered a wrong domain', () => {
  test.each([
    ['the analysis', async (page: Page) => enter(page, sandboxName('stall')).then(() => untilTitle(page, 'found'))],
    ['the records', (page: Page) => toRecords(lab, page)],
    ['the progress', (page: Page) => toProgress(lab, page)],
    ['the end', async (page: Page) => connect(page, managedName()).then(() => untilTitle(page, 'is live'))],
  ])('can use another one from %s, and a reload does not bring the first one back', async (_step, go) => {
    const page = await open();
    await go(page);
    await button(page, 'Use another domain').click();
    await untilTitle(page, 'Connect your domain');
    await reopen(page);
    await untilTitle(page, 'Connect your domain');
    const other = managedName();
    await connect(page, other);
    await untilTitle(page, 'Your domain is live');
    expect((await receivedEvents(page)).at(-1)).toEqual(['onSuccess', expect.objectContaining({ domain: other })]);
  });

  test('can leave while the check is running, and its late answer changes nothing', async () => {
    const page = await open();
    let answer: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (answer = resolve));
    const answered = page.waitForResponse('**/v1/domains:check');
    await page.route('**/v1/domains:check', async (route) => {
      const response = await route.fetch();
      await released;
      await route.fulfill({ response });
    });
    await enter(page, managedName());
    await untilTitle(page, 'Checking your domain');
    await button(page, 'Use another domain').click();
    answer();
    await answered;
    await untilTitle(page, 'Connect your domain');
    expect(await page.locator('dialog h1').textContent()).toBe('Connect your domain');
  });

  test('cannot if the token is bound to one domain', async () => {
    const domain = managedName();
    const page = await open({ domain });
    await button(page, 'Continue').click();
    await untilTitle(page, "Here's what we found");
    expect(await button(page, 'Use another domain').count()).toBe(0);
  });
});

describe('the domain', () => {
  test('of a pasted URL is taken from it, and the widget shows what it took', async () => {
    const page = await open();
    const domain = managedName();
    await enter(page, `https://${domain}:8443/products?sort=new#top`);
    await untilTitle(page, "Here's what we found");
    await page.getByText(`From the address that you entered, we use only ${domain}.`).waitFor();
    expect(await page.locator('.domain bdi').textContent()).toBe(domain);
    expect(await violations(page)).toEqual([]);
  });

  test('is shown as people write it, and copied as DNS needs it', async () => {
    const page = await open({ context: { permissions: ['clipboard-read', 'clipboard-write'] } });
    const domain = await lab.domainAt(CLOUDFLARE);
    await connect(page, `BÜCHER.${domain}`);
    await untilTitle(page, 'Add these records at Cloudflare');
    expect(await page.locator('.domain bdi').textContent()).toBe(`bücher.${domain}`);
    const name = page.locator('.record').nth(1).locator('.field').first();
    expect(await name.locator('bdi').textContent()).toBe('bücher');
    expect(await name.locator('code').textContent()).toBe('xn--bcher-kva');
    await name.getByRole('button').click();
    await until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === 'xn--bcher-kva');
    expect(await violations(page)).toEqual([]);
  });

  test('at an apex can bring its www, whose records are shown too', async () => {
    const page = await open();
    const domain = await lab.domainAt(CLOUDFLARE);
    await enter(page, domain);
    await untilTitle(page, "Here's what we found");
    const choice = page.getByRole('checkbox', { name: `Also connect www.${domain}` });
    expect(await choice.isChecked()).toBe(false);
    await choice.check();
    expect(await violations(page)).toEqual([]);
    await button(page, 'Continue').click();
    await untilTitle(page, 'Add these records at Cloudflare');
    const names = await page.locator('.record .field:first-child code').allTextContents();
    expect(names).toEqual(expect.arrayContaining(['_service-challenge', '_service-challenge.www', 'www', '@']));
  });

  test('at an apex stays alone if the customer does not choose www', async () => {
    const page = await open();
    const domain = await lab.domainAt(CLOUDFLARE);
    await connect(page, domain);
    await untilTitle(page, 'Add these records at Cloudflare');
    expect(await page.locator('.record code', { hasText: 'www' }).count()).toBe(0);
  });
});

/** Makes the first answers about a connection those from before the service's first check, which otherwise needs luck. */
async function answerUnchecked(page: Page, times: number): Promise<void> {
  let answers = 0;
  await page.route(/\/v1\/connections\/[^/]+$/, async (route) => {
    const response = await route.fetch();
    answers += 1;
    if (answers > times) return route.fulfill({ response });
    const body = (await response.json()) as { records_to_add: { relative_host: string }[] };
    const json = {
      ...body,
      provider: null,
      provider_name: null,
      provider_panel: null,
      last_checked_at: null,
      records_to_add: body.records_to_add.map((record) => ({
        ...record,
        panel_host: record.relative_host,
        status: 'unchecked',
      })),
    };
    return route.fulfill({
      response,
      json,
      headers: { ...response.headers(), etag: `"${answers}"`, 'retry-after': '2' },
    });
  });
}

describe('the records', () => {
  test('keep their names and their place from the moment they appear', async () => {
    const page = await open();
    await answerUnchecked(page, 1);
    // Records every name that is ever shown, and where the first record is.
    await page.evaluate(() => {
      const seen = new Set<string>();
      (window as unknown as { seen: Set<string> }).seen = seen;
      const watch = () => {
        const root = document.querySelector('[data-svc-widget]')?.shadowRoot;
        for (const code of root?.querySelectorAll('.record .field:first-child code') ?? []) seen.add(code.textContent);
        const top = root?.querySelector('.record')?.getBoundingClientRect().top;
        if (top !== undefined) seen.add(`at ${Math.round(top)}`);
        requestAnimationFrame(watch);
      };
      watch();
    });
    const hostname = sandboxName('brand');
    await connect(page, hostname);
    await untilTitle(page, 'Add these records');
    await page.locator('.pill.missing').nth(1).waitFor({ timeout: 30_000 });
    const seen = await page.evaluate(() => [...(window as unknown as { seen: Set<string> }).seen]);
    expect(seen.filter((text) => !text.startsWith('at ')).sort()).toEqual([`_service-challenge.${hostname}`, hostname]);
    expect(seen.filter((text) => text.startsWith('at '))).toHaveLength(1);
  });

  test('appear after 15 seconds even if the service has not checked the domain', async () => {
    const page = await open();
    await page.clock.install();
    await answerUnchecked(page, Infinity);
    await connect(page, `shop.${await lab.domainAt(CLOUDFLARE)}`);
    await page.waitForResponse(/\/v1\/connections\/[^/]+$/);
    await untilTitle(page, "Here's what we found");
    await page.clock.fastForward(16_000);
    await untilTitle(page, 'Add these records at Cloudflare');
  });

  test('come with the domain above them and with instructions, even at an unknown provider', async () => {
    const page = await open();
    const domain = await lab.domainAt('ns1.nobody-knows.com');
    await connect(page, `shop.${domain}`);
    await untilTitle(page, 'Add these records at your DNS provider');
    const [above, first] = [
      await page.locator('.domain').boundingBox(),
      await page.locator('.record').first().boundingBox(),
    ];
    expect(above!.y).toBeLessThan(first!.y);
    await page.getByText('How to add records at your DNS provider').click();
    await page.getByText('Open the DNS settings of your domain.').waitFor();
    expect(await page.getByRole('link', { name: /guide/ }).count()).toBe(0);
  });

  test('that keep a hostname in DNS come first with the reason, until they exist', async () => {
    const page = await open();
    const domain = await lab.domainAt(CLOUDFLARE);
    const hostname = `shop.${domain}`;
    await lab.internet.powerdns.set(domain, `*.${domain}`, 'A', '192.0.2.1');
    const reason = page.getByText(`${hostname} works only through your wildcard record *.${domain}: add A 192.0.2.1`);
    await enter(page, hostname);
    await untilTitle(page, "Here's what we found");
    await reason.waitFor();
    await button(page, 'Continue').click();
    await untilTitle(page, 'Add these records at Cloudflare');
    await reason.waitFor();
    expect(await page.locator('.record .type').allTextContents()).toEqual(['A', 'TXT', 'CNAME']);
    expect(await page.locator('.record').first().locator('code').allTextContents()).toEqual(['shop', '192.0.2.1']);
    expect(await violations(page)).toEqual([]);

    const { id } = await connectionOf(lab, hostname);
    const { body } = await lab.service.call('POST', `/connections/${id}/share`, {});
    const shared = await lab.browser.newPage();
    await shared.goto(String(body['url']));
    await shared.getByText(`${hostname} works only through your wildcard record`).waitFor();
    expect(await shared.locator('.head strong').allTextContents()).toEqual(['A', 'TXT', 'CNAME']);
    await shared.close();

    await lab.internet.powerdns.set(domain, hostname, 'A', '192.0.2.1');
    await reason.waitFor({ state: 'detached', timeout: 30_000 });
    expect(await page.locator('.record .type').allTextContents()).toEqual(['TXT', 'CNAME']);
  });

  test('that conflict are named next to the button after the customer has confirmed them', async () => {
    const page = await open();
    const { domain, hostname } = await toRecords(lab, page);
    await lab.internet.powerdns.set(domain, hostname, 'A', '192.0.2.77');
    await button(page, "I've added the records").click();
    const found = page.locator('footer [role=alert]');
    await found.getByText('We checked your records just now').waitFor();
    await found.getByText(`CNAME ${hostname}. Conflicts with A 192.0.2.77.`, { exact: false }).waitFor();
    expect(await violations(page)).toEqual([]);
    await lab.internet.powerdns.set(domain, hostname, 'A');
    await lab.internet.powerdns.set(domain, hostname, 'CNAME', `${EDGE_TARGET}.`);
    await found.waitFor({ state: 'detached', timeout: 30_000 });
  });

  test('that are still missing are named while the customer waits', async () => {
    const page = await open();
    const { hostname } = await toProgress(lab, page);
    const statuses = page.locator('.statuses li');
    await statuses
      .filter({ hasText: `CNAME${hostname}` })
      .filter({ hasText: 'Not found yet' })
      .waitFor({ timeout: 30_000 });
    expect(await statuses.count()).toBe(2);
    expect(await statuses.first().textContent()).toContain(`_service-challenge.${hostname}`);
    expect(await violations(page)).toEqual([]);
  });
});

test('closing asks nothing where the window may be closed', async () => {
  const page = await open();
  const { hostname } = await toProgress(lab, page);
  await page.getByText('You can close this window.', { exact: false }).waitFor();
  await button(page, 'Close').click();
  const { id } = await connectionOf(lab, hostname);
  await until(async () => (await receivedEvents(page)).some(([name]) => name === 'svc:close'));
  expect((await receivedEvents(page)).at(-1)).toEqual(['onClose', { id, domain: hostname, succeeded: false }]);
});
