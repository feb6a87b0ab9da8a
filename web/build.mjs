import { rm } from 'node:fs/promises';
import { build } from 'vite';
import { compressAll } from './scripts/compress.mjs';
import { finishPages } from './scripts/finish-pages.mjs';
import {
  applicationShell,
  browserAlias,
  consoleManifest,
  consoleShell,
  familyShell,
  here,
  siteShell,
  viteConfig,
} from './vite.config.mjs';

/** Makes web/dist: static pages, the application, compressed copies, and the hashes for the content policy. */
const renderer = here('.ssr/static-pages.mjs');
await build({
  ...viteConfig,
  publicDir: false,
  build: {
    ...viteConfig.build,
    ssr: here('src/pages/static-pages.tsx'),
    outDir: here('.ssr'),
    rolldownOptions: { output: { entryFileNames: 'static-pages.mjs' } },
  },
});
// A build each, so that the static pages share no chunk with the application and stay at small scripts and styles of their own, and
// nothing of the console is in the panel.
await buildBrowser([applicationShell], { manifest: true });
for (const shell of [siteShell, familyShell])
  await buildBrowser([shell], { emptyOutDir: false, copyPublicDir: false, modulePreload: false });
await buildBrowser([consoleShell], { emptyOutDir: false, copyPublicDir: false, manifest: consoleManifest });
await finishPages(here('dist'), renderer);
await compressAll(here('dist'));
await rm(here('.ssr'), { recursive: true });

function buildBrowser(entries, options) {
  return build({
    ...viteConfig,
    resolve: { alias: browserAlias },
    build: {
      ...viteConfig.build,
      outDir: here('dist'),
      rolldownOptions: { input: entries.map(here) },
      ...options,
    },
  });
}
