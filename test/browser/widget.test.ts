import type { Page } from 'playwright-core';
import { violations } from './axe.ts';
import { until } from '../support/until.ts';
import {
  CLOUDFLARE,
  enter,
  managedName,
  sandboxName,
  start,
  startWidgetLab,
  stepsReported,
  receivedEvents,
  untilTitle,
  type WidgetLab,
} from '../support/fixtures/widget-lab.ts';
import { button, connect, connectionOf, pagesOf, toProgress, toRecords } from '../support/fixtures/widget-steps.ts';
import { EDGE_TARGET } from '../support/fixtures/internet-lab.ts';

jest.setTimeout(90_000);

/** The widget in a real browser, on a tenant's own origin, with the whole service and a real DNS. */
let lab: WidgetLab;
beforeAll(async () => {
  lab = await startWidgetLab();
}, 180_000);
afterAll(() => lab.stop());

const { open, keep } = pagesOf(() => lab);
const detailOf = (hostname: string) => connectionOf(lab, hostname);
const closeDetail = async (page: Page) => (await receivedEvents(page)).find(([name]) => name === 'svc:close')?.[1];

describe('from the first step to a live domain', () => {
  test('automatically if a credential covers the zone, with every event in the documented order and shape', async () => {
    const page = await open();
    const domain = managedName();
    expect(await violations(page)).toEqual([]);
    await enter(page, domain);
    await untilTitle(page, "Here's what we found");
    await page.getByText("We'll add the records for you").waitFor();
    expect(await violations(page)).toEqual([]);
    await button(page, 'Continue').click();
    await untilTitle(page, 'Setting up your domain');
    await page.getByText(/Everything else in your DNS, including email, stays as it is/).waitFor();
    expect(await violations(page)).toEqual([]);
    await untilTitle(page, 'Your domain is live');
    expect(await violations(page)).toEqual([]);
    expect(await page.getByRole('link', { name: /Visit your site/ }).getAttribute('href')).toBe(`https://${domain}`);
    await button(page, 'Done').click();

    const { id } = await detailOf(domain);
    const events = await receivedEvents(page);
    expect((await stepsReported(page)).filter((step) => step !== 'in_progress')).toEqual([
      'enter_domain',
      'domain_analysis',
      'automatic_setup',
      'success',
    ]);
    expect(events[0]).toEqual(['svc:step', { domain: null, provider: null, step: 'enter_domain', jobId: null }]);
    expect(events).toContainEqual(['svc:step', { domain, provider: 'sandbox', step: 'automatic_setup', jobId: id }]);
    expect(events.slice(-4)).toEqual([
      ['svc:success', { domain, success: true, setupType: 'automatic', provider: 'sandbox', jobId: id }],
      ['onSuccess', { id, domain }],
      [
        'svc:close',
        {
          domain,
          success: true,
          setupType: 'automatic',
          provider: 'sandbox',
          lastStatus: 'live',
          jobId: id,
          reason: 'completed',
        },
      ],
      ['onClose', { id, domain, succeeded: true }],
    ]);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('opener');
    expect(await page.locator('[data-svc-widget]').count()).toBe(0);
  });

  test('of a wildcard, whose record is at the star and which has no page to visit', async () => {
    const page = await open();
    const domain = `*.${managedName()}`;
    await enter(page, domain.toUpperCase());
    await untilTitle(page, "Here's what we found");
    await button(page, 'Continue').click();
    await untilTitle(page, 'Your domain is live');
    expect(await page.getByRole('link', { name: /Visit your site/ }).count()).toBe(0);
    expect((await detailOf(domain)).ownership_challenge.name).toBe(`_service-challenge.${domain.slice(2)}`);
    await button(page, 'Done').click();
  });

  test('manually: shows each record in the provider’s form with its problems, and continues when all are published', async () => {
    const page = await open();
    const { domain, hostname } = await toRecords(lab, page);
    const { ownership_challenge: challenge } = await detailOf(hostname);
    expect(await page.locator('.record code').allTextContents()).toEqual([
      '_service-challenge.shop',
      challenge.value,
      'shop',
      EDGE_TARGET,
    ]);
    expect(await page.getByRole('link', { name: /Open Cloudflare/ }).getAttribute('href')).toContain('dash.cloudflare');
    await page.getByText('How to add records at Cloudflare').click();
    await page.getByText('Open DNS › Records › Add record.').waitFor();
    await page.getByText('Turn off Proxy status.').waitFor();
    await page.locator('.pill.missing').nth(1).waitFor({ timeout: 30_000 });
    expect(await violations(page)).toEqual([]);

    const { powerdns } = lab.internet;
    await powerdns.set(domain, hostname, 'A', '192.0.2.77');
    await powerdns.set(domain, challenge.name, 'TXT', '"something else"');
    await button(page, "I've added the records").click();
    await page
      .locator('.record')
      .getByText('Conflicts with A 192.0.2.77. Delete that first, then add this record.')
      .waitFor();
    await page
      .locator('.record')
      .getByText('Found something else. Change it to the value above.')
      .waitFor({ timeout: 30_000 });
    expect(await violations(page)).toEqual([]);

    await powerdns.set(domain, hostname, 'A');
    await powerdns.set(domain, hostname, 'CNAME', `${EDGE_TARGET}.`);
    await powerdns.set(domain, challenge.name, 'TXT', `"${challenge.value}"`);
    await untilTitle(page, 'Your domain is live');
    expect(await stepsReported(page)).toEqual(
      expect.arrayContaining(['enter_domain', 'domain_analysis', 'manual_configuration', 'success']),
    );
    expect((await receivedEvents(page)).find(([name]) => name === 'svc:success')?.[1]).toMatchObject({
      setupType: 'manual',
      provider: 'cloudflare',
    });
  });

  test('nothing starts before the customer continues, even if the service could do everything', async () => {
    const page = await open();
    await page.clock.install();
    let creates = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/v1/connections')) creates += 1;
    });
    await enter(page, managedName());
    await untilTitle(page, "Here's what we found");
    await page.clock.runFor(60_000);
    await untilTitle(page, "Here's what we found");
    expect(creates).toBe(0);
    await button(page, 'Continue').click();
    await untilTitle(page, 'Your domain is live');
  });

  test('waiting shows a checklist and, after 45 seconds, advice', async () => {
    const page = await open();
    await page.clock.install();
    await toProgress(lab, page);
    await page.locator('.checklist .done').waitFor();
    expect(await page.locator('.notice.info').count()).toBe(0);
    await page.clock.fastForward(46_000);
    await page.getByText('This is taking longer than usual').waitFor();
    expect(await violations(page)).toEqual([]);
    await button(page, 'Show the records').click();
    await untilTitle(page, 'Add these records');
  });

  test('with the keyboard only', async () => {
    const page = await open();
    expect(await focused(page)).toBe('domain');
    await page.keyboard.type('http://shop');
    await page.keyboard.press('Enter');
    await page.getByText('Enter only the domain').waitFor();
    expect(await focused(page)).toBe('domain');
    await page.keyboard.press('Control+A');
    await page.keyboard.type(sandboxName('auto'));
    await page.keyboard.press('Enter');
    await untilTitle(page, "Here's what we found");
    expect(await focused(page)).toBe('title');
    await page.keyboard.press('Tab');
    expect(await page.locator('dialog :focus').textContent()).toBe('Use another domain');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await untilTitle(page, 'Your domain is live');
    await page.keyboard.press('Escape');
    await until(async () => (await closeDetail(page)) !== undefined);
    expect(await closeDetail(page)).toMatchObject({ reason: 'completed', success: true });
  });
});

/** Returns the id of the focused element in the widget. */
const focused = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.querySelector('[data-svc-widget]')?.shadowRoot?.activeElement?.id);

describe('a reload', () => {
  test('returns to the records, and entering a hostname again continues with its connection', async () => {
    const page = await open();
    const { hostname } = await toRecords(lab, page);
    const { id } = await detailOf(hostname);
    await page.reload();
    await start(page, { applicationId: lab.applicationId, token: await lab.mint() });
    await untilTitle(page, 'Add these records at Cloudflare');
    expect(await stepsReported(page)).toEqual(['manual_configuration']);

    const live = sandboxName('auto');
    await lab.service.untilLive(await lab.service.connect(live));
    const other = await open();
    await enter(other, live);
    await untilTitle(other, "Here's what we found");
    await button(other, 'Continue').click();
    await untilTitle(other, 'Your domain is live');
    expect((await detailOf(hostname)).id).toBe(id);
  });

  test('with a token for another domain starts from the beginning', async () => {
    const page = await open();
    await toRecords(lab, page);
    const bound = managedName();
    await page.reload();
    await start(page, { applicationId: lab.applicationId, token: await lab.mint(bound) });
    expect(await page.inputValue('#domain')).toBe(bound);
    expect(await page.locator('#domain').getAttribute('readonly')).not.toBeNull();
    expect(await violations(page)).toEqual([]);
  });
});

describe('closing the widget', () => {
  test('asks first while a setup is in progress: Escape opens and closes the question, "Leave" closes the widget', async () => {
    const page = await open();
    const { hostname } = await toRecords(lab, page);
    await page.keyboard.press('Escape');
    await page.getByText('Leave the setup?').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await until(async () => (await page.locator('dialog.overlay').count()) === 0);
    await button(page, 'Close').click();
    await button(page, 'Keep going').click();
    await page.keyboard.press('Escape');
    await button(page, 'Leave').click();
    expect(await closeDetail(page)).toEqual({
      domain: hostname,
      success: false,
      setupType: 'manual',
      provider: 'cloudflare',
      lastStatus: expect.stringMatching(/pending_ownership|verifying/) as string,
      jobId: (await detailOf(hostname)).id,
      reason: 'user_exit',
    });
  });

  test('does not ask before a connection exists, and the page can close it with Svc.close()', async () => {
    const page = await open();
    await page.keyboard.press('Escape');
    await until(async () => (await closeDetail(page)) !== undefined);
    expect(await closeDetail(page)).toMatchObject({ reason: 'user_exit', jobId: null, domain: null });
    await start(page, { applicationId: lab.applicationId, token: await lab.mint() });
    await page.evaluate(() => (window as unknown as { Svc: { close(): void } }).Svc.close());
    expect((await receivedEvents(page)).filter(([name]) => name === 'svc:close')[1]?.[1]).toMatchObject({
      reason: 'api',
    });
  });

  test('opening it twice shows one widget', async () => {
    const page = await open();
    await page.evaluate((options) => (window as unknown as { start(o: unknown): void }).start(options), {
      applicationId: lab.applicationId,
      token: 'another',
    });
    expect(await page.locator('[data-svc-widget]').count()).toBe(1);
    expect(await stepsReported(page)).toEqual(['enter_domain']);
  });
});

describe('when the service cannot be reached or refuses', () => {
  test('an expired session is shown over any step', async () => {
    const page = await open();
    await toRecords(lab, page);
    await page.route('**/v1/connections/**', (route) =>
      route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer ended' } }),
    );
    await page.getByText('Your session has expired').waitFor({ timeout: 30_000 });
    expect(await violations(page)).toEqual([]);
    await page.locator('.overlay').getByRole('button').click();
    expect(await closeDetail(page)).toMatchObject({ reason: 'session_expired', success: false });
  });

  test('an offline browser shows a notice, and setup continues when it is back online', async () => {
    const page = await open();
    const { domain, hostname } = await toRecords(lab, page);
    await page.context().setOffline(true);
    await page.getByText("You're offline", { exact: false }).first().waitFor({ timeout: 30_000 });
    expect(await violations(page)).toEqual([]);
    const { ownership_challenge: challenge } = await detailOf(hostname);
    await lab.internet.powerdns.set(domain, challenge.name, 'TXT', `"${challenge.value}"`);
    await lab.internet.powerdns.set(domain, hostname, 'CNAME', `${EDGE_TARGET}.`);
    await page.context().setOffline(false);
    await untilTitle(page, 'Your domain is live');
  });

  test('the customer can retry a check that the service did not answer', async () => {
    const page = await open();
    await page.route('**/v1/domains:check', (route) => route.abort());
    const domain = sandboxName('auto');
    await enter(page, domain);
    await untilTitle(page, "We couldn't connect this domain");
    expect(await violations(page)).toEqual([]);
    await page.unroute('**/v1/domains:check');
    await button(page, 'Try again').click();
    await untilTitle(page, "Here's what we found");
  });

  test('a hostname that the customer abandoned resumes with its connection', async () => {
    const page = await open();
    const { hostname } = await toRecords(lab, page);
    await page.route('**/v1/connections/*', (route) => route.fulfill({ status: 410, json: {} }));
    await untilTitle(page, "We couldn't connect this domain");
    await page.unroute('**/v1/connections/*');
    await button(page, 'Use another domain').click();
    await enter(page, hostname);
    await untilTitle(page, "Here's what we found");
    await button(page, 'Continue').click();
    await untilTitle(page, 'Add these records at Cloudflare');
  });

  test('on a slow network, a double click creates one connection', async () => {
    const page = await open();
    let creates = 0;
    await page.route('**/v1/connections', async (route) => {
      if (route.request().method() === 'POST') creates += 1;
      await new Promise((resolve) => setTimeout(resolve, 800));
      await route.continue();
    });
    await enter(page, sandboxName('auto'));
    await untilTitle(page, "Here's what we found");
    await button(page, 'Continue').dblclick();
    await untilTitle(page, 'Your domain is live');
    expect(creates).toBe(1);
  });

  test('a hidden page does not poll, and polls again when it is visible', async () => {
    const page = await open();
    await page.clock.install();
    await toRecords(lab, page);
    const answers: number[] = [];
    page.on('response', (response) => {
      if (response.request().method() === 'GET' && response.url().includes('/v1/connections/'))
        answers.push(response.status());
    });
    await until(() => answers.length > 0);
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { get: () => true, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    // Requests in flight finish. Then a minute passes, in which a visible page would poll.
    await page.waitForTimeout(1_000);
    const asked = answers.length;
    await page.clock.fastForward(60_000);
    await page.waitForTimeout(1_000);
    expect(answers.length).toBe(asked);
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { get: () => false, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await until(() => answers.length > asked);
  });

  test('a hostname that another account holds shows what to do', async () => {
    const page = await open();
    const name = sandboxName('auto');
    const { body } = await lab.service.call('POST', '/applications', { name: 'Another' });
    const made = await lab.service.call('POST', '/connections', { application_id: body['id'], hostname: name });
    await lab.service.untilLive(String(made.body['id']));
    await enter(page, name);
    await untilTitle(page, "Here's what we found");
    await button(page, 'Continue').click();
    await page.getByText(`${name} is already connected in another account.`, { exact: false }).waitFor();
    expect(await stepsReported(page)).toContain('error');
    await button(page, 'Use another domain').click();
    await untilTitle(page, 'Connect your domain');
    await page.keyboard.press('Escape');
  });
});

describe('on any page', () => {
  const origin = () => lab.service.demo().then(({ base_url }) => base_url);

  test('works under the strictest CSP and Trusted Types without console errors', async () => {
    const service = await origin();
    const policy = `default-src 'none'; script-src 'self' ${service}; style-src 'self'; connect-src ${service}; require-trusted-types-for 'script'; trusted-types 'none'`;
    const page = await lab.browser.newPage();
    keep(page);
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(lab.tenant.page({ policy }));
    await start(page, { applicationId: lab.applicationId, token: await lab.mint(), locale: 'de' });
    await enter(page, managedName());
    await untilTitle(page, 'Das haben wir gefunden');
    await button(page, 'Weiter').click();
    await untilTitle(page, 'Ihre Domain ist online');
    expect(errors.filter((text) => !text.includes('favicon'))).toEqual([]);
    expect(await page.locator('dialog.window').evaluate((dialog) => getComputedStyle(dialog).display)).toBe('flex');
  });

  test('works as a module', async () => {
    const page = await open({ page: { module: true } });
    await enter(page, managedName());
    await untilTitle(page, "Here's what we found");
  });

  test('works if the page resets every style and changes built-in prototypes', async () => {
    const page = await open({
      page: {
        css: '* { all: unset !important; } div { display: none !important; } :root { font-size: 4px; direction: rtl; }',
        before: `
          const broken = () => { throw new Error('broken by the page'); };
          Array.prototype.toJSON = function () { return 'array'; };
          String.prototype.toJSON = function () { return '"' + this + '"'; };
          Object.prototype.inherited = function () {};
          Array.prototype.inherited = function () {};
          for (const [owner, names] of [
            [Array.prototype, ['includes', 'find', 'flatMap', 'flat', 'at', 'findLast']],
            [String.prototype, ['replaceAll', 'padStart', 'at', 'matchAll']],
            [Element.prototype, ['remove', 'append', 'closest', 'matches']],
            [Promise.prototype, ['finally']],
          ]) for (const name of names) owner[name] = broken;
          window.close = broken;
        `,
      },
    });
    const panel = await page.locator('dialog.window').boundingBox();
    expect(panel!.width).toBeGreaterThan(400);
    expect(await page.locator('dialog.window h1').evaluate((h1) => getComputedStyle(h1).fontSize)).toBe('22px');
    await connect(page, managedName());
    await untilTitle(page, 'Your domain is live');
  });

  test('applies the tenant’s theme, and shows the brand name if the logo cannot be loaded', async () => {
    const page = await open({
      theme: {
        accentColor: 'rgb(255, 212, 0)',
        background: '#101418',
        radius: '2px',
        logoUrl: `${lab.tenant.origin}/no-such-logo.png`,
        hideBranding: true,
      },
    });
    await page.getByText('Larkspur', { exact: true }).waitFor();
    const styles = await page.getByRole('button', { name: 'Continue' }).evaluate((primary) => {
      const { backgroundColor, color, borderRadius } = getComputedStyle(primary);
      return { backgroundColor, color, borderRadius };
    });
    expect(styles).toEqual({ backgroundColor: 'rgb(255, 212, 0)', color: 'rgb(17, 17, 17)', borderRadius: '2px' });
    expect(await page.getByText('Domain setup by').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
  });

  test('shows Arabic from right to left, including problems with records', async () => {
    const page = await open({ locale: 'ar-EG' });
    const name = sandboxName('conflict');
    await enter(page, name);
    await untilTitle(page, 'إليك ما وجدناه');
    await button(page, 'متابعة').click();
    await page.locator('.record').getByText('غيّره إلى القيمة أعلاه', { exact: false }).waitFor({ timeout: 30_000 });
    expect(await page.locator('dialog.window').getAttribute('dir')).toBe('rtl');
    const [heading, close] = [
      await page.locator('h1').last().boundingBox(),
      await page.locator('.close').boundingBox(),
    ];
    expect(close!.x).toBeLessThan(heading!.x + heading!.width / 2);
    expect(await violations(page)).toEqual([]);
  });

  test.each([
    ['dark', { colorScheme: 'dark' }],
    ['forced colours', { forcedColors: 'active' }],
  ] as const)('axe finds no violations on the records in %s', async (_name, media) => {
    const page = await open({ context: { viewport: { width: 360, height: 740 }, ...media } });
    await toRecords(lab, page);
    expect(await violations(page)).toEqual([]);
  });

  test('at 320 pixels and at 400 % zoom nothing overflows sideways, and every target is 44 pixels high', async () => {
    for (const viewport of [
      { width: 320, height: 640 },
      { width: 320, height: 256 },
    ]) {
      const page = await open({ context: { viewport, reducedMotion: 'reduce' } });
      await enter(page, `a-rather-long-name-of-a-shop-that-sells-ceramics.${'b'.repeat(40)}.conflict.test`);
      await untilTitle(page, "Here's what we found");
      await button(page, 'Continue').click();
      await page.locator('.record').first().waitFor();
      const wide = await page.evaluate(() => {
        const inside = document.querySelector('[data-svc-widget]')!.shadowRoot!;
        return [...inside.querySelectorAll('*')]
          .filter((element) => !element.closest('.hidden') && element.getBoundingClientRect().right > innerWidth + 1)
          .map((element) => element.outerHTML.slice(0, 100));
      });
      expect(wide).toEqual([]);
      const low = await page.evaluate(() => {
        const inside = document.querySelector('[data-svc-widget]')!.shadowRoot!;
        return [...inside.querySelectorAll('button, a, summary, input')]
          .filter((element) => element.getBoundingClientRect().height < 44 && element.checkVisibility())
          .map((element) => element.outerHTML.slice(0, 100));
      });
      expect(low).toEqual([]);
      expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
    }
  });
});

describe('pages around the widget', () => {
  test('the demo page connects a domain until it is live', async () => {
    const { base_url } = await lab.service.demo();
    const page = await lab.browser.newPage();
    keep(page);
    await page.goto(`${base_url}/demo`);
    expect(await page.getByText("Your backend's part", { exact: false }).count()).toBe(1);
    expect(await violations(page, 'main')).toEqual([]);
    const name = (await page.locator('.name').first().textContent())!;
    await button(page, 'Connect a domain').click();
    await connect(page, name);
    await untilTitle(page, 'Your domain is live');
    await button(page, 'Done').click();
    await page.getByText(`${name} is connected`).waitFor();
  });

  test('the guide of a provider opens from the records, as a page that axe accepts', async () => {
    const page = await open();
    await toRecords(lab, page);
    await page.getByText('How to add records at Cloudflare').click();
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: /Detailed guide/ }).click();
    const guide = await opened;
    expect(await guide.textContent('h1')).toBe('Add the records at Cloudflare');
    expect(await violations(guide, 'html')).toEqual([]);
  });

  test('a shared page shows the records, updates itself, and works without JavaScript', async () => {
    const domain = await lab.domainAt(CLOUDFLARE);
    const hostname = `shop.${domain}`;
    const id = await lab.service.connect(hostname);
    const { body } = await lab.service.call('POST', `/connections/${id}/share`, {});
    const url = String(body['url']);
    const plain = await (await lab.browser.newContext({ javaScriptEnabled: false, locale: 'fr-FR' })).newPage();
    keep(plain);
    await plain.goto(url);
    expect(await plain.textContent('h1')).toBe(`Enregistrements DNS pour ${hostname}`);
    expect(await plain.locator('code').count()).toBe(4);

    const page = await lab.browser.newPage();
    keep(page);
    await page.goto(url);
    expect(await violations(page, 'html')).toEqual([]);
    const { ownership_challenge: challenge } = await detailOf(hostname);
    await lab.internet.powerdns.set(domain, challenge.name, 'TXT', `"${challenge.value}"`);
    await lab.internet.powerdns.set(domain, hostname, 'CNAME', `${EDGE_TARGET}.`);
    await page.getByText(`${hostname} is live. There's nothing left to do.`).waitFor({ timeout: 40_000 });
    expect(await violations(page, 'html')).toEqual([]);
  });
});
