import { Resolver as DnsResolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { PORTS, type Services } from '../firewall/slot-policies.ts';

/** Where the panel and the banks are, by their names: what a cut-off device reaches all the same. */
export interface Reach {
  /** `address . port` of every host, as far as it is known; what was found a while ago is kept for those who still go there. */
  find(hosts: readonly string[]): Promise<{ places: string[]; missing: number }>;
}

/** Hosts that share their load give other addresses with every answer. */
const KEPT_MS = 30 * 60_000;
const MAX_PLACES = 1_024;
const HOST = /^(\[[0-9a-f:]+\]|[a-z0-9.-]+):(\d{1,5})$/i;

export function createReach(services: Services, elapsedMs: () => number): Reach {
  const resolver = new DnsResolver({ timeout: 2_000, tries: 2 });
  // The same answers as the devices get.
  if (services.resolves) resolver.setServers([`${services.address4}:${PORTS.names}`]);
  const seen = new Map<string, number>();

  async function addressesOf(name: string): Promise<string[]> {
    if (isIP(name) > 0) return [name];
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  }

  return {
    find: async (hosts) => {
      const now = elapsedMs();
      const ports = new Set<string>();
      let missing = 0;
      await Promise.all(
        hosts.map(async (host) => {
          const [, name = '', port = ''] = HOST.exec(host) ?? [];
          if (!name || Number(port) < 1 || Number(port) > 65_535) return;
          ports.add(host);
          const addresses = (await addressesOf(name.replace(/^\[|\]$/g, ''))).filter((address) => isIP(address) > 0);
          if (addresses.length === 0) missing += 1;
          for (const address of addresses) seen.set(`${host} ${address} . ${Number(port)}`, now);
        }),
      );
      const places = new Set<string>();
      for (const [key, at] of seen) {
        const [host = '', place = ''] = splitOnce(key);
        if (!ports.has(host) || now - at > KEPT_MS) seen.delete(key);
        else if (places.size < MAX_PLACES) places.add(place);
      }
      return { places: [...places].sort(), missing };
    },
  };
}

function splitOnce(text: string): [string, string] {
  const space = text.indexOf(' ');
  return [text.slice(0, space), text.slice(space + 1)];
}
