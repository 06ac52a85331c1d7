import axe from 'axe-core';
import type { Page } from 'playwright-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Returns the violations that axe finds in this part of the page, one line each. The script is evaluated, not loaded, so
 * the page's CSP does not block it. Running animations are finished first, because they affect the measured contrast.
 */
export async function violations(page: Page, within = '[data-svc-widget]'): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(
    async ([selector, tags]) => {
      const root = document.querySelector(selector)?.shadowRoot ?? document;
      for (const animation of root.getAnimations())
        if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
      const run = (window as unknown as { axe: typeof axe }).axe.run;
      const { violations: found } = await run(selector, { runOnly: tags });
      return found.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
      );
    },
    [within, RULES] as const,
  );
}
