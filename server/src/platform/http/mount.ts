import type { AnyEndpoint, Endpoint, EndpointTable, Reply, Schema, Validated } from '@raha/contract/endpoint.ts';
import { limits } from '@raha/contract/limits.ts';
import type { Locale } from '@raha/contract/locale.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { Refusal } from '../refusal.ts';
import { localeOf, refusalOfIssues } from './answers.ts';
import { compileSchema } from './compile-schema.ts';
import { FORM_BYTES } from './upload.ts';

/** What a handler gets in addition to the validated input. */
export interface Call<C> {
  /** The authenticated caller; undefined on public endpoints. */
  readonly caller: C;
  readonly locale: Locale;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Any call: who may make it is a word that the table's own authenticator knows. */
export type MountedEndpoint = AnyEndpoint & { readonly caller: string };

type CallerOf<E extends MountedEndpoint, C> = E['caller'] extends keyof C ? C[E['caller']] : undefined;

export type Handler<E extends MountedEndpoint, Caller> = (
  input: Validated<E> & Call<Caller>,
) => Promise<E extends { response: Schema } ? Reply<E> : unknown>;

/** One handler for every endpoint of a table: forgetting one is a compile error. `C`: by word, what the handler gets as its caller. */
export type HandlersFor<T extends Readonly<Record<string, MountedEndpoint>>, C> = {
  readonly [K in keyof T]: Handler<T[K], CallerOf<T[K], C>>;
};

export type Handlers<T extends EndpointTable, U, N> = HandlersFor<T, { user: U; node: N }>;

/** Each identifies the caller of a request, or refuses it. */
export interface Authenticators<U, N> {
  user(request: FastifyRequest): Promise<U>;
  node(request: FastifyRequest): Promise<N>;
}

export function mountEndpoints<const T extends EndpointTable, U, N>(
  app: FastifyInstance,
  base: string,
  table: T,
  handlers: Handlers<T, U, N>,
  authenticators: Authenticators<U, N>,
): void {
  const authenticate = (endpoint: Endpoint, request: FastifyRequest) => callerOf(endpoint, authenticators, request);
  mountTable(app, base, table, handlers as never, authenticate);
}

/** Mounts a table below `base`: authenticate → validate → handler → response schema. `authenticate` refuses, or names the caller. */
export function mountTable<E extends MountedEndpoint>(
  app: FastifyInstance,
  base: string,
  table: Readonly<Record<string, E>>,
  handlers: Readonly<Record<string, (input: never) => Promise<unknown>>>,
  authenticate: (endpoint: E, request: FastifyRequest) => Promise<unknown>,
): void {
  for (const [name, endpoint] of Object.entries(table)) {
    const handler = handlers[name] as (input: unknown) => Promise<unknown>;
    for (const schema of [endpoint.params, endpoint.query, endpoint.body, endpoint.response]) compileSchema(schema);
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
      app.route({
        method: endpoint.method,
        url: base + path.replace(/\{(\w+)\}/g, ':$1'),
        config: {
          canonicalPath: base + endpoint.path,
          endpoint: name,
          ...(endpoint.caller === 'callback' ? { acceptsForms: true, fromOtherSites: true } : {}),
          ...(endpoint.upload ? { acceptsUpload: endpoint.upload.field } : {}),
        },
        ...(endpoint.upload ? { bodyLimit: endpoint.upload.maxBytes + FORM_BYTES } : {}),
        ...(endpoint.bodyBytes ? { bodyLimit: endpoint.bodyBytes } : {}),
        ...(endpoint.caller === 'node' ? { bodyLimit: limits.node.reportBytes } : {}),
        handler: (request, reply) => answer(endpoint, handler, () => authenticate(endpoint, request), request, reply),
      });
    }
  }
}

async function answer(
  endpoint: MountedEndpoint,
  handler: (input: unknown) => Promise<unknown>,
  authenticate: () => Promise<unknown>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const caller = await authenticate();
  const input = {
    params: validate(endpoint.params, request.params, 'params'),
    query: validate(endpoint.query, request.query, 'query'),
    body: validate(endpoint.body, request.body, 'body'),
    caller,
    locale: localeOf(request),
    request,
    reply,
  };
  const result = await handler(input);
  if (!endpoint.response) return reply.sent ? reply : result;
  reply.code(endpoint.status ?? 200).header('cache-control', 'no-store');
  return z.parse(endpoint.response as never, result);
}

async function callerOf<U, N>(
  endpoint: Endpoint,
  authenticators: Authenticators<U, N>,
  request: FastifyRequest,
): Promise<U | N | undefined> {
  if (endpoint.caller === 'user') return await authenticators.user(request);
  if (endpoint.caller === 'node') return await authenticators.node(request);
  return undefined;
}

function validate(schema: Schema | undefined, value: unknown, part: 'params' | 'query' | 'body'): unknown {
  if (!schema) return undefined;
  const parsed = z.safeParse(schema as never, value ?? (part === 'body' ? undefined : {}));
  if (parsed.success) return parsed.data;
  // A malformed id gets the same answer as the id of another user's object.
  if (part === 'params') throw new Refusal('not_found');
  throw refusalOfIssues(parsed.error.issues as never);
}
