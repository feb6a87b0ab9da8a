import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { swapBytes } from '../src/firewall/packet-marks.ts';
import { FakeControlPlane } from './fake-control-plane.ts';
import { createNetwork, type Network, NODE4, WEB4 } from './network.ts';
import { type Running, start, until } from './processes.ts';
import { unitCapabilities } from './sandbox.ts';

const here = import.meta.dirname;
/** A count that has not changed for this long has settled. */
const STILL_MS = 500;
const root = join(here, '../..');
const nodeBinary = join(root, 'node_modules/.bin/node');

/** A config on its user's device. */
export interface Device {
  readonly id: string;
  readonly address4: string;
  readonly address6: string;
  readonly slot: number;
  readonly privateKey: string;
  readonly publicKey: string;
  readonly presharedKey: string;
  /** Where its file leads; the node's usual port over IPv4 at first. */
  endpoint: string;
  /** The device's own port; a free one at first. */
  listenPort: number;
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  /** What curl printed, or null when it failed or took too long. */
  fetch(url?: string, seconds?: number): Promise<string | null>;
  download(bytes: number, ...more: string[]): Running;
  /** Prints how many bytes have arrived. */
  upload(bytes: number): Running;
}

/** An agent with real daemons in a namespace, a fake control plane, an internet and two clients. */
export interface World {
  readonly network: Network;
  readonly control: FakeControlPlane;
  readonly interfaceName: string;
  readonly table: string;
  readonly state: string;
  /** The operator's file; it does not exist at first. */
  readonly blockList: string;
  agent(): Running;
  startAgent(...more: string[]): void;
  /** The same with another program, which gets the agent's arguments. */
  startProgram(program: string): void;
  device(client: 0 | 1, slot: number): Device;
  /** Puts the config on the node with a lease and waits until the node has applied it. */
  serve(device: Device, allowedBytes: number, blocked?: boolean): Promise<void>;
  applied(generation: number): Promise<void>;
  /** up + down of a slot by the kernel's counters. */
  passed(slot: number): Promise<number>;
  /** The same once it no longer changes: the last packets of a connection arrive after its last byte. */
  settled(slot: number): Promise<number>;
  /**
   * Takes the internet's link to the node down, or up again. TCP retransmits the end of a connection for minutes when the
   * other side is gone; counts that are compared to the byte need silence.
   */
  silence(isSilent: boolean): Promise<unknown>;
  close(): Promise<void>;
}

export async function createWorld(): Promise<World> {
  const network = await createNetwork();
  const directory = mkdtempSync(join(tmpdir(), 'rna-'));
  const interfaceName = `rw${network.id}`;
  const table = `raha_${interfaceName}`;
  const state = join(directory, 'state');
  const blockList = join(directory, 'blocked-names');
  const control = new FakeControlPlane(network.controlAddress, {
    wireguard: { listenPort: 51820, address4: '10.64.0.1/16', address6: 'fd72:6168:6100::1/64', mtu: 1420 },
    captivePortal: { topUpUrl: 'http://panel.example/top-up', walledGarden: ['panel.example:80', 'panel.example:443'] },
    samplePeriodMs: 500,
    reportPeriodMs: 500,
  });
  await control.start();
  const web = start('ip', ['netns', 'exec', network.internet, nodeBinary, join(here, 'web.ts')]);
  await until('the web', () => web.output().includes('up'));
  let agent: Running | undefined;
  const connected: Device[] = [];

  const passed = (slot: number) => countPassed(network, table, slot);
  const common = ['--interface', interfaceName, '--uplink', 'eth0', '--state', state];
  const args = [...common, ...argumentsFor(control, directory), '--block-list', blockList];
  const startIn = (...command: string[]) => {
    agent = start('ip', ['netns', 'exec', network.node, ...unitCapabilities(), ...command], root);
  };
  const applied = (generation: number) => until(`generation ${generation}`, () => control.applied >= generation);

  return {
    network,
    control,
    interfaceName,
    table,
    state,
    blockList,
    agent: () => agent as Running,
    startAgent: (...more) => startIn(nodeBinary, join(here, '../src/main.ts'), ...args, ...more),
    startProgram: (program) => startIn(program, ...args),
    device: (client, slot) => createDevice({ network, control, directory, connected, client, slot }),
    serve: async (device, allowedBytes, blocked = false) => {
      control.put(orderOf(device, blocked));
      await applied(control.allow(device.id, allowedBytes));
    },
    applied,
    passed,
    silence: (isSilent) => network.inside(network.internet, 'ip', 'link', 'set', 'inode', isSilent ? 'down' : 'up'),
    settled: async (slot) => {
      for (let before = await passed(slot); ; ) {
        await new Promise((resolve) => setTimeout(resolve, STILL_MS));
        const now = await passed(slot);
        if (now === before) return now;
        before = now;
      }
    },
    close: async () => {
      await Promise.all(connected.map((device) => device.disconnect().catch(() => {})));
      await agent?.end('SIGKILL');
      await web.end('SIGKILL');
      await control.die();
      await network.down();
      rmSync(directory, { recursive: true, force: true });
      for (const name of [`${interfaceName}dn`, `${interfaceName}.usage.json`]) {
        rmSync(join('/run/raha', name), { recursive: true, force: true });
      }
    },
  };
}

/** What the agent needs to find, to believe and to enrol at this control plane. */
function argumentsFor(control: FakeControlPlane, directory: string): string[] {
  const [tokenFile, releaseKey] = [join(directory, 'token'), join(directory, 'release.pub')];
  writeFileSync(tokenFile, 'once');
  writeFileSync(releaseKey, control.releaseKey.publicKey);
  // The control plane is in another namespace, and nobody else is on the way.
  const address = ['--control', control.url, '--insecure-control'];
  return [...address, '--token-file', tokenFile, '--release-key', releaseKey, '--dns-forward', WEB4];
}

async function countPassed(network: Network, table: string, slot: number): Promise<number> {
  let total = 0;
  for (const set of ['up', 'down']) {
    const text = await network.inside(network.node, 'nft', '-j', 'list', 'set', 'inet', table, set);
    const element = `"val": ${swapBytes(slot)}, "counter": \\{"packets": \\d+, "bytes": (\\d+)\\}`;
    total += Number(new RegExp(element).exec(text)?.[1]);
  }
  return total;
}

interface DeviceSeed {
  readonly network: Network;
  readonly control: FakeControlPlane;
  readonly directory: string;
  readonly connected: Device[];
  readonly client: 0 | 1;
  readonly slot: number;
}

export function orderOf({ id, publicKey, presharedKey, address4, address6 }: Device, blocked = false) {
  return { id, publicKey, presharedKey, address4, address6, blocked };
}

let serial = 0;

function createDevice({ network, control, directory, connected, client, slot }: DeviceSeed): Device {
  const keys = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  const [privateKey, publicKey] = [keys.d, keys.x].map((key) => Buffer.from(key ?? '', 'base64url').toString('base64'));
  const namespace = network.clients[client];
  const interfaceName = `rc${network.id}${serial++}`;
  const file = join(directory, `${interfaceName}.conf`);
  const path = `PATH=${join(here, 'shim')}:${process.env.PATH}`;
  const wgQuick = (verb: string) =>
    network.inside(namespace, 'env', path, 'WG_QUICK_USERSPACE_IMPLEMENTATION=wireguard-go', 'wg-quick', verb, file);
  const device: Device = {
    id: randomUUID(),
    slot,
    address4: `10.64.${slot >> 8}.${slot & 255}`,
    address6: `fd72:6168:6100::${slot.toString(16)}`,
    privateKey: privateKey as string,
    publicKey: publicKey as string,
    presharedKey: randomBytes(32).toString('base64'),
    endpoint: `${NODE4}:51820`,
    listenPort: 0,
    connect: async () => {
      writeFileSync(file, clientConfig(device, control.wireguardPublicKey), { mode: 0o600 });
      await wgQuick('up');
      connected.push(device);
    },
    disconnect: async () => {
      connected.splice(connected.indexOf(device), 1);
      await wgQuick('down');
    },
    fetch: async (url = `http://${WEB4}/`, seconds = 15) => {
      try {
        return await network.inside(namespace, 'curl', '-gsS', '-m', String(seconds), url);
      } catch {
        return null;
      }
    },
    download: (bytes, ...more) => {
      const curl = [
        'curl',
        '-sS',
        '-o',
        '/dev/null',
        '-w',
        '%{size_download}',
        ...more,
        `http://${WEB4}/blob?n=${bytes}`,
      ];
      return start('ip', ['netns', 'exec', namespace, ...curl]);
    },
    upload: (bytes) => {
      const script = `head -c ${bytes} /dev/zero | curl -sS -T - http://${WEB4}/sink`;
      return start('ip', ['netns', 'exec', namespace, 'sh', '-c', script]);
    },
  };
  return device;
}

function clientConfig(device: Device, nodeKey: string): string {
  return `[Interface]
PrivateKey = ${device.privateKey}
ListenPort = ${device.listenPort}
Address = ${device.address4}/32, ${device.address6}/128
DNS = 10.64.0.1, fd72:6168:6100::1
MTU = 1420

[Peer]
PublicKey = ${nodeKey}
PresharedKey = ${device.presharedKey}
AllowedIPs = 0.0.0.0/0, ::/0
Endpoint = ${device.endpoint}
PersistentKeepalive = 25
`;
}
