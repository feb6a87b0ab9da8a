import type { FastifyRequest } from 'fastify';
import type { Clock } from '../platform/clock.ts';
import { isLoopbackHost } from '../platform/installation.ts';
import type { Vault } from '../platform/sealed.ts';

/**
 * `raha doctor` comes in from outside with a token that only this installation can make, and is told how its request
 * arrived: whether the proxy in front says whose request it forwards.
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

/** Undefined for everybody but our own doctor. */
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
