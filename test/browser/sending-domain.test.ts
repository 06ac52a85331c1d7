import type { Browser } from 'playwright-core';
import { Service } from '../support/fixtures/service.ts';
import { startProviderLab, type Customer, type ProviderLab } from '../support/fixtures/provider-lab.ts';
import { startTenantPages, type TenantPages } from '../support/fixtures/tenant-page.ts';
import { start, untilTitle } from '../support/fixtures/widget-lab.ts';
import { button, connect } from '../support/fixtures/widget-steps.ts';
import { launchChromium } from '../support/servers/chromium.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { violations } from './axe.ts';

/** A sending domain: three DKIM keys of the customer's own, a sender policy that is merged, and a DMARC policy. */
const SENDING = [
  ...[1, 2, 3].map((number) => ({
    host: `{var.selector}${number}._domainkey`,
    type: 'CNAME',
    value: `{var.selector}${number}.dkim.saas-product.com`,
  })),
  { host: '@', type: 'TXT', value: 'v=spf1 include:spf.saas-product.com ~all' },
  { host: '_dmarc', type: 'TXT', value: 'v=DMARC1; p=none' },
];
const MAIL = [
  { name: '', type: 'MX', ttl: 3600, rdata: '10 mail.example.net.' },
  { name: '', type: 'TXT', ttl: 3600, rdata: '"v=spf1 include:example.net -all"' },
];
const MERGED = 'v=spf1 include:example.net include:spf.saas-product.com -all';
const PROVIDERS = ['cloudflare', 'route53', 'hetzner'];

let lab: ProviderLab;
let service: Service;
let browser: Browser;
let tenant: TenantPages;
let applicationId: string;
beforeAll(async () => {
  lab = await startProviderLab(PROVIDERS, MAIL);
  service = await Service.start(await tempFolder(), lab.env);
  const { base_url } = await service.demo();
  browser = await launchChromium();
  tenant = await startTenantPages(base_url);
  const application = { name: 'Mail', record_template: SENDING, allowed_origins: [tenant.origin, base_url] };
  const { body } = await service.call('POST', '/applications', application);
  applicationId = String(body['id']);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await tenant.stop();
  await service.stop();
  await lab.stop();
});

const customerOf = (slug: string): Customer => lab.customers.find((one) => one.slug === slug)!;

test.each(PROVIDERS)(
  'at %s the widget adds the records of a sending domain, and leaves the merged sender policy to the customer',
  async (slug) => {
    const { double, zone } = customerOf(slug);
    const others = double.dump(zone);
    const credential = { provider: slug, credentials: double.credential };
    expect(await service.call('POST', `/applications/${applicationId}/credentials`, credential)).toMatchObject({ status: 201 }); // prettier-ignore
    const minted = await service.call('POST', '/tokens', { application_id: applicationId, serve: false, variables: { selector: 'k' } }); // prettier-ignore
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 860 } })).newPage();
    await page.goto(tenant.page({}));
    await start(page, { applicationId, token: String(minted.body['auth_token']), brandName: 'Larkspur' });

    await connect(page, zone);
    await untilTitle(page, 'Your records are in place');
    await page.getByText('One step is left for you').waitFor();
    // Some panels want quotes around a text.
    const shown = await page.locator('.record code').allTextContents();
    expect(shown.map((text) => text.replace(/^"|"$/g, ''))).toContain(MERGED);
    expect(await page.getByRole('link', { name: /Visit your site/ }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await button(page, 'Done').click();
    await page.close();

    const added = double
      .served(zone)
      .filter(({ name }) => name !== zone)
      .map(({ name, type }) => `${type} ${name.replace(`.${zone}`, '')}`);
    expect(added.toSorted()).toEqual([
      ...[1, 2, 3].map((number) => `CNAME k${number}._domainkey`),
      'TXT _dmarc',
      'TXT _service-challenge',
    ]);
    expect(double.dump(zone)).toEqual(expect.arrayContaining(others));
  },
  120_000,
);

test('the API shows the same to a tenant who creates the connection itself', async () => {
  const { zone } = customerOf('route53');
  const { body } = await service.call('GET', `/connections?hostname=${zone}`);
  const [{ id }] = body['data'] as [{ id: string }];
  const { body: shown } = await service.call('GET', `/connections/${id}`);
  expect(shown).toMatchObject({ state: 'live', serve: false, variables: { selector: 'k' }, setup_type: 'automatic' });
  const records = shown['records_to_add'] as { value: string; status: string; required: boolean }[];
  expect(records.find(({ value }) => value === MERGED)).toMatchObject({ required: false, status: 'wrong' });
  expect(records.filter(({ required }) => required).map(({ status }) => status)).toEqual(Array(5).fill('found'));
});
