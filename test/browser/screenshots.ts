import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { TOOLS } from '../runner/needed-tools.ts';
import { ensureSystemTools } from '../runner/system-tools.ts';
import { shootConsole } from './console-shots.ts';
import { shootEdgePages } from './edge-pages.ts';
import { shootReference } from './reference-shots.ts';
import {
  CLOUDFLARE,
  enter,
  managedName,
  sandboxName,
  startWidgetLab,
  untilTitle,
  type WidgetLab,
} from '../support/fixtures/widget-lab.ts';
import { connect, liveShop, toProgress, toRecords } from '../support/fixtures/widget-steps.ts';

/**
 * `npm run screenshots`: takes screenshots of every step and overlay of the widget, light and dark, at desktop and phone
 * size, from a running service, of the API reference (`reference`), of the edge's pages (`edge-pages`) and of the console
 * (`console`, or one of its screens as `console-overview`), into docs/images.
 */
const PNGQUANT = { needs: [{ program: 'pngquant' }], debian: ['pngquant'], why: 'makes the pictures small' };
if (!(await ensureSystemTools([...TOOLS, PNGQUANT]))) process.exit(1);

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
    await connect(page, managedName());
    await untilTitle(page, 'Setting up');
  },
  'manual-configuration': async ({ domainAt, internet }, page) => {
    const domain = await domainAt(CLOUDFLARE);
    await internet.powerdns.set(domain, `shop.${domain}`, 'CNAME', 'old-shop.saas-product.com.');
    await connect(page, `shop.${domain}`);
    await page.locator('.pill.wrong').waitFor({ timeout: 30_000 });
    await page.locator('.pill.missing').waitFor({ timeout: 30_000 });
  },
  'in-progress': async (lab, page) => {
    await page.clock.install();
    await toProgress(lab, page);
    await page.locator('.statuses .found').waitFor({ timeout: 30_000 });
    await page.clock.fastForward(46_000);
    await page.locator('.notice.info').waitFor();
  },
  success: async (_lab, page) => {
    await connect(page, managedName());
    await untilTitle(page, 'is live');
  },
  'email-setup': async (lab, page) => {
    const { hostname } = await liveShop(lab, { withMail: true });
    await connect(page, hostname);
    await page.getByRole('button', { name: 'Google Workspace' }).click();
    await page.locator('.email .notice').first().waitFor();
    await page.getByRole('heading', { name: 'Email for' }).evaluate((heading) => heading.scrollIntoView());
  },
  error: async ({ service }, page) => {
    const name = sandboxName('auto');
    const { body: other } = await service.call('POST', '/applications', { name: 'Another' });
    await service.untilLive(
      String((await service.call('POST', '/connections', { application_id: other['id'], hostname: name })).body['id']),
    );
    await connect(page, name);
    await untilTitle(page, "We couldn't connect this domain");
  },
  'not-set-up': async (_lab, page) => {
    const json = { error: { code: 'forbidden', message: '', details: { reason: 'origin_not_allowed' } } };
    await page.route('**/v1/domains:check', (route) => route.fulfill({ status: 403, json }));
    await enter(page, managedName());
    await untilTitle(page, "This isn't set up yet");
  },
  'exit-confirmation': async (lab, page) => {
    await toRecords(lab, page);
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

if (isWanted('reference')) shrink(await shootReference(join(IMAGES, 'reference')));
if (isWanted('edge-pages')) shrink(await shootEdgePages(join(IMAGES, 'edge')));
const isWantedOfConsole = (name: string): boolean => isWanted('console') || isWanted(`console-${name}`);
if (wanted.length === 0 || wanted.some((name) => name.startsWith('console')))
  shrink(await shootConsole(join(IMAGES, 'console'), isWantedOfConsole));
const scenes = Object.entries(SCENES).filter(([name]) => isWanted(name));
if (scenes.length > 0) await shootWidget(scenes);

async function shootWidget(shown: [string, Scene][]): Promise<void> {
  const lab = await startWidgetLab();
  const files: string[] = [];
  try {
    await mkdir(FOLDER, { recursive: true });
    for (const [name, scene] of shown) {
      for (const width of [1280, 360] as const) {
        const page = await lab.open({
          email: name === 'email-setup',
          callbacks: { onShare: () => Promise.resolve({ url: 'https://domains.example.net/share/…' }) },
          context: { viewport: SIZES[width], reducedMotion: 'reduce' },
        });
        await scene(lab, page);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          const path = join(FOLDER, `${name}-${colorScheme}-${width}.png`);
          files.push(path);
          await page.screenshot({ path, ...(width === 1280 ? { clip: await around(page) } : {}) });
        }
        await page.context().close();
      }
      process.stdout.write(`${name}\n`);
    }
    shrink(files);
  } finally {
    await lab.stop();
  }
}
