import type { FastifyRequest } from 'fastify';

/** The text of a JSON body as received, to verify signatures over it. */
const bodies = new WeakMap<FastifyRequest, string>();

export function keepRawBody(request: FastifyRequest, body: string): void {
  bodies.set(request, body);
}

export function rawBodyOf(request: FastifyRequest): string | undefined {
  return bodies.get(request);
}
