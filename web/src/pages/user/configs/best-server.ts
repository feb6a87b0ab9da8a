import type { Server } from '@raha/contract/public/configs.ts';

/** Servers a config can be made on, best first: highest recommendation, then lowest load. */
export function offeredServers(servers: readonly Server[]): Server[] {
  return servers
    .filter((server) => server.isOnline && server.status === 'active')
    .sort(
      (a, b) => b.recommendationScore - a.recommendationScore || a.performance.currentLoad - b.performance.currentLoad,
    );
}
