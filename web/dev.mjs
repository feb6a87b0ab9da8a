import { readFile } from 'node:fs/promises';
import { compile } from '@inlang/paraglide-js';
import { fillPlaceholders } from '@raha/contract/site-placeholders.ts';
import { createServer } from 'vite';
import { messageOptions } from './scripts/compile-messages.mjs';
import { fillShell, pourPage } from './scripts/fill-shell.mjs';
import { inlineTheme } from './scripts/inline-theme.mjs';
import { usualValues } from './scripts/usual-values.mjs';
import { applicationShell, consoleShell, familyShell, here, siteShell, viteConfig } from './vite.config.mjs';

/** The same pages as the build makes, from source: `node web/dev.mjs [port]`, with the API of a local server. */
await compile(messageOptions);
const server = await createServer({
  ...viteConfig,
  logLevel: 'info',
  appType: 'custom',
  plugins: [...viteConfig.plugins, pages()],
  server: {
    port: Number(process.argv[2] ?? 5173),
    host: '127.0.0.1',
    proxy: { '^/(api|dev|node|unsubscribe)/': 'http://127.0.0.1:3000' },
  },
});
await server.listen();
server.printUrls();

function pages() {
  return {
    name: 'pages',
    configureServer: (vite) => () => {
      vite.middlewares.use(async (request, response, next) => {
        try {
          const path = request.originalUrl.split('?')[0];
          const { application, siteFiles } = await vite.ssrLoadModule('/src/pages/static-pages.tsx');
          const inConsole = /^\/admin(\/|$)/.test(path);
          const inApplication =
            inConsole ||
            /^\/(auth|register|verify-email|user|dashboard|configs|wallet|payments|subscriptions|profile)/.test(path);
          const files = siteFiles();
          const found = files.find((file) => file.path === path);
          const page = found ?? files.find((file) => file.file === '404.html');
          const siteFile = page.shell === 'family' ? familyShell : siteShell;
          const file = inConsole ? consoleShell : inApplication ? applicationShell : siteFile;
          const shell = inlineTheme(await readFile(here(file), 'utf8'));
          const html = await vite.transformIndexHtml(path, shell);
          response.statusCode = found || inApplication ? 200 : 404;
          response.setHeader('content-type', page.text ? 'text/plain' : 'text/html; charset=utf-8');
          const text = inApplication ? fillShell(html, application()) : (page.text ?? pourPage(html, page.parts));
          response.end(fillPlaceholders(text, usualValues, page.parts?.lang === 'en' ? 'en' : 'fa'));
        } catch (error) {
          next(error);
        }
      });
    },
  };
}
