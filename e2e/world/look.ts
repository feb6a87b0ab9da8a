import type { Page } from 'playwright-core';
import { findWrong, readyAxe, setTheme, settle, sizes } from './browser.ts';

/**
 * axe and the width of a page as it stands, in both themes at both widths: what is wrong, in words. Axe is put into the
 * page once and asked for violations only, so that many pages take little time.
 */
export async function lookAtPage(page: Page): Promise<string[]> {
  const wrong: string[] = [];
  await readyAxe(page);
  // What is looked at is how it comes to rest, not the way there.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const theme of ['light', 'dark'] as const) {
    await page.evaluate(setTheme, theme);
    for (const [width, size] of Object.entries(sizes)) {
      await page.setViewportSize(size);
      await settle(page);
      const found = await findWrong(page);
      wrong.push(...found.map((sentence) => `${page.url()}, ${theme}, ${width}: ${sentence}`));
    }
  }
  await page.emulateMedia({ reducedMotion: null });
  return wrong;
}
