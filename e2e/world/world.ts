import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Protocol } from '@raha/contract/protocols.ts';
import type { ClientKind } from './client.ts';
import { type ControlPlane, createControlPlane } from './control-plane.ts';
import { createDevice, type Device } from './device.ts';
import { type Mailbox, outboxMailbox, smtpMailbox } from './mailbox.ts';
import { createNetwork, type Network } from './network.ts';
import { copyPreparedCluster } from './prepared-cluster.ts';
import { node, root, start, until } from './processes.ts';
import { type Relay, startRelay } from './relay.ts';
import { createVpnNode, nodeDescription, type VpnNode } from './vpn-node.ts';

/** Everything together: the real product with its PostgreSQL, a VPN node, an internet and a user's device. */
export interface World {
  readonly directory: string;
  readonly controlPlane: ControlPlane;
  readonly mailbox: Mailbox;
  readonly network: Network;
  readonly relay: Relay;
  readonly vpnNode: VpnNode;
  readonly device: Device;
  close(): Promise<void>;
}

/** Why this machine cannot run real tunnels, or undefined when it can. */
export function whyNoTunnels(): string | undefined {
  if (process.platform !== 'linux') return 'real tunnels need Linux';
  if (process.getuid?.() !== 0) return 'real tunnels need root';
  if (!existsSync('/dev/net/tun')) return 'real tunnels need /dev/net/tun';
  const tools = [
    'openvpn',
    'ocserv',
    'openconnect',
    'swanctl',
    'wg',
    'wg-quick',
    'wireguard-go',
    'nft',
    'ip',
    'curl',
    'unbound',
    'named',
    'nsupdate',
  ];
  const directories = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'];
  const missing = tools.filter((tool) => !directories.some((directory) => existsSync(join(directory, tool))));
  return missing.length > 0 ? `real tunnels need ${missing.join(', ')}` : undefined;
}

type Environment = Readonly<Record<string, string>>;

export interface WorldOptions {
  readonly mail?: 'outbox' | 'smtp';
  /** What the user's device speaks; WireGuard by default. */
  readonly protocol?: ClientKind;
  /** The product finds an empty disk and makes its database itself, instead of the one made once for all tests. */
  readonly isFirstStart?: boolean;
  /** May depend on the network and the directory of the world. */
  readonly environment?: Environment | ((network: Network, directory: string) => Promise<Environment>);
  /** The built agent with the options of an installed one, for what it costs; the sources otherwise. */
  readonly agentAsInstalled?: boolean;
  /** Operator settings, made before the first sign-up. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
}

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const directory = mkdtempSync(join(tmpdir(), 'raha-world-'));
  // PostgreSQL runs as a user of its own and must be able to traverse it.
  chmodSync(directory, 0o711);
  const closing: (() => Promise<unknown>)[] = [async () => rmSync(directory, { recursive: true, force: true })];
  const close = async () => {
    const failures: unknown[] = [];
    for (const end of closing.reverse()) await end().catch((error: unknown) => failures.push(error));
    closing.length = 0;
    if (failures.length > 0) throw new AggregateError(failures, 'The world did not close cleanly');
  };
  try {
    const network = await createNetwork();
    closing.push(() => network.down());
    const internet = ['ip', 'netns', 'exec', network.internet, node, join(root, 'e2e/world/internet-server.ts')];
    await start(internet[0]!, internet.slice(1), { logFile: join(directory, 'internet.log') }).waitFor(/is up/, 20_000);

    const dataDir = join(directory, 'data');
    const mailbox = options.mail === 'smtp' ? await smtpMailbox() : outboxMailbox(dataDir);
    closing.push(() => mailbox.close());
    if (!options.isFirstStart) await copyPreparedCluster(dataDir);
    const { environment: given } = options;
    const environment = typeof given === 'function' ? await given(network, directory) : given;
    const controlPlane = await createControlPlane(dataDir, {
      USD_RATE_TOMAN: '100000',
      ...(mailbox.smtpUrl ? { SMTP_URL: mailbox.smtpUrl } : {}),
      ...environment,
    });
    closing.push(() => controlPlane.dispose());
    await controlPlane.start();
    for (const [key, value] of Object.entries(options.settings ?? {})) {
      await controlPlane.raha('settings', 'set', key, String(value));
    }

    const relay = await startRelay(network.controlAddress, controlPlane.port);
    closing.push(() => relay.close());
    const { token } = await controlPlane.raha<{ token: string }>('nodes', 'add', ...nodeDescription);
    const vpnNode = createVpnNode(
      network,
      directory,
      { control: relay.url, token },
      { asInstalled: options.agentAsInstalled ?? false },
    );
    closing.push(() => vpnNode.stop());
    await vpnNode.start();
    const device = createDevice(network, directory, options.protocol);
    closing.push(() => device.down());
    return { directory, controlPlane, mailbox, network, relay, vpnNode, device, close };
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
}

/** The only server of this world, once its node has enrolled and serves the protocol. */
export async function waitForServer(world: World, protocol: Protocol = 'wireguard'): Promise<string> {
  try {
    return await until(
      'the node to come online',
      async () => {
        const { nodes } = await world.controlPlane.raha<{ nodes: { id: string; protocols: Protocol[] }[] }>(
          'nodes',
          'list',
        );
        return nodes.find((candidate) => candidate.protocols.includes(protocol))?.id;
      },
      60_000,
      500,
    );
  } catch (error) {
    throw new Error(`The node does not come online; its agent printed:\n${world.vpnNode.output()}`, { cause: error });
  }
}
