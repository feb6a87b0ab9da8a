import type { FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { Refusal } from '../refusal.ts';

/**
 * A loose limit per network address, in this process's memory only: thousands of users may share one address behind a
 * carrier's NAT, so the strict limits are per account and per email address. IPv6 addresses are counted by /64.
 */
export interface NetworkLimit {
  /** Counts one call; refuses `too_many_requests` above the hourly limit. Returns a function that takes the call back. */
  take(request: FastifyRequest, scope: string, ceiling?: number): () => void;
  /** Takes back earlier calls of the same network and scope. */
  giveBack(request: FastifyRequest, scope: string, calls: number): void;
}

export function createNetworkLimit(clock: Clock, perHour: number): NetworkLimit {
  let hour = -1;
  let counts = new Map<string, number>();
  const keyOf = (request: FastifyRequest, scope: string) => `${scope} ${networkOf(request.ip)}`;
  return {
    giveBack(request, scope, calls) {
      const key = keyOf(request, scope);
      counts.set(key, Math.max(0, (counts.get(key) ?? 0) - calls));
    },
    take(request, scope, ceiling = perHour) {
      const now = Math.floor(clock.now().getTime() / 3_600_000);
      if (now !== hour) {
        hour = now;
        counts = new Map();
      }
      const key = keyOf(request, scope);
      const mine = counts;
      const change = (by: 1 | -1) => mine.set(key, (mine.get(key) ?? 0) + by);
      if ((mine.get(key) ?? 0) < ceiling) {
        change(1);
        return () => void change(-1);
      }
      const seconds = 3600 - (Math.floor(clock.now().getTime() / 1000) % 3600);
      throw new Refusal('too_many_requests', { details: { seconds }, retryAfterSeconds: seconds });
    },
  };
}

function networkOf(address: string): string {
  return address.includes(':') && !address.includes('.') ? address.split(':').slice(0, 4).join(':') : address;
}
