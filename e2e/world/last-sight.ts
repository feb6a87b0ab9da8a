import { afterEach } from 'vitest';
import { openContexts, pictureOf } from './browser.ts';

/** A journey that fails says what every open page showed at that moment, and keeps a picture of it. */
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  const pages = [...openContexts].flatMap((context) => context.pages());
  for (const [index, page] of pages.entries()) {
    const shown = await page
      .evaluate(
        () => `${document.visibilityState}, ${navigator.onLine ? 'online' : 'offline'}: ${document.body.innerText}`,
      )
      .catch((error: Error) => error.message);
    console.log(`when it failed, page ${index} at ${page.url()} was ${shown.replaceAll(/\s+/g, ' ').slice(0, 1500)}`);
    await page.screenshot({ path: pictureOf(`failed-${index}`), timeout: 5_000 }).catch(() => undefined);
  }
});
