import cookie from '@fastify/cookie';
import type { ErrorCode } from '@raha/contract/errors.ts';
import { limits } from '@raha/contract/limits.ts';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { isDatabaseUnavailable } from '../database.ts';
import type { Log } from '../log.ts';
import { newId } from '../random.ts';
import { Refusal } from '../refusal.ts';
import { sendRefusal, toRefusal } from './answers.ts';
import { keepRawBody } from './raw-body.ts';
import { safeHeaders } from './safe-headers.ts';
import { answerUnknownPath, answerUnreadable } from './unreadable-request.ts';
import { endUnusedConnections } from './unused-connections.ts';
import { acceptUploads, toUploadRefusal } from './upload.ts';

export interface HttpOptions {
  readonly publicUrl: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Networks of proxies, or `loopback`. */
  readonly trustedProxies: readonly string[];
  /** Aborted when the server is about to stop: each answer from then on closes its connection. */
  readonly draining?: AbortSignal;
  readonly observe?: (route: string, method: string, status: number, seconds: number) => void;
}

/** A Fastify instance with our conventions: refusals, request ids, headers, JSON only, same-site only. */
export async function createHttp(options: HttpOptions): Promise<FastifyInstance> {
  const headers = safeHeaders(options.publicUrl);
  const newRequestId = () => newId(options.clock.now());
  const app = fastify({
    logger: false,
    genReqId: newRequestId,
    // Only trusted proxies may state the client's address in a header.
    trustProxy: [...options.trustedProxies],
    bodyLimit: limits.http.bodyBytes,
    // A body that trickles in must not hold a connection for long.
    requestTimeout: limits.http.requestTimeoutMs,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: true },
    frameworkErrors: (_error, request, reply) => void answerUnknownPath(request, reply, headers),
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, { requestId: newRequestId(), headers }),
  });
  await app.register(cookie);
  readEmptyBodies(app);
  endUnusedConnections(app);
  acceptUploads(app);
  // The hooks of every request wait for nothing, so they cost no promise.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.headers(headers);
    // A bank's page may post a form to us: that request is not trusted, it only makes us ask the bank.
    if (!request.routeOptions.config.fromOtherSites) refuseOtherSites(request, options.publicUrl);
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (options.draining?.aborted) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    options.observe?.(request.routeOptions.url ?? 'none', request.method, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
  app.setErrorHandler((error, request, reply) => {
    const refusal = toUploadRefusal(toRefusal(error), request);
    if (refusal) return sendRefusal(request, reply, refusal);
    const what = { err: error, request_id: request.id, route: request.routeOptions.url };
    if (isDatabaseUnavailable(error)) {
      options.log.warn(what, 'the database was not available to a request');
      return sendRefusal(request, reply, new Refusal('unavailable', { retryAfterSeconds: RETRY_SECONDS }));
    }
    options.log.error(what, 'request failed');
    return sendRefusal(request, reply, new Refusal('internal'));
  });
  return app;
}

/** When a client is told to come back while the database is away. */
const RETRY_SECONDS = 5;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The endpoint's main path, also on its aliases; parameters as `{name}`. */
    canonicalPath?: string;
    /** Also accepts `application/x-www-form-urlencoded`, which banks' pages and old clients post. */
    acceptsForms?: boolean;
    /** Accepts `multipart/form-data` with one file, in the field of this name. */
    acceptsUpload?: string;
    /** Accepts requests from pages of other sites. */
    fromOtherSites?: boolean;
    /** The endpoint's name in the contract. */
    endpoint?: string;
  }
  interface FastifyRequest {
    /** The user that the request was made for, or that it signed in. For the security log. */
    userId?: string;
    refusedWith?: ErrorCode;
  }
}

/**
 * A body is JSON or absent. An empty JSON body means absent, because some calls take an optional one. Forms are read only
 * if the route declares it, because any page of the web can send them.
 */
function readEmptyBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    keepRawBody(request, body as string);
    return parse(request, body as string, done);
  });
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (request, body, done) => {
    if (!request.routeOptions.config.acceptsForms) return done(new Refusal('unsupported_media_type'), undefined);
    return done(null, Object.fromEntries(new URLSearchParams(body as string)));
  });
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Refuses cross-site requests by Fetch Metadata, or by Origin if a browser sends none (OWASP CSRF cheat sheet). */
function refuseOtherSites(request: FastifyRequest, publicUrl: string): void {
  if (SAFE.has(request.method)) return;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) {
    if (site !== 'same-origin' && site !== 'none') throw new Refusal('cross_site');
    return;
  }
  const origin = request.headers.origin;
  if (origin === undefined) return;
  const own = new Set([new URL(publicUrl).origin, `http://${request.headers.host}`, `https://${request.headers.host}`]);
  if (!own.has(origin)) throw new Refusal('cross_site');
}
