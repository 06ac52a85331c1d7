import type { Page } from 'playwright-core';
import { violations } from './axe.ts';
import { until } from '../support/until.ts';
import { enter, startWidgetLab, untilTitle, type WidgetLab } from '../support/fixtures/widget-lab.ts';
import { button, liveShop, OLD_SPF, pagesOf } from '../support/fixtures/widget-steps.ts';
import type { EmailApplied } from '../../src/widget/types.ts';

jest.setTimeout(120_000);

/** The email step at the end of the widget. */
let lab: WidgetLab;
beforeAll(async () => {
  lab = await startWidgetLab();
}, 180_000);
afterAll(() => lab.stop());
const { open } = pagesOf(() => lab);

/** Opens the widget at the end of a hostname's setup. */
async function openAtEnd(
  { hostname }: { hostname: string },
  options: NonNullable<Parameters<WidgetLab['open']>[0]> = {},
  words: { found: string; continue: string; live: string } = {
    found: "Here's what we found",
    continue: 'Continue',
    live: 'Your domain is live',
  },
): Promise<Page> {
  const page = await open({ email: true, ...options });
  await enter(page, hostname);
  await untilTitle(page, words.found);
  await button(page, words.continue).click();
  await untilTitle(page, words.live);
  return page;
}

const card = (page: Page, type: string, text: string) =>
  page
    .locator('.email .record')
    .filter({ has: page.locator('.type', { hasText: type }) })
    .filter({ hasText: text });

describe('at a domain that has mail', () => {
  let mail: Awaited<ReturnType<typeof liveShop>>;
  beforeAll(async () => {
    mail = await liveShop(lab, { withMail: true });
  }, 60_000);

  test('the step is about the domain, shows what exists, and changes the SPF record instead of adding a second one', async () => {
    const page = await openAtEnd(mail);
    await page.getByRole('heading', { name: `Email for ${mail.domain}` }).waitFor();
    await button(page, 'Google Workspace').click();
    const spf = card(page, 'TXT', '_spf.google.com');
    await spf.waitFor();
    expect(await spf.locator('.pill').textContent()).toBe('Change');
    expect(await spf.locator('s').textContent()).toContain(OLD_SPF);
    expect(await spf.locator('.field').last().textContent()).toContain('include:_spf.old-host.com');
    await page.getByText('A second SPF record would void both.', { exact: false }).waitFor();
    await page.getByText(`Email for ${mail.domain} goes to mail.old-host.com today`, { exact: false }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('the notes are in the customer’s language', async () => {
    const words = { found: 'Das haben wir gefunden', continue: 'Weiter', live: 'Ihre Domain ist online' };
    const page = await openAtEnd(mail, { locale: 'de' }, words);
    await button(page, 'Google Workspace').click();
    await page.getByText('Ein zweiter SPF-Eintrag würde beide ungültig machen.', { exact: false }).waitFor();
    expect(await page.locator('.email').textContent()).not.toContain('Hinzufügen: TXT @');
  });

  test('records are shown and copied as on the other steps', async () => {
    const page = await openAtEnd(mail, { context: { permissions: ['clipboard-read', 'clipboard-write'] } });
    await button(page, 'Google Workspace').click();
    const dmarc = card(page, 'TXT', '_dmarc');
    await dmarc.locator('.copy svg').first().waitFor();
    await dmarc.getByRole('button', { name: /^Copy Name/ }).click();
    await until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === '_dmarc');
  });

  test('without the host page’s help nothing can be written, only copied', async () => {
    const page = await openAtEnd(mail);
    await button(page, 'Google Workspace').click();
    await card(page, 'TXT', '_dmarc').waitFor();
    expect(await button(page, 'Add what can be added for me').count()).toBe(0);
  });

  test('an expired session is shown over this step too', async () => {
    const page = await open({ email: true });
    await page.route(/include=email_setup/, (route) =>
      route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer over' } }),
    );
    await enter(page, mail.hostname);
    await untilTitle(page, "Here's what we found");
    await button(page, 'Continue').click();
    await page.getByText('Your session has expired').waitFor();
  });

  test('if the published records are unknown, a warning comes before them', async () => {
    const page = await open({ email: true });
    await page.route(/include=email_setup/, async (route) => {
      const answer = await route.fetch({ url: route.request().url().replace(/\?.*/, '') });
      const [setup] = [{ provider: 'zoho', provider_name: 'Zoho Mail', domain: mail.domain, records: [], existing: [], notes: [{ code: 'of_a_later_release', params: {}, message: 'A note of a later release.' }], observed_at: null }]; // prettier-ignore
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), email_setup: [setup] } });
    });
    await enter(page, mail.hostname);
    await untilTitle(page, "Here's what we found");
    await button(page, 'Continue').click();
    await button(page, 'Zoho Mail').click();
    await page.getByText('check for existing MX and SPF records', { exact: false }).waitFor();
    await page.getByText('A note of a later release.').waitFor();
  });
});

describe('onEmailApply', () => {
  test('asks before anything is written, above all an MX record, and then shows what is left', async () => {
    const mail = await liveShop(lab, { withMail: false });
    const asked: unknown[] = [];
    const onEmailApply = async ({ id, domain }: { id: string; domain: string }, provider: string) => {
      asked.push([domain, provider]);
      return (await lab.service.call('POST', `/connections/${id}/email:apply`, { provider }))
        .body as unknown as EmailApplied;
    };
    const page = await openAtEnd(mail, { callbacks: { onEmailApply } });
    await button(page, 'Google Workspace').click();
    await button(page, 'Add what can be added for me').click();
    await page.getByText(`Email for ${mail.domain} will then go to Google Workspace.`).waitFor();
    expect(await violations(page)).toEqual([]);
    await button(page, 'Cancel').click();
    expect(asked).toEqual([]);
    await button(page, 'Add what can be added for me').click();
    await button(page, 'Yes, add them').click();
    await until(() => asked.length === 1);
    expect(asked).toEqual([[mail.hostname, 'google_workspace']]);
    await card(page, 'TXT', 'v=spf1').waitFor();
  });

  test('that fails shows that, and changes nothing on the page', async () => {
    const mail = await liveShop(lab, { withMail: false });
    const page = await openAtEnd(mail, { callbacks: { onEmailApply: () => Promise.reject(new Error('no')) } });
    await button(page, 'Google Workspace').click();
    await button(page, 'Add what can be added for me').click();
    await button(page, 'Yes, add them').click();
    await page.getByText("We couldn't set up your email.", { exact: false }).waitFor();
    await card(page, 'MX', 'smtp.google.com').waitFor();
  });
});
