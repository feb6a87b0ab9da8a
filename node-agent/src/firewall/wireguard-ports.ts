/**
 * More UDP ports of the node that lead to WireGuard's own. The kernel translates the first packet of a flow, and remembers it: replies
 * come from the port that was asked, and later packets pay nothing. Only what arrives from outside for the node itself is translated.
 */
const MAP = 'wireguard_ports';

export function wireguardPortSetCommands(table: string): string[] {
  return [`add map inet ${table} ${MAP} { type inet_service : inet_service; }`];
}

/** `exits`: the uplinks as an nftables set. */
export function wireguardPortChainCommands(table: string, exits: string): string[] {
  const chain = 'raha_wireguard_ports';
  return [
    `add chain inet ${table} ${chain} { type nat hook prerouting priority dstnat; policy accept; }`,
    `add rule inet ${table} ${chain} iifname ${exits} fib daddr type local meta l4proto udp redirect to :udp dport map @${MAP}`,
  ];
}

/** Brings the map to exactly these ports, whatever it has now. */
export function wireguardPortCommands(table: string, listenPort: number, ports: readonly number[]): string[] {
  const elements = ports.map((port) => `${port} : ${listenPort}`).join(', ');
  return [`flush map inet ${table} ${MAP}`, ...(elements ? [`add element inet ${table} ${MAP} { ${elements} }`] : [])];
}
