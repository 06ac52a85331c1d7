import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NO_BRANDING } from '../../src/domain/edge/admission.ts';
import { pageNamed, renderPage } from '../../src/edge/pages.ts';
import { launchChromium } from '../support/servers/chromium.ts';

const SHOWN = ['settingUp', 'unknown', 'archived', 'originDown', 'loop', 'wrongHost'] as const;
/** Pages of hostnames that belong to a tenant. */
const IS_CONNECTED: ReadonlySet<string> = new Set(['settingUp', 'originDown', 'loop']);

/** Takes screenshots of the edge's pages, light and dark, and one of them at phone size. Returns the files. */
export async function shootEdgePages(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const browser = await launchChromium();
  const files: string[] = [];
  try {
    for (const name of SHOWN)
      for (const colorScheme of ['light', 'dark'] as const)
        for (const width of name === 'settingUp' ? [960, 360] : [960]) {
          const page = await browser.newPage({ viewport: { width, height: 540 }, colorScheme });
          await page.setContent(
            renderPage(
              pageNamed(name),
              {
                host: 'shop.customer-domain.com',
                requestId: '0f5ba3a1-6f0f-4c0e-9d6b-8f2f1d0a7c11',
                ...NO_BRANDING,
                display_name: IS_CONNECTED.has(name) ? 'Acme Shops' : null,
              },
              'en',
            ).body,
          );
          const path = join(folder, `${name}-${colorScheme}-${width}.png`);
          await page.screenshot({ path });
          files.push(path);
          await page.close();
        }
  } finally {
    await browser.close();
  }
  return files;
}
