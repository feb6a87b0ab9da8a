import type { Page } from 'playwright-core';
import { afterEach } from 'vitest';
import { openContexts, pictureOf } from './browser.ts';

/** A journey that fails says what every open page showed at that moment, and keeps a picture of it. */
export async function keepLastSight(): Promise<void> {
  const pages = [...openContexts].flatMap((context) => context.pages());
  for (const [index, page] of pages.entries()) {
    const silence = new Promise<string>((done) => setTimeout(done, 5_000, 'silent'));
    const shown = await Promise.race([sightOf(page), silence]);
    console.log(`when it failed, page ${index} at ${page.url()} was ${shown.replaceAll(/\s+/g, ' ').slice(0, 1500)}`);
    await page.screenshot({ path: pictureOf(`failed-${index}`), timeout: 5_000 }).catch(() => undefined);
  }
}

function sightOf(page: Page): Promise<string> {
  const sight = page.evaluate(() => {
    const network = navigator.onLine ? 'online' : 'offline';
    return `${document.visibilityState}, ${network}: ${document.body.innerText}`;
  });
  return sight.catch((error: Error) => error.message);
}

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await keepLastSight();
});
