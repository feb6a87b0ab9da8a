import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { settle, sizes } from './browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * axe and the width of a page as it stands, in both themes at both widths: what is wrong, in words. Axe is put into the
 * page once and asked for violations only, so that many pages take little time.
 */
export async function lookAtPage(page: Page): Promise<string[]> {
  const wrong: string[] = [];
  await page.evaluate(axe);
  // What is looked at is how it comes to rest, not the way there.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const theme of ['light', 'dark'] as const) {
    await page.evaluate((wanted) => {
      const html = document.documentElement;
      html.dataset.theme = wanted;
      html.classList.remove('dark', 'light');
      html.classList.add(wanted);
    }, theme);
    for (const [width, size] of Object.entries(sizes)) {
      await page.setViewportSize(size);
      await settle(page);
      const found = await page.evaluate(async () => {
        type Node = { readonly target: readonly string[]; readonly failureSummary?: string };
        type Result = { readonly violations: readonly { readonly id: string; readonly nodes: readonly Node[] }[] };
        const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<Result> } };
        const { violations } = await axe.run({ resultTypes: ['violations'] });
        const overflow = document.documentElement.scrollWidth - window.innerWidth;
        return [
          ...violations.flatMap(({ id, nodes }) =>
            nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} — ${failureSummary ?? ''}`),
          ),
          ...(overflow > 0 ? [`${overflow} px too wide`] : []),
        ];
      });
      wrong.push(...found.map((sentence) => `${page.url()}, ${theme}, ${width}: ${sentence}`));
    }
  }
  await page.emulateMedia({ reducedMotion: null });
  return wrong;
}
