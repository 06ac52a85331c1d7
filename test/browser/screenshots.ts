import { execFileSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { shootEdgePages } from './edge-pages.ts';
import {
  CLOUDFLARE,
  enter,
  managedName,
  sandboxName,
  startWidgetLab,
  untilTitle,
  type WidgetLab,
} from '../support/fixtures/widget-lab.ts';

/**
 * `npm run screenshots`: takes screenshots of every step and overlay of the widget, light and dark, at desktop and phone
 * size, from a running service, and of the edge's pages (`edge-pages`), into docs/images. Needs pngquant.
 */
const IMAGES = join(import.meta.dirname, '../../docs/images');
const FOLDER = join(IMAGES, 'widget');
const SIZES = { 1280: { width: 1280, height: 800 }, 360: { width: 360, height: 740 } };

type Scene = (lab: WidgetLab, page: Page) => Promise<void>;

const SCENES: Record<string, Scene> = {
  'enter-domain': () => Promise.resolve(),
  'domain-analysis': async ({ domainAt }, page) => {
    await enter(page, `shop.${await domainAt(CLOUDFLARE)}`);
    await untilTitle(page, "Here's what we found");
  },
  'automatic-setup': async (_lab, page) => {
    // Setup in the sandbox takes two seconds, so later answers are held back.
    await page.route('**/v1/connections/*', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { state: string };
      if (body.state === 'pending_ownership' || body.state === 'verifying') await route.fulfill({ response: answer });
      else await new Promise(() => undefined);
    });
    await enter(page, managedName());
    await untilTitle(page, 'Setting up');
  },
  'manual-configuration': async ({ domainAt, internet }, page) => {
    const domain = await domainAt(CLOUDFLARE);
    await internet.powerdns.set(domain, `shop.${domain}`, 'CNAME', 'old-shop.saas-product.com.');
    await enter(page, `shop.${domain}`);
    await untilTitle(page, "Here's what we found");
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('.pill.wrong').waitFor({ timeout: 30_000 });
    await page.locator('.pill.missing').waitFor({ timeout: 30_000 });
  },
  'in-progress': async ({ domainAt, internet, service }, page) => {
    const domain = await domainAt(CLOUDFLARE);
    await page.clock.install();
    await enter(page, `shop.${domain}`);
    await untilTitle(page, "Here's what we found");
    await page.getByRole('button', { name: 'Continue' }).click();
    await untilTitle(page, 'Add these records');
    const { body } = await service.call('GET', `/connections?hostname=shop.${domain}`);
    const [{ id } = { id: '' }] = body['data'] as { id: string }[];
    const { body: detail } = await service.call('GET', `/connections/${id}`);
    const challenge = detail['ownership_challenge'] as { name: string; value: string };
    await internet.powerdns.set(domain, challenge.name, 'TXT', `"${challenge.value}"`);
    await page.getByRole('button', { name: "I've added the records" }).click();
    await untilTitle(page, 'Connecting your domain');
    await page.getByText('1 / 2').waitFor({ timeout: 30_000 });
    await page.clock.fastForward(46_000);
    await page.locator('.notice.info').waitFor();
  },
  success: async (_lab, page) => {
    await enter(page, managedName());
    await untilTitle(page, 'is live');
  },
  error: async ({ service }, page) => {
    const name = sandboxName('auto');
    const { body: other } = await service.call('POST', '/applications', { name: 'Another' });
    await service.untilLive(
      String((await service.call('POST', '/connections', { application_id: other['id'], hostname: name })).body['id']),
    );
    await enter(page, name);
    await untilTitle(page, "Here's what we found");
    await page.getByRole('button', { name: 'Continue' }).click();
    await untilTitle(page, "We couldn't connect this domain");
  },
  'exit-confirmation': async ({ domainAt }, page) => {
    await enter(page, `shop.${await domainAt(CLOUDFLARE)}`);
    await untilTitle(page, "Here's what we found");
    await page.getByRole('button', { name: 'Continue' }).click();
    await untilTitle(page, 'Add these records');
    await page.keyboard.press('Escape');
    await page.getByText('Leave the setup?').waitFor();
  },
  'session-expired': async (_lab, page) => {
    await page.route('**/v1/domains:check', (route) => route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer over' } })); // prettier-ignore
    await enter(page, managedName());
    await page.getByText('Your session has expired').waitFor();
  },
};

/** Returns the area of the widget with a margin, without the rest of the page. */
async function around(page: Page) {
  const { x, y, width, height } = (await page.locator('dialog.window').boundingBox())!;
  return { x: x - 32, y: Math.max(0, y - 32), width: width + 64, height: height + 64 };
}

const wanted = process.argv.slice(2);
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
const shrink = (files: string[]): unknown =>
  execFileSync('pngquant', ['--force', '--skip-if-larger', '--ext', '.png', '--quality', '70-95', ...files]);

if (isWanted('edge-pages')) shrink(await shootEdgePages(join(IMAGES, 'edge')));
const scenes = Object.entries(SCENES).filter(([name]) => isWanted(name));
if (scenes.length > 0) await shootWidget(scenes);

async function shootWidget(shown: [string, Scene][]): Promise<void> {
  const lab = await startWidgetLab();
  try {
    await mkdir(FOLDER, { recursive: true });
    for (const [name, scene] of shown) {
      for (const width of [1280, 360] as const) {
        const page = await lab.open({ context: { viewport: SIZES[width], reducedMotion: 'reduce' } });
        await scene(lab, page);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          const path = join(FOLDER, `${name}-${colorScheme}-${width}.png`);
          await page.screenshot({ path, ...(width === 1280 ? { clip: await around(page) } : {}) });
        }
        await page.context().close();
      }
      process.stdout.write(`${name}\n`);
    }
    shrink((await readdir(FOLDER)).map((file) => join(FOLDER, file)));
  } finally {
    await lab.stop();
  }
}
