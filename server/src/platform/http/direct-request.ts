import type { FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../installation.ts';

/** Headers that proxies add; any one of them marks a proxy (RFC 7239, RFC 9110 section 7.6.3, and the customary ones). */
const FORWARDING = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * Whether a request comes directly from a program on this machine: over loopback, with a loopback name in Host, and
 * without a proxy's headers. A proxy that hides all of this cannot be detected, so production secrets must not depend on
 * it.
 */
export function isDirectRequest(request: FastifyRequest): boolean {
  if (FORWARDING.some((name) => request.headers[name] !== undefined)) return false;
  return isLoopbackHost(request.hostname) && isLoopbackAddress(request.socket.remoteAddress ?? '');
}

function isLoopbackAddress(address: string): boolean {
  return isLoopbackHost(address.replace(/^::ffff:/i, ''));
}
