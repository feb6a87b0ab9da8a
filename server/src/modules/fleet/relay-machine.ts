import { limits } from '@raha/contract/limits.ts';
import type { Node } from './nodes.ts';
import { OPENVPN_TCP_PORT } from './rules.ts';

/** What a relay forwards, and to where. */
export interface Forwarding {
  readonly exit4: string | null;
  readonly exit6: string | null;
  readonly udpPorts: readonly number[];
  readonly tcpPorts: readonly number[];
}

/** The ports of a node at which devices connect, and the one through which it tries its relays. */
export function forwardedPorts(
  node: Pick<Node, 'wireguard_port' | 'openvpn_port' | 'openconnect_port' | 'openconnect_udp'>,
  morePorts: readonly number[],
): Pick<Forwarding, 'udpPorts' | 'tcpPorts'> {
  const openconnect = node.openconnect_port === null ? [] : [node.openconnect_port];
  const own = [node.wireguard_port, node.openvpn_port, 500, 4500, limits.relay.probePort];
  return {
    udpPorts: inOrder([...own, ...morePorts, ...(node.openconnect_udp ? openconnect : [])]),
    tcpPorts: inOrder([OPENVPN_TCP_PORT, ...openconnect]),
  };
}

function inOrder(ports: readonly number[]): number[] {
  return [...new Set(ports)].sort((a, b) => a - b);
}

/**
 * The rules of a relay. They forward these ports to this exit and refuse to forward anything else, from whomever, also what was open
 * before they were loaded. Ports of the machine itself, such as SSH, are not touched.
 */
export function relayRules({ exit4, exit6, udpPorts, tcpPorts }: Forwarding): string {
  const exits = [
    ...(exit4 ? [{ family: 'ip', nfproto: 'ipv4', address: exit4 }] : []),
    ...(exit6 ? [{ family: 'ip6', nfproto: 'ipv6', address: exit6 }] : []),
  ];
  const rules = (rule: (exit: (typeof exits)[number]) => string[]) => exits.flatMap(rule).map((text) => `    ${text}`);
  return [
    '# Raha entry relay: no key, no plaintext. What is not for the exit is refused.',
    'table inet raha_relay',
    'delete table inet raha_relay',
    'table inet raha_relay {',
    '  set newcomers4 { type ipv4_addr; size 65536; flags dynamic, timeout; timeout 1m; }',
    '  set newcomers6 { type ipv6_addr; size 65536; flags dynamic, timeout; timeout 1m; }',
    '  chain prerouting {',
    '    type nat hook prerouting priority dstnat; policy accept;',
    // Without it the machine's own queries to a name server on itself would be sent to the exit.
    '    iifname "lo" accept',
    ...rules(({ family, nfproto, address }) => [
      `meta nfproto ${nfproto} fib daddr type local udp dport { ${udpPorts.join(', ')} } dnat ${family} to ${address}`,
      `meta nfproto ${nfproto} fib daddr type local tcp dport { ${tcpPorts.join(', ')} } dnat ${family} to ${address}`,
    ]),
    '  }',
    '  chain forward {',
    '    type filter hook forward priority filter; policy drop;',
    '    ct status dnat ct state established,related accept',
    // So that the relay is no amplifier: many users share an address, so there is room for them.
    ...rules(({ family, address }) => [
      `ct status dnat ct state new ${family} daddr ${address} update @newcomers${family === 'ip' ? 4 : 6} { ${family} saddr limit rate over 40/second burst 400 packets } drop`,
      `ct status dnat ct state new ${family} daddr ${address} accept`,
    ]),
    '  }',
    '  chain postrouting {',
    '    type nat hook postrouting priority srcnat; policy accept;',
    // Plain masquerading keeps ports below 512 below 512, which is 500 devices of IKEv2 in all.
    ...rules(({ family, address }) => [
      `ct status dnat ${family} daddr ${address} meta l4proto { tcp, udp } masquerade to :10000-65535`,
    ]),
    '  }',
    '}',
  ].join('\n');
}

/**
 * The command that makes a clean Debian or Ubuntu machine a relay: nftables, four settings of the kernel and a unit that loads the
 * rules at boot. Nothing is downloaded but the package, and nothing in it is secret.
 */
export function relayCommand(forwarding: Forwarding): string {
  return `sh -eu <<'RELAY'
[ "$(id -u)" = 0 ] || { echo 'Run this as root.' >&2; exit 1; }
export DEBIAN_FRONTEND=noninteractive
command -v nft > /dev/null || { apt-get update -qq < /dev/null && apt-get install -y -qq --no-install-recommends nftables < /dev/null; }
mkdir -p /etc/raha-relay
cat > /etc/raha-relay/rules.nft <<'RULES'
${relayRules(forwarding)}
RULES
cat > /etc/raha-relay/sysctl.conf <<'SYSCTL'
net.ipv4.ip_forward = 1
-net.ipv6.conf.all.forwarding = 1
-net.netfilter.nf_conntrack_max = 262144
-net.netfilter.nf_conntrack_tcp_timeout_established = 7440
SYSCTL
cat > /etc/systemd/system/raha-relay.service <<'UNIT'
[Unit]
Description=Raha entry relay
After=network-pre.target nftables.service
Wants=network-pre.target
Before=network.target

[Service]
Type=oneshot
RemainAfterExit=yes
# The rules first: without them nothing is forwarded.
ExecStart=nft -f /etc/raha-relay/rules.nft
ExecStart=sysctl -q -p /etc/raha-relay/sysctl.conf
ExecReload=nft -f /etc/raha-relay/rules.nft
ExecStop=sysctl -q -w net.ipv4.ip_forward=0
ExecStop=-sysctl -q -w net.ipv6.conf.all.forwarding=0
ExecStop=nft delete table inet raha_relay

[Install]
WantedBy=multi-user.target
UNIT
nft -c -f /etc/raha-relay/rules.nft
systemctl daemon-reload
systemctl enable -q raha-relay
systemctl restart raha-relay
echo 'This machine is a relay now.'
RELAY`;
}

/** What takes it away again. */
export const RELAY_END =
  'systemctl disable --now raha-relay; rm -rf /etc/raha-relay /etc/systemd/system/raha-relay.service; systemctl daemon-reload';
