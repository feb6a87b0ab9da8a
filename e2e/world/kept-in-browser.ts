import type { Page } from 'playwright-core';

/**
 * Where in the browser's storage of this origin any of these words stands, as it is or in base64: local and session storage, every
 * response in every cache, and every record of every database.
 */
export async function findWordsKept(page: Page, words: readonly string[]): Promise<string[]> {
  return await page.evaluate(search, words);
}

/** Runs in the page. */
async function search(words: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const look = (where: string, text: string) => {
    // What a saved file holds is inside a `data:` address.
    const opened = [...text.matchAll(/base64,([\w+/=]+)/g)].map(([, base64 = '']) => atob(base64)).join('\n');
    if (words.some((word) => text.includes(word) || opened.includes(word))) found.push(where);
  };
  for (const [name, storage] of Object.entries({ localStorage, sessionStorage })) {
    for (const key of Object.keys(storage)) look(`${name} ${key}`, `${key} ${storage.getItem(key)}`);
  }
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) {
      look(`cache ${name} ${request.url}`, `${request.url} ${await (await cache.match(request))?.text()}`);
    }
  }
  for (const { name } of await indexedDB.databases()) found.push(`database ${name}`);
  return found;
}
