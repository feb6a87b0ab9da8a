import type { FastifyRequest } from 'fastify';
import type { Clock } from '../platform/clock.ts';
import { isLoopbackHost } from '../platform/installation.ts';
import type { Vault } from '../platform/sealed.ts';

/**
 * `raha doctor` sends a request to the public address with a token that only this installation can make. The answer says
 * from which address the request arrived, which shows whether the proxy forwards the client's address.
 */
export const PROBE_HEADER = 'x-raha-probe';
const CONTEXT = 'doctor-probe';
const LIFETIME_MS = 60_000;

export interface SeenRequest {
  readonly address: string;
  readonly isLoopback: boolean;
}

export function probeToken(vault: Vault, clock: Clock): string {
  return vault.seal(String(clock.now().getTime()), CONTEXT);
}

/** Undefined for all requests except the doctor's. */
export function seenBy(request: FastifyRequest, vault: Vault, clock: Clock): SeenRequest | undefined {
  const token = request.headers[PROBE_HEADER];
  if (typeof token !== 'string' || !isFresh(token, vault, clock)) return undefined;
  const address = request.ip;
  return { address, isLoopback: isLoopbackHost(address.replace(/^::ffff:/i, '')) };
}

function isFresh(token: string, vault: Vault, clock: Clock): boolean {
  try {
    return Math.abs(clock.now().getTime() - Number(vault.open(token, CONTEXT))) < LIFETIME_MS;
  } catch {
    return false;
  }
}
