import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { Service } from './service.ts';
import { startTenantPages, type PageParts, type StartOptions, type TenantPages } from './tenant-page.ts';
import { tempFolder } from './temp-folder.ts';
import { startWorld, type World } from './world.ts';

/** The whole service in a DNS of its own, a tenant's site on another origin, and a browser before it. */
export interface Stage {
  service: Service;
  world: World;
  browser: Browser;
  tenant: TenantPages;
  applicationId: string;
  /** A page of the tenant's with the window open. */
  open(options?: Partial<StartOptions> & StageOptions): Promise<Page>;
  mint(domain?: string): Promise<string>;
  /** A domain of the world whose name servers are this provider's by their names. */
  domainAt(nameserver: string): Promise<string>;
  stop(): Promise<void>;
}

export interface StageOptions {
  page?: PageParts;
  /** The token is bound to this domain. */
  domain?: string;
  context?: BrowserContextOptions;
}

export const CLOUDFLARE = 'ada.ns.cloudflare.com';

/** Names of the sandbox that are written through a credential of the demo's. */
export const managedName = (): string => `shop-${crypto.randomUUID().slice(0, 6)}.managed.test`;
export const sandboxName = (below: string): string => `shop-${crypto.randomUUID().slice(0, 6)}.${below}.test`;

export async function startStage(env: NodeJS.ProcessEnv = {}): Promise<Stage> {
  const world = await startWorld();
  const [service, browser] = await Promise.all([
    tempFolder().then((folder) => Service.start(folder, { ...world.env, ...env })),
    launchChromium(),
  ]);
  const { base_url, test } = await service.demo();
  const applicationId = test.application_id;
  const tenant = await startTenantPages(base_url);
  await service.call('PATCH', `/applications/${applicationId}`, { allowed_origins: [tenant.origin, base_url] });

  async function mint(domain?: string): Promise<string> {
    const { body } = await service.call('POST', '/tokens', {
      application_id: applicationId,
      ...(domain && { domain }),
    });
    return String(body['auth_token']);
  }

  return {
    service,
    world,
    browser,
    tenant,
    applicationId,
    mint,
    async open({ page: parts = {}, domain, context = {}, ...options } = {}) {
      const page = await (await browser.newContext({ viewport: { width: 1280, height: 860 }, ...context })).newPage();
      await page.goto(tenant.page(parts));
      await start(page, { applicationId, token: await mint(domain), brandName: 'Larkspur', ...options });
      return page;
    },
    async domainAt(nameserver) {
      const name = `juniper-${crypto.randomUUID().slice(0, 4)}.com`;
      await world.powerdns.zone(name, [nameserver], { negativeTtl: 60 });
      await world.powerdns.set('com', nameserver, 'A', world.powerdns.address);
      await world.powerdns.set('com', name, 'NS', `${nameserver}.`);
      return name;
    },
    async stop() {
      await browser.close();
      await tenant.stop();
      await service.stop();
      await world.stop();
    },
  };
}

/** Presses the page's button, so that the focus has somewhere to come back to, and opens the window. */
export async function start(page: Page, options: StartOptions): Promise<void> {
  await page.focus('#opener');
  await page.evaluate((given) => (window as unknown as { start(o: unknown): void }).start(given), options);
  await page.waitForSelector('dialog.window[open]');
}

/** What the window has told the page so far. */
export const told = (page: Page): Promise<[string, Record<string, unknown>][]> =>
  page.evaluate(() => (window as unknown as { told: [string, Record<string, unknown>][] }).told);

export const stepsTold = async (page: Page): Promise<unknown[]> =>
  (await told(page)).filter(([name]) => name === 'svc:step').map(([, detail]) => detail['step']);

export async function enter(page: Page, domain: string): Promise<void> {
  await page.fill('#domain', domain);
  await page.keyboard.press('Enter');
}

/** The heading of the screen, once it reads like this. */
export const untilTitle = (page: Page, text: string | RegExp): Promise<void> =>
  page.locator('dialog.window h1').filter({ hasText: text }).waitFor({ timeout: 30_000 });
