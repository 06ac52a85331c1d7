import axe from 'axe-core';
import type { Page } from 'playwright-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * What axe finds wrong with this part of the page, each as one line. Evaluated, not loaded: no policy stands in its way.
 * What is still fading in has not its colours yet, so everything that comes to an end is at its end first.
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
