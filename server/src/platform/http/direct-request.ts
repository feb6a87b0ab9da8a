import type { FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../installation.ts';

/** What proxies add to a request; one of them is enough (RFC 7239, RFC 9110 section 7.6.3, and the customary ones). */
const FORWARDING = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * Whether a request comes from a program on this machine that asked for this machine: over loopback, with a loopback name
 * in Host, and with no sign of a proxy. A proxy that hides all of this cannot be told apart, so nothing that has to stay
 * secret in production depends on it.
 */
export function isDirectRequest(request: FastifyRequest): boolean {
  if (FORWARDING.some((name) => request.headers[name] !== undefined)) return false;
  return isLoopbackHost(request.hostname) && isLoopbackAddress(request.socket.remoteAddress ?? '');
}

function isLoopbackAddress(address: string): boolean {
  return isLoopbackHost(address.replace(/^::ffff:/i, ''));
}
