import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ConsoleLab } from '../support/fixtures/console-lab.ts';

const SIZES = { 1280: { width: 1280, height: 860 }, 360: { width: 360, height: 740 } };

/** Pictures of the API reference, with what happens before each. */
const SCENES: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  introduction: (page) => page.getByRole('heading', { level: 1 }).waitFor(),
  operation: (page) => page.goto(new URL('#post_connections', page.url()).href),
  'try-it': async (page) => {
    await page.goto(new URL('#post_domains_check', page.url()).href);
    const article = page.locator('#post_domains_check');
    await article.getByRole('button', { name: 'Try it' }).click();
    await article.getByLabel('Body').fill('{\n  "domain": "shop.brand.auto.test"\n}');
    await article.getByRole('button', { name: 'Send POST' }).click();
    await article.locator('.ok').waitFor();
    await article.locator('.request').evaluate((form) => form.scrollIntoView({ block: 'center' }));
  },
};

/** Takes pictures of the API reference of a running service, light and dark, at desktop and phone size. */
export async function shootReference(folder: string): Promise<string[]> {
  const lab = await ConsoleLab.start();
  const files: string[] = [];
  try {
    await mkdir(folder, { recursive: true });
    for (const [name, scene] of Object.entries(SCENES))
      for (const width of [1280, 360] as const) {
        const page = await lab.page({ viewport: SIZES[width] });
        await page.goto(`${lab.origin}/docs`);
        await scene(page);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          const path = join(folder, `${name}-${colorScheme}-${width}.png`);
          files.push(path);
          await page.screenshot({ path });
        }
        await page.context().close();
      }
  } finally {
    await lab.stop();
  }
  return files;
}
