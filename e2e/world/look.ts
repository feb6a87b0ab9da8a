import type { Page } from 'playwright-core';
import { findWrong, looksAt, readyAxe, setTheme, settle, sizes } from './browser.ts';

/** So that a page which is looked at again is seen the other way round. */
let looks = 0;

/**
 * axe and the width of a page as it stands, in both themes and at both widths (`looksAt`): what is wrong, in words. The page is left as it
 * was found. Axe is put into it once and asked for violations only, so that many pages take little time.
 */
export async function lookAtPage(page: Page): Promise<string[]> {
  const wrong: string[] = [];
  const theme = await page.evaluate(() => document.documentElement.dataset.theme ?? 'light');
  const size = page.viewportSize() ?? sizes.wide;
  await readyAxe(page);
  // What is looked at is how it comes to rest, not the way there.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const look of looksAt(`${new URL(page.url()).pathname}${looks++}`)) {
    await page.evaluate(setTheme, look.theme);
    await page.setViewportSize(sizes[look.width]);
    await settle(page);
    const found = await findWrong(page);
    wrong.push(...found.map((sentence) => `${page.url()}, ${look.theme}, ${look.width}: ${sentence}`));
  }
  await page.emulateMedia({ reducedMotion: null });
  await page.evaluate(setTheme, theme);
  await page.setViewportSize(size);
  return wrong;
}
