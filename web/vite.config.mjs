import { fileURLToPath } from 'node:url';
import { paraglideVitePlugin } from '@inlang/paraglide-js';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { messageOptions } from './scripts/compile-messages.mjs';
import { contractSlim } from './scripts/contract-slim.mjs';
import { firstLoad } from './scripts/first-load.mjs';
import { slimRuntime } from './scripts/slim-runtime.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * What runs in the browser is Preact, by React's names: half of React DOM's weight was more than the panel itself (decision 67).
 * The static pages are rendered by React, once, at the build.
 */
export const browserAlias = [
  { find: /^react\/jsx-runtime$/, replacement: 'preact/jsx-runtime' },
  { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
  { find: /^react(-dom)?$/, replacement: 'preact/compat' },
  { find: /^use-sync-external-store\/shim(\/with-selector)?$/, replacement: here('src/ui/external-store.ts') },
];

/** The shells: one for the application, one that every static page is poured into, and one for the page of a family link. */
export const applicationShell = 'app.html';
/**
 * What the application's shell becomes: for its short paths, for visitors, and for the panel, with the file at which their screens
 * begin.
 */
export const applicationShells = {
  [applicationShell]: [],
  'app-visitor.html': ['src/pages/auth/auth-pages.ts'],
  'app-panel.html': ['src/components/panel-start.ts'],
};
/** Where the program, the screens of visitors and those of the panel begin, for the division into files. */
const starts = {
  program: [here('src/main.tsx')],
  visitor: applicationShells['app-visitor.html'].map(here),
  panel: applicationShells['app-panel.html'].map(here),
};

/** Shared by the build of the browser's files, the rendering of the static pages, and development. */
export const viteConfig = {
  configFile: false,
  root: here('.'),
  cacheDir: here('../node_modules/.vite-web'),
  logLevel: 'warn',
  plugins: [react(), tailwind(), contractSlim(), firstLoad(starts), slimRuntime(), paraglideVitePlugin(messageOptions)],
  build: { target: 'es2022', emptyOutDir: true, modulePreload: { polyfill: false } },
};

/** Those whose document makes the panel's first calls. */
export const earlyShells = ['app-panel.html'];
/** What opens without network: the dashboard and the ways to files and guides, with what is opened from them. */
export const offlineScreens = [
  ...applicationShells['app-panel.html'],
  'src/pages/user/dashboard/offline-dashboard.tsx',
  'src/components/more-sheet.tsx',
  'src/ui/anchored-menu.tsx',
];
export const siteShell = 'site.html';
export const familyShell = 'family.html';
/** The console of staff: a document and a program of its own. */
export const consoleShell = 'console.html';
export const consoleManifest = '.vite/console.json';
export { here };
