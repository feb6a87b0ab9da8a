import { readFile } from 'node:fs/promises';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { AgentContext } from '../agent-context.ts';

/**
 * Lets WireGuard in at the further ports of the settings. Left out are those of the other protocols, and those at which another
 * program of this machine listens (a name server, say), which would no longer be reached.
 */
export async function openMoreWireguardPorts({ applied, firewall, log }: AgentContext): Promise<void> {
  const { listenPort, morePorts = [] } = applied.settings.wireguard;
  const ports = choosePorts(applied.settings, listeningPorts(await readSockets()));
  await firewall.redirectToWireguard(listenPort, ports);
  const leftOut = morePorts.filter((port) => !ports.includes(port));
  log.info('wireguard_ports', { ports: ports.join(' '), leftOut: leftOut.join(' ') });
}

export function choosePorts(settings: NodeSettings, foreign: ReadonlySet<number>): number[] {
  const { wireguard, openvpn, ikev2 } = settings;
  // IKEv2's ports cannot be changed (RFC 7296 section 2).
  const own = new Set([
    wireguard.listenPort,
    ...(openvpn ? [openvpn.port] : []),
    ...(openvpn?.openconnect?.udp ? [openvpn.openconnect.port] : []),
    ...(ikev2 ? [500, 4500] : []),
  ]);
  return [...new Set(wireguard.morePorts)].filter((port) => !own.has(port) && !foreign.has(port));
}

/** Ports at which a socket waits for anybody from outside, by the lists of UDP sockets in /proc/net (proc_pid_net(5)). */
export function listeningPorts(lists: readonly string[]): Set<number> {
  const ports = new Set<number>();
  for (const [, address = '', port = ''] of lists.join('\n').matchAll(SOCKET)) {
    if (!isLoopback(address)) ports.add(Number.parseInt(port, 16));
  }
  return ports;
}

/** Local address and port in hex; the remote ones are zero, so the socket is not connected. */
const SOCKET = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) 0+:0000 /gm;

/** 32-bit words in the machine's byte order, which is little-endian wherever the agent runs. */
function isLoopback(address: string): boolean {
  return address.length === 8 ? address.endsWith('7F') : address === `${'0'.repeat(24)}01000000`;
}

function readSockets(): Promise<string[]> {
  return Promise.all(['udp', 'udp6'].map((list) => readFile(`/proc/net/${list}`, 'utf8').catch(() => '')));
}
