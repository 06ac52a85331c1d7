import type { Page } from 'playwright-core';
import { violations } from './axe.ts';
import { until } from '../support/until.ts';
import { EDGE_TARGET } from '../support/fixtures/internet-lab.ts';
import { startTenantPages, type TenantPages } from '../support/fixtures/tenant-page.ts';
import {
  enter,
  managedName,
  start,
  startWidgetLab,
  stepsReported,
  untilTitle,
  type WidgetLab,
} from '../support/fixtures/widget-lab.ts';
import { button, connect, connectionOf, pagesOf, toRecords } from '../support/fixtures/widget-steps.ts';

jest.setTimeout(90_000);

/** The widget and the tenant's own page: its origin, its token, its callbacks, and the files that it loads. */
let lab: WidgetLab;
/** A site of the tenant whose origin no application allows. */
let stranger: TenantPages;
beforeAll(async () => {
  lab = await startWidgetLab();
  stranger = await startTenantPages((await lab.service.demo()).base_url);
}, 180_000);
afterAll(async () => {
  await stranger.stop();
  await lab.stop();
});
const { open, keep } = pagesOf(() => lab);

/** Collects what the page's developer reads in the console. */
function consoleOf(page: Page): string[] {
  const lines: string[] = [];
  page.on('console', (message) => lines.push(`${message.type()}: ${message.text()}`));
  return lines;
}
const untilPrinted = (lines: string[], ...parts: string[]) =>
  until(() => lines.some((line) => parts.every((part) => line.includes(part))));

describe('a page whose origin the application does not allow', () => {
  const openAt = async (tenant: TenantPages, applicationId: string, token: string) => {
    const page = keep(await lab.browser.newPage());
    const lines = consoleOf(page);
    await page.goto(tenant.page());
    await start(page, { applicationId, token, brandName: 'Larkspur' });
    return { page, lines };
  };

  test('shows that the site is not set up yet, and names the missing origin in the console', async () => {
    const { page, lines } = await openAt(stranger, lab.applicationId, await lab.mint());
    await enter(page, managedName());
    await untilTitle(page, "This isn't set up yet");
    await page.getByText("Larkspur hasn't finished setting up custom domains", { exact: false }).waitFor();
    await untilPrinted(
      lines,
      'error: [svc]',
      stranger.origin,
      'allowed_origins',
      `/v1/applications/${lab.applicationId}`,
    );
    expect(await violations(page)).toEqual([]);
  });

  test('is noticed too if the tenant removes the origin while a setup is in progress', async () => {
    const { service } = lab;
    const { body } = await service.call('POST', '/applications', { name: 'New', allowed_origins: [stranger.origin] });
    const id = String(body['id']);
    const { body: minted } = await service.call('POST', '/tokens', { application_id: id });
    const { page } = await openAt(stranger, id, String(minted['auth_token']));
    await toRecords(lab, page);
    await service.call('PATCH', `/applications/${id}`, { allowed_origins: [] });
    await untilTitle(page, "This isn't set up yet");
  });
});

test('a token of another application is noticed before the customer enters anything', async () => {
  const page = keep(await lab.browser.newPage());
  const lines = consoleOf(page);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(lab.tenant.page());
  const applicationId = '019a0000-0000-7000-8000-000000000001';
  await start(page, { applicationId, token: await lab.mint(), brandName: 'Larkspur' });
  await untilTitle(page, "This isn't set up yet");
  await untilPrinted(lines, 'error: [svc]', applicationId, lab.applicationId);
  expect(asked.filter((url) => url.includes('/v1/domains'))).toEqual([]);
});

describe('getToken', () => {
  /** Makes the service refuse a token, as it does when the token has expired. */
  const expire = (page: Page, token: string) =>
    page.route('**/v1/**', async (route) => {
      const headers = route.request().headers();
      const isOver = headers['authorization'] === `Bearer ${token}`;
      await route.continue(isOver ? { headers: { ...headers, authorization: 'Bearer over' } } : {});
    });

  test('renews an expired token, and the customer continues without opening the widget again', async () => {
    const token = await lab.mint();
    let renewals = 0;
    const getToken = () => {
      renewals += 1;
      return lab.mint();
    };
    const page = await open({ token, callbacks: { getToken } });
    const { domain, hostname } = await toRecords(lab, page);
    await expire(page, token);
    const { ownership_challenge: challenge } = await connectionOf(lab, hostname);
    await lab.internet.powerdns.set(domain, challenge.name, 'TXT', `"${challenge.value}"`);
    await lab.internet.powerdns.set(domain, hostname, 'CNAME', `${EDGE_TARGET}.`);
    await untilTitle(page, 'Your domain is live');
    expect(renewals).toBe(1);
    expect(await page.getByText('Your session has expired').count()).toBe(0);
  });

  test('cannot replace the token by one of another customer', async () => {
    const token = await lab.mint();
    const { body } = await lab.service.call('POST', '/tokens', {
      application_id: lab.applicationId,
      external_id: 'another customer',
    });
    const page = await open({ token, callbacks: { getToken: () => Promise.resolve(String(body['auth_token'])) } });
    const lines = consoleOf(page);
    await toRecords(lab, page);
    await expire(page, token);
    await page.getByText('Your session has expired').waitFor({ timeout: 30_000 });
    await untilPrinted(lines, 'error: [svc] getToken');
  });
});

describe('onShare', () => {
  test('gives the customer a link for a colleague, who sees the records', async () => {
    const onShare = async ({ id }: { id: string }) => {
      const { body } = await lab.service.call('POST', `/connections/${id}/share`, {});
      return { url: String(body['url']) };
    };
    const page = await open({ callbacks: { onShare } });
    const { hostname } = await toRecords(lab, page);
    await button(page, 'Send to a colleague').click();
    await page.getByText('Send this link to the person who manages your DNS', { exact: false }).waitFor();
    expect(await violations(page)).toEqual([]);
    const url = (await page.locator('.send code').textContent())!;
    const colleague = keep(await lab.browser.newPage());
    await colleague.goto(url);
    expect(await colleague.textContent('h1')).toBe(`DNS records for ${hostname}`);
  });

  test('that fails shows that, and the customer can try again', async () => {
    const page = await open({ callbacks: { onShare: () => Promise.reject(new Error('no')) } });
    await toRecords(lab, page);
    await button(page, 'Send to a colleague').click();
    await page.getByText("We couldn't create a link", { exact: false }).waitFor();
    await button(page, 'Send to a colleague').waitFor();
  });

  test('without it the records step offers no link', async () => {
    const page = await open();
    await toRecords(lab, page);
    expect(await button(page, 'Send to a colleague').count()).toBe(0);
  });
});

describe('the operator’s product name', () => {
  test('is not shown unless the operator sets it', async () => {
    const page = await open();
    await connect(page, managedName());
    await untilTitle(page, 'Your domain is live');
    expect(await page.getByText('Domain setup by').count()).toBe(0);
  });

  test('is shown below each step if it is set, unless the tenant hides it', async () => {
    const settings = (page: Page) =>
      page.route('**/sdk/v1/settings.json', (route) => route.fulfill({ json: { product_name: 'Acme Domains' } }));
    for (const hideBranding of [false, true]) {
      const page = keep(await lab.browser.newPage());
      await settings(page);
      await page.goto(lab.tenant.page());
      await start(page, { applicationId: lab.applicationId, token: await lab.mint(), theme: { hideBranding } });
      const line = page.getByText('Domain setup by Acme Domains');
      if (hideBranding) expect(await line.count()).toBe(0);
      else await line.waitFor();
    }
  });
});

describe('files that the widget loads later', () => {
  test('do not run if their content is not that of the build', async () => {
    const page = keep(await lab.browser.newPage());
    const { base_url } = await lab.service.demo();
    const script = await (await fetch(`${base_url}/sdk/v1/widget.js`)).text();
    const name = /setup-[0-9a-f]{16}\.mjs/.exec(script)?.[0] ?? '';
    const body = `window.changed = true;${await (await fetch(`${base_url}/sdk/v1/${name}`)).text()}`;
    const headers = { 'access-control-allow-origin': '*', 'content-type': 'text/javascript' };
    await page.route(`**/sdk/v1/${name}*`, (route) => route.fulfill({ headers, body }));
    await page.goto(lab.tenant.page());
    await start(page, { applicationId: lab.applicationId, token: await lab.mint() });
    await enter(page, managedName());
    await untilTitle(page, "We couldn't connect this domain");
    expect(await page.evaluate(() => 'changed' in window)).toBe(false);
  });

  test('are loaded again if they did not arrive', async () => {
    const page = keep(await lab.browser.newPage());
    await page.route('**/sdk/v1/setup-*.mjs*', (route) => route.abort());
    await page.goto(lab.tenant.page());
    await start(page, { applicationId: lab.applicationId, token: await lab.mint() });
    await enter(page, managedName());
    await untilTitle(page, "We couldn't connect this domain");
    await page.unroute('**/sdk/v1/setup-*.mjs*');
    await button(page, 'Try again').click();
    await untilTitle(page, "Here's what we found");
    expect(await stepsReported(page)).toContain('domain_analysis');
  });
});
