import { Resolver as DnsResolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type NodeServices, PORTS } from '../firewall/service-chains.ts';

/** Resolves the hosts that stay reachable when a quota is exceeded: the panel and the banks. */
export interface WalledGarden {
  /**
   * The endpoints of all hosts, as `address . port`, and how many hosts could not be resolved. Earlier answers stay valid
   * for a while, for devices that still use them.
   */
  resolve(hosts: readonly string[]): Promise<{ endpoints: string[]; missing: number }>;
}

/** Hosts that balance their load give different addresses with every answer. */
const KEPT_MS = 30 * 60_000;
const MAX_ENDPOINTS = 1_024;
const HOST = /^(\[[0-9a-f:]+\]|[a-z0-9.-]+):(\d{1,5})$/i;

export function createWalledGarden(services: NodeServices, elapsedMs: () => number): WalledGarden {
  const resolver = new DnsResolver({ timeout: 2_000, tries: 2 });
  // Devices must get the same answers.
  if (services.hasResolver) resolver.setServers([`${services.address4}:${PORTS.resolver}`]);
  const seen = new Map<string, number>();

  async function addressesOf(name: string): Promise<string[]> {
    if (isIP(name) > 0) return [name];
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  }

  return {
    resolve: async (hosts) => {
      const now = elapsedMs();
      const valid = new Set<string>();
      let missing = 0;
      await Promise.all(
        hosts.map(async (host) => {
          const [, name = '', port = ''] = HOST.exec(host) ?? [];
          if (!name || Number(port) < 1 || Number(port) > 65_535) return;
          valid.add(host);
          const addresses = (await addressesOf(name.replace(/^\[|\]$/g, ''))).filter((address) => isIP(address) > 0);
          if (addresses.length === 0) missing += 1;
          for (const address of addresses) seen.set(`${host} ${address} . ${Number(port)}`, now);
        }),
      );
      const endpoints = new Set<string>();
      for (const [key, at] of seen) {
        const [host = '', endpoint = ''] = splitOnce(key);
        if (!valid.has(host) || now - at > KEPT_MS) seen.delete(key);
        else if (endpoints.size < MAX_ENDPOINTS) endpoints.add(endpoint);
      }
      return { endpoints: [...endpoints].sort(), missing };
    },
  };
}

function splitOnce(text: string): [string, string] {
  const space = text.indexOf(' ');
  return [text.slice(0, space), text.slice(space + 1)];
}
