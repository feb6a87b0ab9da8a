import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../refusal.ts';
import { sendRefusal } from './answers.ts';

/** Paths that belong to the single-page application; the same shell answers each of them. */
const application =
  /^\/(auth|user|admin|register|verify-email|dashboard|configs|wallet|payments|subscriptions|profile)(\/|$)/;

/** Serves the built web below `directory`, precompressed, with the strict policy its build calls for. */
export async function servePages(app: FastifyInstance, directory: string): Promise<void> {
  const built = existsSync(join(directory, 'app.html'));
  const policy = built ? contentSecurityPolicy(directory) : '';
  if (built) {
    await app.register(fastifyStatic, {
      root: directory,
      preCompressed: true,
      wildcard: true,
      index: ['index.html'],
      globIgnore: ['csp.json'],
      cacheControl: false,
      setHeaders(response, path) {
        const immutable = path.includes('/assets/') || path.includes('/fonts/');
        response.header('cache-control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
        if (/\.html(\.br|\.gz)?$/.test(path)) response.header('content-security-policy', policy);
      },
    });
  }
  app.setNotFoundHandler((request, reply) => {
    const path = new URL(request.url, 'http://host').pathname;
    const page = built && request.method === 'GET' && !/^\/(api|node|dev)\//.test(path);
    if (!page) return sendRefusal(request, reply, new Refusal('not_found'));
    if (application.test(path)) return sendPage(request, reply, policy, 'app.html', 200);
    return sendPage(request, reply, policy, '404.html', 404);
  });
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
