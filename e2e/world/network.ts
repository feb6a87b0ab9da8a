import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { isRunning, waitUntilGone } from '../../server/src/platform/processes.ts';
import { CONTROL_ADDRESS, linkToHub, openHub } from './control-link.ts';
import { must, run } from './processes.ts';

/**
 * The internet in three network namespaces, as in the first drawing of the data plane's reference:
 *
 *     client 203.0.113.2 ── 203.0.113.1 internet 198.51.100.1 ── 198.51.100.2 node
 *                                └ web 192.0.2.80, 2001:db8:80::80; panel 192.0.2.81, 2001:db8:80::81
 *
 * A page that echoes its caller shows the client's address without the VPN and the node's with it. A further link from
 * the node carries its calls to the control plane on this machine (`control-link.ts`).
 */
export interface Network {
  /** Unique among all worlds of this machine, and short enough for interface names. */
  readonly id: string;
  readonly client: string;
  readonly internet: string;
  readonly node: string;
  /** This machine's address for the node, and the node's for this machine. */
  readonly controlAddress: string;
  readonly nodeAddress: string;
  /** Drops packets from the node to the client, or stops that; the other direction always works. */
  deafenClient(isDeaf: boolean): Promise<void>;
  down(): Promise<void>;
}

export const addresses = {
  client4: '203.0.113.2',
  client6: '2001:db8:c::2',
  node4: '198.51.100.2',
  node6: '2001:db8:a::2',
  web4: '192.0.2.80',
  web6: '2001:db8:80::80',
  /** Address of the panel, on the same server as the web. */
  panel4: '192.0.2.81',
  panel6: '2001:db8:80::81',
  /** Address of the internet's name server. */
  names4: '192.0.2.53',
} as const;

let count = 0;

export async function createNetwork(): Promise<Network> {
  await removeAbandoned();
  await openHub();
  const serial = count++;
  const id = `${process.pid.toString(36)}${serial}`;
  const [client, internet, node] = ['cli', 'inet', 'node'].map((part) => `raha-${process.pid}-${serial}-${part}`) as [
    string,
    string,
    string,
  ];
  const link = (process.pid * 8 + serial) % 16_384;
  const base = `10.253.${link >> 6}.${(link & 63) * 4}`.split('.').map(Number) as [number, number, number, number];
  const at = (offset: number) => [...base.slice(0, 3), base[3] + offset].join('.');
  const network: Network = {
    id,
    client,
    internet,
    node,
    controlAddress: CONTROL_ADDRESS,
    nodeAddress: at(2),
    deafenClient: async (isDeaf) => {
      const loss = `add table ip deaf
        add chain ip deaf forward { type filter hook forward priority 0; }
        add rule ip deaf forward ip daddr ${addresses.client4} drop`;
      await must('ip', ['netns', 'exec', internet, 'nft', '-f', '-'], {
        input: isDeaf ? loss : 'delete table ip deaf',
      });
    },
    down: () => remove([client, internet, node]),
  };
  try {
    const toHub = linkToHub({ name: `rm${id}`, node, hubAddress: at(1), nodeAddress: at(2) });
    await must('sh', ['-e'], { input: script({ client, internet, node, toHub }) });
    for (const namespace of [internet, node]) {
      const forwarding = ['net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1'];
      await must('ip', ['netns', 'exec', namespace, 'sysctl', '-qw', ...forwarding]);
    }
    mkdirSync(`/etc/netns/${client}`, { recursive: true });
    writeFileSync(`/etc/netns/${client}/resolv.conf`, `nameserver ${addresses.names4}\n`);
  } catch (error) {
    await network.down();
    throw error;
  }
  return network;
}

function script(n: { client: string; internet: string; node: string; toHub: readonly string[] }): string {
  const lines = [n.client, n.internet, n.node].map((name) => `netns add ${name}`);
  lines.push(...[n.client, n.internet, n.node].map((name) => `-n ${name} link set lo up`));
  lines.push(
    `-n ${n.internet} link add icli type veth peer name eth0 netns ${n.client}`,
    `-n ${n.internet} link add inode type veth peer name eth0 netns ${n.node}`,
    ...n.toHub,
  );
  const ends: [string, string, string, string][] = [
    [n.internet, 'icli', '203.0.113.1/24', '2001:db8:c::1/64'],
    [n.client, 'eth0', `${addresses.client4}/24`, `${addresses.client6}/64`],
    [n.internet, 'inode', '198.51.100.1/24', '2001:db8:a::1/64'],
    [n.node, 'eth0', `${addresses.node4}/24`, `${addresses.node6}/64`],
  ];
  for (const [namespace, device, v4, v6] of ends) {
    lines.push(`-n ${namespace} addr add ${v4} dev ${device}`, `-n ${namespace} addr add ${v6} dev ${device} nodad`);
    lines.push(`-n ${namespace} link set ${device} up`);
  }
  lines.push(
    `-n ${n.internet} addr add ${addresses.web4}/32 dev lo`,
    `-n ${n.internet} addr add ${addresses.web6}/128 dev lo nodad`,
    `-n ${n.internet} addr add ${addresses.panel4}/32 dev lo`,
    `-n ${n.internet} addr add ${addresses.names4}/32 dev lo`,
    `-n ${n.internet} addr add ${addresses.panel6}/128 dev lo nodad`,
    `-n ${n.client} route add default via 203.0.113.1`,
    `-n ${n.client} -6 route add default via 2001:db8:c::1`,
    `-n ${n.node} route add default via 198.51.100.1`,
    `-n ${n.node} -6 route add default via 2001:db8:a::1`,
  );
  return lines.map((line) => `ip ${line}\n`).join('');
}

/** Deleting a namespace does not end its processes, so they are ended first, by process id. */
async function remove(namespaces: readonly string[]): Promise<void> {
  for (const namespace of namespaces) {
    const { stdout } = await run('ip', ['netns', 'pids', namespace]);
    const pids = stdout
      .split('\n')
      .map(Number)
      .filter((pid) => pid > 0);
    for (const pid of pids) {
      tell(pid, 'SIGTERM');
      if (!(await waitUntilGone(pid, 2_000))) tell(pid, 'SIGKILL');
    }
  }
  for (const namespace of namespaces) {
    await run('ip', ['netns', 'del', namespace]);
    rmSync(`/etc/netns/${namespace}`, { recursive: true, force: true });
  }
}

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has exited by itself.
  }
}

/** Removes namespaces of killed test runs, whose process id is in the name. */
async function removeAbandoned(): Promise<void> {
  let names: string[] = [];
  try {
    names = readdirSync('/run/netns');
  } catch {
    return;
  }
  const abandoned = names.filter((name) => {
    const pid = Number(/^raha-(\d+)-\d+-(cli[a-z]?|inet|node|rel\d)$/.exec(name)?.[1]);
    return pid > 0 && !isRunning(pid);
  });
  if (abandoned.length > 0) await remove(abandoned);
}
