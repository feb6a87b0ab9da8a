import { randomInt } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { run } from './processes.ts';

/**
 * Three network namespaces, as in `data-plane.md`, and a link from the node to this machine for its control plane:
 *
 *     client 203.0.113.2 ── .1 internet 198.51.100.1 ── .2 node ── control 10.254.x.1 (here)
 *                                └ web 192.0.2.80, 2001:db8:80::80
 */
export interface Network {
  readonly id: string;
  readonly clients: readonly [string, string];
  readonly internet: string;
  readonly node: string;
  readonly controlAddress: string;
  inside(namespace: string, command: string, ...args: string[]): Promise<string>;
  down(): Promise<void>;
}

export const WEB4 = '192.0.2.80';
export const WEB6 = '2001:db8:80::80';
/** The panel, as far as the node is concerned: beside the web, at the same server. */
export const PANEL4 = '192.0.2.81';
export const PANEL6 = '2001:db8:80::81';
export const NODE4 = '198.51.100.2';
export const NODE6 = '2001:db8:a::2';

export async function createNetwork(): Promise<Network> {
  // Tests of several files run at the same time, on a machine that others use.
  const link = randomInt(16_384);
  const id = link.toString(36);
  const [one, two, internet, node] = ['one', 'two', 'inet', 'node'].map((part) => `rna${id}-${part}`) as [
    string,
    string,
    string,
    string,
  ];
  const base = `10.254.${link >> 6}.${(link & 63) * 4}`;
  const controlAddress = base.replace(/\d+$/, (last) => String(Number(last) + 1));
  const nodeControl = base.replace(/\d+$/, (last) => String(Number(last) + 2));
  const namespaces = [one, two, internet, node];
  const linkHere = `rna${id}c`;
  const down = async () => {
    for (const namespace of namespaces) {
      for (const pid of (await run('ip', ['netns', 'pids', namespace]).catch(() => '')).split('\n').filter(Boolean)) {
        try {
          process.kill(Number(pid), 'SIGKILL');
        } catch {
          // It has ended by itself.
        }
      }
    }
    // With its namespace it would go too, but only some time after this function has returned.
    await run('ip', ['link', 'del', linkHere]).catch(() => {});
    for (const namespace of namespaces) {
      await run('ip', ['netns', 'del', namespace]).catch(() => {});
      rmSync(`/etc/netns/${namespace}`, { recursive: true, force: true });
    }
  };
  const network: Network = {
    id,
    clients: [one, two],
    internet,
    node,
    controlAddress,
    inside: (namespace, command, ...args) => run('ip', ['netns', 'exec', namespace, command, ...args]),
    down,
  };
  await down();
  await run('sh', ['-e'], script(network, linkHere, nodeControl));
  for (const namespace of [internet, node]) {
    await network.inside(namespace, 'sysctl', '-qw', 'net.ipv6.conf.all.forwarding=1', 'net.ipv4.ip_forward=1');
  }
  await network.inside(internet, 'sysctl', '-qw', 'net.ipv6.conf.inode.keep_addr_on_down=1');
  for (const namespace of [one, two]) {
    mkdirSync(`/etc/netns/${namespace}`, { recursive: true });
    writeFileSync(`/etc/netns/${namespace}/resolv.conf`, 'nameserver 203.0.113.1\n');
  }
  return network;
}

function script(network: Network, linkHere: string, nodeControl: string): string {
  const { internet, node } = network;
  const lines = [...network.clients, internet, node].map((name) => `netns add ${name}`);
  const up = (namespace: string, device: string, ...addresses: string[]) => {
    for (const address of addresses) {
      lines.push(`-n ${namespace} addr add ${address} dev ${device}${address.includes(':') ? ' nodad' : ''}`);
    }
    lines.push(`-n ${namespace} link set ${device} up`);
  };
  for (const name of [...network.clients, internet, node]) lines.push(`-n ${name} link set lo up`);
  const links = [
    [network.clients[0], 'ione', '203.0.113', '2001:db8:c'],
    [network.clients[1], 'itwo', '203.0.114', '2001:db8:d'],
    [node, 'inode', '198.51.100', '2001:db8:a'],
  ] as const;
  for (const [namespace, device, v4, v6] of links) {
    lines.push(`link add ${device} netns ${internet} type veth peer name eth0 netns ${namespace}`);
    up(internet, device, `${v4}.1/24`, `${v6}::1/64`);
    up(namespace, 'eth0', `${v4}.2/24`, `${v6}::2/64`);
    lines.push(`-n ${namespace} route add default via ${v4}.1`, `-n ${namespace} -6 route add default via ${v6}::1`);
  }
  up(internet, 'lo', `${WEB4}/32`, `${WEB6}/128`, `${PANEL4}/32`, `${PANEL6}/128`);
  lines.push(`link add ${linkHere} type veth peer name mgmt netns ${node}`);
  lines.push(`addr add ${network.controlAddress}/30 dev ${linkHere}`, `link set ${linkHere} up`);
  up(node, 'mgmt', `${nodeControl}/30`);
  return lines.map((line) => `ip ${line}\n`).join('');
}
