import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import { escapeJson, fillPlaceholders, type SiteValues } from '@raha/contract/site-placeholders.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../refusal.ts';
import { sendRefusal } from './answers.ts';

/** A document of a single-page application, and the paths that it is served at. */
export interface ApplicationShell {
  readonly paths: RegExp;
  readonly file: string;
}

interface PagesOptions {
  /** The directory of the built web. */
  readonly directory: string;
  readonly publicUrl: string;
  readonly shells: readonly ApplicationShell[];
  readonly siteValues: () => Promise<SiteValues>;
}

/** The build's placeholder for the site's own address, in canonical links, previews and the site map. */
const addressPlaceholder = 'https://origin.invalid';
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
};
/** A worker goes by the policy that it was served with: it may fetch files of ours, the icon of a notification too, and no more. */
const workerPolicy = "default-src 'none'; connect-src 'self'; img-src 'self'";
const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Serves the built web, precompressed, with the content security policy that its build requires. */
export async function servePages(
  app: FastifyInstance,
  { directory, publicUrl, shells, siteValues }: PagesOptions,
): Promise<void> {
  const built = existsSync(join(directory, 'app.html'));
  const policy = built ? contentSecurityPolicy(directory) : '';
  const serve = pageServer(directory, policy, new URL(publicUrl).origin, siteValues);
  if (built) {
    await app.register(fastifyStatic, {
      root: directory,
      preCompressed: true,
      wildcard: true,
      index: ['index.html'],
      globIgnore: ['csp.json'],
      allowedPath: (path) => !/^\/(pages[/.]|csp\.json|app[.-]|console\.|404)/.test(path),
      cacheControl: false,
      setHeaders(response, path) {
        const immutable = path.includes('/assets/') || path.includes('/fonts/');
        response.header('cache-control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
        if (/\.html(\.br|\.gz)?$/.test(path)) response.header('content-security-policy', policy);
        if (/\/service-worker\.js(\.br|\.gz)?$/.test(path)) response.header('content-security-policy', workerPolicy);
      },
    });
    servePublicPages(app, directory, serve);
  }
  app.setNotFoundHandler((request, reply) => {
    const path = new URL(request.url, 'http://host').pathname;
    const page = built && request.method === 'GET' && !/^\/(api|node|dev)\//.test(path);
    if (!page) return sendRefusal(request, reply, new Refusal('not_found'));
    const shell = shells.find(({ paths }) => paths.test(path))?.file;
    if (shell) return serve(request, reply, shell, 200);
    return serve(request, reply, path.startsWith('/en/') ? '404-en.html' : '404.html', 404);
  });
}

/** The static pages at their clean paths. */
function servePublicPages(app: FastifyInstance, directory: string, serve: ServePage): void {
  const paths = JSON.parse(readFileSync(join(directory, 'pages.json'), 'utf8')) as Record<string, string>;
  for (const [path, file] of Object.entries(paths)) {
    app.get(path, async (request, reply) => await serve(request, reply, file, 200));
  }
}

type ServePage = (request: FastifyRequest, reply: FastifyReply, file: string, status: number) => Promise<FastifyReply>;

/** A page filled with the site's address and the operator's values, and its compressed forms, each made once. */
interface FilledPage {
  readonly values: SiteValues;
  readonly text: string;
  readonly etag: string;
  /** Names the program without which the page is empty: a browser requests it before it reads the page. */
  readonly link: string | undefined;
  readonly encoded: Map<'br' | 'gzip', Promise<Buffer>>;
}

function pageServer(
  directory: string,
  policy: string,
  origin: string,
  siteValues: () => Promise<SiteValues>,
): ServePage {
  const pages = new Map<string, FilledPage>();
  const pageOf = async (file: string): Promise<FilledPage> => {
    const values = await siteValues();
    const known = pages.get(file);
    if (known && isDeepStrictEqual(known.values, values)) return known;
    const template = (await readFile(join(directory, file), 'utf8')).replaceAll(addressPlaceholder, origin);
    const escapeWords = extname(file) === '.webmanifest' ? escapeJson : undefined;
    const text = fillPlaceholders(template, values, /(^|\/)en\/|-en\./.test(file) ? 'en' : 'fa', escapeWords);
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
    const link = linkOf(text);
    const page = { values, text, etag, link, encoded: new Map() };
    pages.set(file, page);
    return page;
  };
  return async (request, reply, file, status) => {
    const page = await pageOf(file);
    reply.header('cache-control', 'no-cache').header('vary', 'accept-encoding');
    if (file.endsWith('.html')) reply.header('content-security-policy', policy);
    if (page.link) reply.header('link', page.link);
    if (status === 200) {
      reply.header('etag', page.etag);
      if (request.headers['if-none-match']?.includes(page.etag)) return reply.code(304).send();
    }
    reply.code(status).type(types[extname(file)] ?? 'application/octet-stream');
    const coding = codingOf(request);
    return coding ? reply.header('content-encoding', coding).send(await encode(page, coding)) : reply.send(page.text);
  };
}

/** Of the application's shells. On other pages the script has time. */
function linkOf(html: string): string | undefined {
  const program = html.includes('<div id="root"></div>') && /<script type="module"[^>]* src="([^"]+)"/.exec(html)?.[1];
  return program ? `<${program}>; rel=modulepreload` : undefined;
}

function codingOf(request: FastifyRequest): 'br' | 'gzip' | undefined {
  const accepted = request.headers['accept-encoding'] ?? '';
  if (/\bbr\b/.test(accepted)) return 'br';
  return /\bgzip\b/.test(accepted) ? 'gzip' : undefined;
}

function encode(page: FilledPage, coding: 'br' | 'gzip'): Promise<Buffer> {
  const known = page.encoded.get(coding) ?? (coding === 'br' ? brotli(page.text) : zip(page.text, { level: 9 }));
  page.encoded.set(coding, known);
  return known;
}

function contentSecurityPolicy(directory: string): string {
  const { scripts, styles } = JSON.parse(readFileSync(join(directory, 'csp.json'), 'utf8')) as {
    scripts: string[];
    styles: string[];
  };
  const hashes = (list: string[]) => list.map((hash) => ` '${hash}'`).join('');
  return [
    "default-src 'none'",
    `script-src 'self'${hashes(scripts)}`,
    `style-src 'self'${hashes(styles)}`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // The one that names the service worker; scripts cannot register it without.
    'trusted-types service-worker',
  ].join('; ');
}
