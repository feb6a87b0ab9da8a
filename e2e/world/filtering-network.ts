import { mkdirSync, writeFileSync } from 'node:fs';
import type { Filter } from '../filters/passes.ts';
import { addresses, type Network } from './network.ts';
import { must, run } from './processes.ts';

/** A device of its own beside the others, whose network operator filters what it sends. */
export interface FilteringNetwork {
  /** As the others see the internet, with this device in place of the client. */
  readonly network: Network;
  /** Replaces the filter; what has been dropped counts from zero. */
  filter(name: Filter): Promise<void>;
  /** Packets of the device that the filter has dropped. */
  dropped(): Promise<number>;
  down(): Promise<void>;
}

/**
 * What the operator knows of each protocol, as inspection of packets does it: the opening message, at any port. WireGuard's initiation (type 1, 148
 * bytes); OpenVPN's hard reset (opcode 7 or 10, over TCP behind a length of two bytes); IKE_SA_INIT (version 2, exchange 34, no
 * responder yet), at 4500 behind four zeros. OpenVPN's first byte may be that of a random number, so only the first of a flow counts.
 */
const RULES: Readonly<Record<Filter, readonly string[]>> = {
  none: [],
  port: ['udp dport 51820 goto refuse'],
  wireguard_first: [
    'ct mark 0 udp length 156 @th,64,32 0x01000000 ct mark set 2',
    'meta l4proto udp ct mark 0 ct mark set 1',
    'ct mark 2 goto refuse',
  ],
  wireguard_each: ['udp length 156 @th,64,32 0x01000000 goto refuse'],
  openvpn: [
    'udp dport { 500, 4500 } accept',
    'meta l4proto udp ct mark 0 @th,64,8 & 0xf8 == { 0x38, 0x50 } ct mark set 2',
    'meta l4proto udp ct mark 0 ct mark set 1',
    'meta l4proto tcp ct mark 0 @ih,0,24 & 0xf800f8 == { 0x000038, 0x000050 } ct mark set 2',
    'meta l4proto tcp ct mark 0 @ih,0,8 >= 0 ct mark set 1',
    'ct mark 2 goto refuse',
  ],
  ikev2: [
    'udp dport != 4500 @th,128,64 0 @th,200,16 0x2022 goto refuse',
    'udp dport 4500 @th,64,32 0 @th,160,64 0 @th,232,16 0x2022 goto refuse',
  ],
  udp: ['meta l4proto udp goto refuse'],
  all_but_tcp_443: ['tcp dport 443 accept', 'goto refuse'],
  address: [`ip daddr ${addresses.node4} goto refuse`],
};

/** `letter` is unique in its world. */
export async function createFilteringNetwork(world: Network, letter: string): Promise<FilteringNetwork> {
  const client = `${world.client}${letter}`;
  const [link, table] = [`icli${letter}`, `filter_${letter}`];
  const net = `198.18.${letter.charCodeAt(0)}`;
  const lines = [
    `netns add ${client}`,
    `-n ${client} link set lo up`,
    `-n ${world.internet} link add ${link} type veth peer name eth0 netns ${client}`,
    `-n ${world.internet} addr add ${net}.1/24 dev ${link}`,
    `-n ${world.internet} link set ${link} up`,
    `-n ${client} addr add ${net}.2/24 dev eth0`,
    `-n ${client} link set eth0 up`,
    `-n ${client} route add default via ${net}.1`,
  ];
  await must('sh', ['-e'], { input: lines.map((line) => `ip ${line}\n`).join('') });
  mkdirSync(`/etc/netns/${client}`, { recursive: true });
  writeFileSync(`/etc/netns/${client}/resolv.conf`, `nameserver ${addresses.names4}\n`);
  const nft = ['netns', 'exec', world.internet, 'nft'];
  return {
    network: { ...world, id: `${world.id}${letter}`, client },
    filter: async (name) => {
      const rules = RULES[name].map((rule) => `iifname "${link}" ${rule}`);
      const input = `table inet ${table} {}
        delete table inet ${table}
        table inet ${table} {
          counter dropped { }
          chain refuse { counter name "dropped" drop; }
          chain forward { type filter hook forward priority 0; policy accept;
            ${rules.join('\n            ')}
          }
        }`;
      await must('ip', [...nft, '-f', '-'], { input });
    },
    dropped: async () => {
      const text = await must('ip', [...nft, '-j', 'list', 'counter', 'inet', table, 'dropped']);
      return Number(/"packets": (\d+)/.exec(text)?.[1] ?? 0);
    },
    down: async () => {
      await run('ip', ['netns', 'del', client]);
      await run('rm', ['-rf', `/etc/netns/${client}`]);
    },
  };
}
