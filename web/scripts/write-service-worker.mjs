import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { offlineScreens } from '../vite.config.mjs';
import { filesOfScreens } from './screen-files.mjs';

/** By the path that each is opened at, the built documents that open without network. */
const documents = {
  '/user/dashboard': 'app-panel.html',
  '/guides': 'pages/fa/guides.html',
  '/en/guides': 'pages/en/guides.html',
};
const FONT = /\/fonts\/[\w-]+\.woff2/;

/**
 * Writes the service worker with the release that it keeps: the documents above, what they ask for, and what the screens do that
 * work without network. Its own bytes change with each release, which is how a browser notices one.
 */
export async function writeServiceWorker(dist, manifest) {
  const source = await readFile(new URL('service-worker.js', import.meta.url), 'utf8');
  const files = new Set(filesOfScreens(manifest, offlineScreens).map((file) => `/${file}`));
  const entries = {};
  const hash = createHash('sha256').update(source);
  for (const [path, file] of Object.entries(documents)) {
    const html = await readFile(join(dist, file), 'utf8');
    hash.update(html);
    entries[path] = html.match(/<script[^>]* src="([^"]+)"/)[1];
    for (const [, asked] of html.matchAll(/<(?:script|link)[^>]* (?:src|href)="(\/(?:assets|fonts)\/[^"]+)"/g))
      files.add(asked);
    files.add(html.match(FONT)[0]);
  }
  const release = {
    release: hash.digest('base64url').slice(0, 16),
    documents: Object.keys(documents),
    entries,
    files: [...files].sort(),
  };
  const compact = source
    .replace(/^\s*\/\/.*\n/gm, '')
    .replace(/\n\s*/g, '\n')
    .trim();
  await writeFile(join(dist, 'service-worker.js'), `self.RELEASE=${JSON.stringify(release)};\n${compact}\n`);
}
