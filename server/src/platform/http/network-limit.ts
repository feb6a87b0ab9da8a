import { isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { numberOf } from '../ip-number.ts';
import { Refusal } from '../refusal.ts';

/**
 * A loose limit per network address, in this process's memory only: thousands of users may share one address behind a
 * carrier's NAT, so the strict limits are per account and per email address. IPv4 is counted by address; IPv6 by /64, what one customer gets,
 * and by /48 with a higher limit, because many networks can change their /64 at will.
 */
export interface NetworkLimit {
  /** Counts one call; refuses `too_many_requests` above the hourly limit. Returns a function that takes the call back. */
  take(request: FastifyRequest, scope: string, ceiling?: number): () => void;
  /** The same, but undefined above the limit. */
  tryTake(request: FastifyRequest, scope: string, ceiling?: number): (() => void) | undefined;
  /** Takes back earlier calls of the same network and scope. */
  giveBack(request: FastifyRequest, scope: string, calls: number): void;
}

export function createNetworkLimit(clock: Clock, perHour: number): NetworkLimit {
  let hour = -1;
  let counts = new Map<string, number>();
  const tryTake = (request: FastifyRequest, scope: string, ceiling = perHour) => {
    const now = Math.floor(clock.now().getTime() / 3_600_000);
    if (now !== hour) {
      hour = now;
      counts = new Map();
    }
    const networks = networksOf(request.ip, scope);
    const mine = counts;
    const change = (by: 1 | -1) => {
      for (const { key } of networks) mine.set(key, (mine.get(key) ?? 0) + by);
    };
    if (networks.some(({ key, share }) => (mine.get(key) ?? 0) >= ceiling * share)) return undefined;
    change(1);
    return () => change(-1);
  };
  return {
    tryTake,
    giveBack(request, scope, calls) {
      for (const { key } of networksOf(request.ip, scope)) counts.set(key, Math.max(0, (counts.get(key) ?? 0) - calls));
    },
    take(request, scope, ceiling) {
      const takeBack = tryTake(request, scope, ceiling);
      if (takeBack) return takeBack;
      const seconds = 3600 - (Math.floor(clock.now().getTime() / 1000) % 3600);
      throw new Refusal('too_many_requests', { details: { seconds }, retryAfterSeconds: seconds });
    },
  };
}

/** How much more a /48 may do than a /64. */
const SHARE_OF_48 = 4;

interface Network {
  readonly key: string;
  /** Multiplies the limit. */
  readonly share: number;
}

/** The networks of an address; one that is mapped into IPv6 (RFC 4291, section 2.5.5.2) is IPv4. */
function networksOf(address: string, scope: string): readonly Network[] {
  const value = numberOf(address);
  const isMapped = value !== undefined && value >> 32n === 0xffffn;
  if (value === undefined || isIPv4(address) || isMapped) {
    const v4 = value === undefined ? address : value & 0xffff_ffffn;
    return [{ key: `${scope} 4:${v4}`, share: 1 }];
  }
  return [
    { key: `${scope} 64:${value >> 64n}`, share: 1 },
    { key: `${scope} 48:${value >> 80n}`, share: SHARE_OF_48 },
  ];
}
