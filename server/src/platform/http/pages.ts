import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../refusal.ts';
import { sendRefusal } from './answers.ts';

/** Paths that belong to the single-page application; the same shell answers each of them. */
const application =
  /^\/(auth|user|admin|register|verify-email|dashboard|configs|wallet|payments|subscriptions|profile)(\/|$)/;

/** What the build writes where the site's own address belongs: canonical links, previews, the site map. */
const addressPlace = 'https://origin.invalid';
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};
const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Serves the built web below `directory`, precompressed, with the strict policy its build calls for. */
export async function servePages(app: FastifyInstance, directory: string, publicUrl: string): Promise<void> {
  const built = existsSync(join(directory, 'app.html'));
  const policy = built ? contentSecurityPolicy(directory) : '';
  if (built) {
    await app.register(fastifyStatic, {
      root: directory,
      preCompressed: true,
      wildcard: true,
      index: ['index.html'],
      globIgnore: ['csp.json'],
      allowedPath: (path) => !/^\/(pages[/.]|csp\.json)/.test(path),
      cacheControl: false,
      setHeaders(response, path) {
        const immutable = path.includes('/assets/') || path.includes('/fonts/');
        response.header('cache-control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
        if (/\.html(\.br|\.gz)?$/.test(path)) response.header('content-security-policy', policy);
      },
    });
    servePublicPages(app, directory, policy, new URL(publicUrl).origin);
  }
  app.setNotFoundHandler((request, reply) => {
    const path = new URL(request.url, 'http://host').pathname;
    const page = built && request.method === 'GET' && !/^\/(api|node|dev)\//.test(path);
    if (!page) return sendRefusal(request, reply, new Refusal('not_found'));
    if (application.test(path)) return sendPage(request, reply, policy, 'app.html', 200);
    return sendPage(request, reply, policy, path.startsWith('/en/') ? '404-en.html' : '404.html', 404);
  });
}

/** The static pages, with the site's address put in once and compressed once, at their first request. */
function servePublicPages(app: FastifyInstance, directory: string, policy: string, origin: string): void {
  const paths = JSON.parse(readFileSync(join(directory, 'pages.json'), 'utf8')) as Record<string, string>;
  for (const [path, file] of Object.entries(paths)) {
    const text = readFileSync(join(directory, file), 'utf8').replaceAll(addressPlace, origin);
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
    const encoded = new Map<string, Promise<Buffer>>();
    const bytesAs = (coding: 'br' | 'gzip') => {
      const known = encoded.get(coding) ?? (coding === 'br' ? brotli(text) : zip(text, { level: 9 }));
      encoded.set(coding, known);
      return known;
    };
    app.get(path, async (request, reply) => {
      reply.header('cache-control', 'no-cache').header('vary', 'accept-encoding').header('etag', etag);
      if (file.endsWith('.html')) reply.header('content-security-policy', policy);
      if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send();
      reply.type(types[extname(file)] ?? 'application/octet-stream');
      const coding = /\bbr\b/.test(request.headers['accept-encoding'] ?? '')
        ? 'br'
        : /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
          ? 'gzip'
          : undefined;
      return coding ? reply.header('content-encoding', coding).send(await bytesAs(coding)) : reply.send(text);
    });
  }
}

function sendPage(_request: FastifyRequest, reply: FastifyReply, policy: string, file: string, status: number) {
  reply.code(status).header('content-security-policy', policy).header('cache-control', 'no-cache');
  return reply.sendFile(file);
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
    "trusted-types 'none'",
  ].join('; ');
}
