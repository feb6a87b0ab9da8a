import { fileURLToPath } from 'node:url';
import { compile } from '@inlang/paraglide-js';

/** Messages become functions: `src/text/{fa,en}/<area>.json` → `src/text/generated` (git-ignored; types and tests need it too). */
export const messageOptions = {
  project: fileURLToPath(new URL('../project.inlang', import.meta.url)),
  outdir: fileURLToPath(new URL('../src/text/generated', import.meta.url)),
  strategy: ['cookie', 'baseLocale'],
  cookieName: 'locale',
  emitReadme: false,
  disableAsyncLocalStorage: true,
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await compile(messageOptions);
