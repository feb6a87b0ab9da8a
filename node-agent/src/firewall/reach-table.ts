import type { ReachNetworks } from '@raha/contract/node/protocol.ts';
import type { Transport } from '@raha/contract/protocols.ts';

/**
 * How devices of each operator's network get through, counted in the kernel: the network is looked up in a map there, and no address
 * comes out. The table decides about no packet, and knows nothing of configs.
 *
 * A device has begun (`attempts`) when the opening message of its protocol has come, and is `through` when a message has come
 * that it can send only after our answer has reached it. Both are known by their first bytes and counted once per flow. So neither scanners
 * nor visitors of a website on TCP 443 count, nor a flow that was there before the table.
 */
export interface ReachTableOptions {
  readonly table: string;
  readonly uplinks: readonly string[];
  readonly networks: ReachNetworks['networks'];
  readonly entries: readonly Entry[];
  /** What comes from one of these addresses came by a relay, wherever that machine stands. */
  readonly relays: readonly { readonly addresses: readonly string[] }[];
}

/** Of OpenConnect and the proxy a node sees TLS like any visitor's, so only answers of users tell how they get through. */
export type CountedTransport = Exclude<Transport, 'openconnect' | 'proxy'>;

/** A port at which a transport is accepted. */
export interface Entry {
  readonly transport: CountedTransport;
  readonly port: number;
}

/** Bits of a connection's mark, which nothing else on the node uses: it has begun, and it is through. */
const [BEGUN, THROUGH] = ['0x20000000', '0x40000000'];

/** As the number of a network in the map; 0 is none. */
const markOf = (index: number) => index + 1;

const CHAINS = {
  // Handshake initiation (type 1, 148 bytes) and data, which a device sends once it has the response (WireGuard paper, 5.4).
  wireguard: ['udp length 156 @th,64,32 0x01000000 goto begun', '@th,64,32 0x04000000 goto through'],
  // P_CONTROL_HARD_RESET_CLIENT_V2 and V3, P_DATA_V1 and V2, in the upper five bits of the first byte (OpenVPN's ssl_pkt.h).
  openvpn: ['@th,64,8 & 0xf8 == { 0x38, 0x50 } goto begun', '@th,64,8 & 0xf8 == { 0x30, 0x48 } goto through'],
  // The same behind a length of two bytes, less than 2,048. The third byte of a website's TLS is 1 or 3.
  openvpn_tcp: [
    '@ih,0,24 & 0xf800f8 == { 0x000038, 0x000050 } goto begun',
    '@ih,0,24 & 0xf800f8 == { 0x000030, 0x000048 } goto through',
  ],
  // IKE_SA_INIT (RFC 7296, 3.1) to port 500, or to 4500 behind four zeros. IKE_AUTH is to 4500, and then ESP (RFC 3948, 2).
  ikev2: [
    'udp dport 500 @th,208,8 34 goto begun',
    'udp dport 4500 @th,64,32 0 @th,240,8 34 goto begun',
    `udp dport 4500 @th,64,32 0 @th,240,8 35 ct mark set ct mark | ${BEGUN}`,
    'udp dport 4500 @th,64,32 != 0 goto through',
  ],
} as const satisfies Record<CountedTransport, readonly string[]>;

/** Replaces the table; its counts start at zero. */
export function reachScript({ table, uplinks, networks, entries, relays }: ReachTableOptions): string {
  const rule = (chain: string, text: string) => `add rule inet ${table} ${chain} ${text}`;
  const key = 'meta mark . meta l4proto . th dport';
  const count = (chain: string, set: string, condition: string, bit: string) => [
    `add chain inet ${table} ${chain}`,
    rule(chain, condition),
    rule(chain, `ct mark set ct mark | ${bit}`),
    rule(chain, 'jump operator'),
    rule(chain, `meta mark != 0 update @${set} { ${key} }`),
    rule(chain, 'meta mark set 0'),
  ];
  return [
    ...removeReachCommands(table),
    `add table inet ${table}`,
    `add map inet ${table} networks4 { type ipv4_addr : mark; flags interval; }`,
    `add map inet ${table} networks6 { type ipv6_addr : mark; flags interval; }`,
    // Apart, because a relay may stand in one of the networks, and ranges of a map do not overlap.
    `add map inet ${table} relays4 { type ipv4_addr : mark; }`,
    `add map inet ${table} relays6 { type ipv6_addr : mark; }`,
    ...['attempts', 'through'].map(
      (set) =>
        `add set inet ${table} ${set} { type mark . inet_proto . inet_service; size 4096; flags dynamic; counter; }`,
    ),
    ...elementCommands(table, networks),
    ...relayCommands(table, networks.length, relays),
    `add chain inet ${table} operator`,
    rule('operator', 'meta mark set 0'),
    rule('operator', 'meta mark set ip saddr map @networks4'),
    rule('operator', 'meta mark set ip6 saddr map @networks6'),
    rule('operator', 'meta mark set ip saddr map @relays4'),
    rule('operator', 'meta mark set ip6 saddr map @relays6'),
    ...count('begun', 'attempts', `ct mark & ${BEGUN} != 0 return`, BEGUN),
    ...count('through', 'through', `ct mark & ${BEGUN} == 0 return`, THROUGH),
    ...Object.entries(CHAINS).flatMap(([transport, rules]) => [
      `add chain inet ${table} of_${transport}`,
      ...rules.map((text) => rule(`of_${transport}`, text)),
    ]),
    // After the kernel knows the connection, and before a port is redirected: what the device asked for is counted.
    `add chain inet ${table} see { type filter hook prerouting priority mangle; policy accept; }`,
    rule('see', `iifname != { ${uplinks.map((name) => `"${name}"`).join(', ')} } accept`),
    rule('see', 'ct direction != original accept'),
    rule('see', `ct mark & ${THROUGH} != 0 accept`),
    ...entryRules(entries).map((text) => rule('see', text)),
    '',
  ].join('\n');
}

export function removeReachCommands(table: string): string[] {
  return [`add table inet ${table}`, `delete table inet ${table}`];
}

function elementCommands(table: string, networks: ReachNetworks['networks']): string[] {
  const elements = networks.flatMap(({ ranges }, index) => ranges.map((range) => ({ range, mark: markOf(index) })));
  return [4, 6].flatMap((family) => {
    const own = elements.filter(({ range }) => range.includes(':') === (family === 6));
    const list = own.map(({ range, mark }) => `${range} : ${mark}`).join(', ');
    return list ? [`add element inet ${table} networks${family} { ${list} }`] : [];
  });
}

/** Relays have the numbers after those of the networks. */
function relayCommands(table: string, networks: number, relays: ReachTableOptions['relays']): string[] {
  const elements = relays.flatMap(({ addresses }, index) =>
    addresses.map((address) => ({ address, mark: markOf(networks + index) })),
  );
  return [4, 6].flatMap((family) => {
    const own = elements.filter(({ address }) => address.includes(':') === (family === 6));
    const list = own.map(({ address, mark }) => `${address} : ${mark}`).join(', ');
    return list ? [`add element inet ${table} relays${family} { ${list} }`] : [];
  });
}

function entryRules(entries: readonly Entry[]): string[] {
  return Object.keys(CHAINS).flatMap((transport) => {
    const ports = entries.filter((entry) => entry.transport === transport).map(({ port }) => port);
    const protocol = transport === 'openvpn_tcp' ? 'tcp' : 'udp';
    if (ports.length === 0) return [];
    return [`${protocol} dport { ${[...new Set(ports)].join(', ')} } fib daddr type local jump of_${transport}`];
  });
}

export interface ReachElement {
  /** In the order of `networks`, and then of `relays`. */
  readonly source: number;
  readonly isTcp: boolean;
  readonly port: number;
  readonly packets: number;
}

/** Reads nft's JSON of one of the two sets. */
export function parseReachSet(listed: string): ReachElement[] {
  return [...listed.matchAll(ELEMENT)].map(([, mark, protocol, port, packets]) => ({
    source: Number(mark) - 1,
    isTcp: protocol === 'tcp',
    port: Number(port),
    packets: Number(packets),
  }));
}

const ELEMENT = /"concat": \[(\d+), "(tcp|udp)", (\d+)\]\}, "counter": \{"packets": (\d+)/g;
