import { addresses, type Network } from './network.ts';
import { must, until } from './processes.ts';

/**
 * Counts independently what passed: a counter in the node's kernel, behind every rule of the agent, on all inner packets
 * that are forwarded to or from the tunnels. It knows nothing of leases, samples or reports. Packets of the panel are not
 * counted: in these tests only devices with an exceeded quota go there, for free.
 */
export interface Witness {
  bytes(): Promise<bigint>;
  /** Waits until the product has billed exactly what passed, and returns it; if that never comes, the error has both counts. */
  settled(readBilled: () => Promise<bigint>): Promise<bigint>;
}

const TABLE = 'raha_witness';

export async function createWitness(network: Network): Promise<Witness> {
  const rules = `table inet ${TABLE} {
    counter passed { }
    chain witness_forward { type filter hook forward priority 300; policy accept;
      ip daddr ${addresses.panel4} accept
      ip saddr ${addresses.panel4} accept
      ip6 daddr ${addresses.panel6} accept
      ip6 saddr ${addresses.panel6} accept
      iifname "rn*" counter name "passed"
      oifname "rn*" counter name "passed"
      iifname "ipsec*" counter name "passed"
      oifname "ipsec*" counter name "passed"
    }
  }`;
  const inside = ['netns', 'exec', network.node, 'nft'];
  await must('ip', [...inside, '-f', '-'], { input: rules });
  const bytes = async () => {
    const text = await must('ip', [...inside, '-j', 'list', 'counter', 'inet', TABLE, 'passed']);
    const { nftables } = JSON.parse(text) as { nftables: { counter?: { bytes: number } }[] };
    return BigInt(nftables.find((entry) => entry.counter)?.counter?.bytes ?? 0);
  };
  return {
    bytes,
    settled: (readBilled) =>
      until('usage to be what the kernel counted', async () => {
        const billed = await readBilled();
        const passed = await bytes();
        if (billed !== passed) throw new Error(`billed are ${billed} bytes, passed have ${passed}`);
        return billed;
      }),
  };
}
