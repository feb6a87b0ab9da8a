import type { BrowserContext } from 'playwright-core';

/** What one request of a cold start was and weighed on the wire, headers and all. */
export interface Loaded {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Opens a page with the session of a context and an empty cache, and says what was asked for until the page was still for a
 * second and a half. A stream that never ends counts as a request, with no bytes.
 */
export async function loadCold(signedIn: BrowserContext, path: string): Promise<Loaded[]> {
  const browser = signedIn.browser();
  if (!browser) throw new Error('the context has no browser');
  const { origin } = new URL(signedIn.pages()[0]?.url() ?? '');
  const storageState = await signedIn.storageState();
  const context = await browser.newContext({ baseURL: origin, locale: 'fa-IR', storageState, serviceWorkers: 'block' });
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  const loaded = new Map<string, { path: string; bytes: number }>();
  let lastAt = performance.now();
  client.on('Network.requestWillBeSent', ({ requestId, request }) => {
    lastAt = performance.now();
    if (request.url.startsWith(origin)) loaded.set(requestId, { path: request.url.slice(origin.length), bytes: 0 });
  });
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    lastAt = performance.now();
    const request = loaded.get(requestId);
    if (request) request.bytes = encodedDataLength;
  });
  await client.send('Network.enable');
  await page.goto(path);
  await page.locator('main h1, main h2').first().waitFor();
  while (performance.now() - lastAt < 1_500) await new Promise((done) => setTimeout(done, 100));
  await context.close();
  return [...loaded.values()];
}
