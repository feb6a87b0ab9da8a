import { readFile } from 'node:fs/promises';
import { compile } from '@inlang/paraglide-js';
import { createServer } from 'vite';
import { messageOptions } from './scripts/compile-messages.mjs';
import { fillShell } from './scripts/fill-shell.mjs';
import { inlineTheme } from './scripts/inline-theme.mjs';
import { here, viteConfig } from './vite.config.mjs';

/** The same pages as the build makes, from source: `node web/dev.mjs [port]`, with the API of a local server. */
await compile(messageOptions);
const server = await createServer({
  ...viteConfig,
  logLevel: 'info',
  appType: 'custom',
  plugins: [...viteConfig.plugins, pages()],
  server: { port: Number(process.argv[2] ?? 5173), host: '127.0.0.1', proxy: { '/api': 'http://127.0.0.1:3000' } },
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
          const entry =
            path === '/'
              ? 'index.html'
              : /^\/(auth|user|dashboard|configs|wallet|subscriptions)/.test(path)
                ? 'app.html'
                : '404.html';
          const { pages } = await vite.ssrLoadModule('/src/pages/static-pages.tsx');
          const shell = inlineTheme(await readFile(here(entry), 'utf8'));
          const html = await vite.transformIndexHtml(path, shell);
          response.statusCode = entry === '404.html' ? 404 : 200;
          response.setHeader('content-type', 'text/html; charset=utf-8');
          response.end(fillShell(html, pages[entry]()));
        } catch (error) {
          next(error);
        }
      });
    },
  };
}
