import { randomBytes, randomInt } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wireguardJunk } from '@raha/contract/wireguard-junk.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openconnectFile } from '../../web/src/pages/user/configs/openconnect-file.ts';
import { proxyLink } from '../../web/src/pages/user/configs/proxy-link.ts';
import { withPort } from '../../web/src/pages/user/configs/wireguard-variants.ts';
import type { ClientKind } from '../world/client.ts';
import { createDevice, type Device } from '../world/device.ts';
import { createFilteringNetwork, type FilteringNetwork } from '../world/filtering-network.ts';
import { addresses } from '../world/network.ts';
import { must, node, root, until } from '../world/processes.ts';
import { openProxyWebsite, type ProxyWebsite } from '../world/proxy-website.ts';
import { createRelayMachine, type RelayMachine } from '../world/relay-machine.ts';
import { activate, signUp, type TestUser } from '../world/user.ts';
import { createVlessClient } from '../world/vless-client.ts';
import { createWorld, type World, waitForServer, whyNoTunnels } from '../world/world.ts';
import { type Filter, filters, type Passage, passes, type Way } from './passes.ts';

/**
 * Every way to connect, by its own client, through a network that filters by what it knows of VPNs. Each device has a network of its own, so that
 * all are tried side by side.
 */
const OPENCONNECT_PORT = 4443;
const OTHER_PORT = 53;
const WEBSITE = 'www.shop.example';
const protocols = ['wireguard', 'openvpn', 'ikev2'] as const;
/** What the test needs of a client. */
type Tried = Pick<Device, 'up' | 'down' | 'seenAs' | 'isRunning'>;
/** How long a client whose packets are dropped has to find another way. */
const PATIENCE_MS = 2_000;

describe.skipIf(whyNoTunnels())('networks that filter', () => {
  let world: World;
  let relay: RelayMachine;
  let user: TestUser;
  const networks: FilteringNetwork[] = [];
  /** What is left of the clients' starts. */
  const starting = new Map<Tried, Promise<void>>();

  beforeAll(async () => {
    world = await createWorld({ settings: { 'configs.perUser': 20 } });
    relay = await createRelayMachine(world.network, world.directory, 1);
    user = await signUp(world.controlPlane.url, world.mailbox, 'arash@example.com');
    await activate(world.controlPlane, user.api, 20);
    for (const protocol of protocols) await waitForServer(world, protocol);
    await raha('nodes', 'openconnect', '--name', 'frankfurt-1', '--port', String(OPENCONNECT_PORT));
    await raha('nodes', 'tcp', '--name', 'frankfurt-1', '--website', `${addresses.web4}:8443`);
    await until('the node to serve every way', isAllServed, 30_000, 500);
    // A daemon that was given another way is briefly not there.
    for (const protocol of protocols) await waitForServer(world, protocol);
  });
  afterAll(async () => {
    for (const network of networks) await network.down();
    await relay?.down();
    await world?.close();
  });

  test('each way passes what the table says, directly or through a relay, and nothing else', {
    timeout: 600_000,
  }, async () => {
    const files = await newFiles();
    // From here on new files would name it.
    const at = ['--address', relay.address4, '--address6', relay.address6, '--exit6', addresses.node6];
    const { command } = await raha<{ command: string }>(
      'relays',
      'add',
      '--name',
      'ir1',
      '--node',
      'frankfurt-1',
      ...at,
    );
    await relay.setUp(command);
    const found = await Promise.all([
      tryWay('wireguard', 'a', 'wireguard', files.wireguard),
      tryWay('wireguard_port', 'b', 'wireguard', withPort(files.wireguard_port, OTHER_PORT)),
      tryWay('wireguard_junk', 'c', 'wireguard', files.wireguard_junk),
      tryWay('openvpn', 'd', 'openvpn', onlyRemote(files.openvpn, 'udp')),
      tryWay('openvpn_tcp', 'e', 'openvpn', onlyRemote(files.openvpn_tcp, 'tcp-client')),
      tryWay('ikev2', 'f', 'ikev2', files.ikev2),
      tryWay('openconnect', 'g', 'openconnect', files.openconnect, 'openconnect_udp'),
    ]);
    // One port has one owner.
    await raha('nodes', 'tcp', '--name', 'frankfurt-1', '--website', 'none');
    await raha('nodes', 'openconnect', '--name', 'frankfurt-1', '--port', '443', '--tcp-only');
    const at443 = files.openconnect.replace(`:${OPENCONNECT_PORT}`, ':443');
    found.push(await tryWay('openconnect_443', 'h', 'openconnect', at443));
    await raha('nodes', 'openconnect', '--name', 'frankfurt-1', '--port', 'none');
    const listeners = ['netns', 'exec', world.network.node, 'ss', '-Hltn', 'sport = :443'];
    await until('the port to be free', async () => (await must('ip', listeners)) === '');
    const website = await openProxyWebsite(world, WEBSITE, '/news/live');
    await raha('nodes', 'proxy', '--name', 'frankfurt-1', '--url', website.url);
    await until('the node to serve the proxy', async () => (await readNode()).proxy.isServed, 60_000, 500);
    const link = (await proxyLink(files.proxy, website.url, 'phone'))!;
    // A filter sees the address, wherever the app has it from.
    found.push(await tryWay('proxy', 'i', website, link.replace(`@${WEBSITE}:`, `@${addresses.node4}:`)));
    expect(Object.assign({}, ...found)).toEqual(passes);
  });

  /** What passed, by filter; with `half`, also whether the faster half of the connection came about. */
  async function tryWay(way: Way, letter: string, kind: ClientKind | ProxyWebsite, file: string, half?: Way) {
    const own = await createFilteringNetwork(world.network, letter);
    networks.push(own);
    const directory = join(world.directory, way);
    const device: Tried =
      typeof kind === 'string' ? createDevice(own.network, directory, kind) : createApp(own, directory, kind);
    const found: Record<string, Partial<Record<Filter, Passage>>> = { [way]: {}, ...(half ? { [half]: {} } : {}) };
    const connect = async (filter: Filter, byRelay: boolean) => {
      const at = byRelay ? file.replaceAll(addresses.node4, relay.address4) : file;
      await own.filter(filter);
      const ready = way === 'wireguard_junk' ? await sendJunk(own, at) : at;
      const isMeant = (each: Way) => (byRelay ? 'relay' : 'yes') === passes[each][filter];
      const begun = halves(directory);
      const isThrough = await connects(device, own, ready, isMeant(way));
      const isHalfThrough = half && isThrough && (await becomes(() => halves(directory) > begun, isMeant(half)));
      await device.down();
      await starting.get(device);
      return { isThrough, isHalfThrough };
    };
    for (const filter of Object.keys(filters) as Filter[]) {
      const direct = await connect(filter, false);
      const relayed = direct.isThrough || filter !== 'address' ? undefined : await connect(filter, true);
      const passage = (key: 'isThrough' | 'isHalfThrough') => (direct[key] ? 'yes' : relayed?.[key] ? 'relay' : 'no');
      Object.assign(found[way]!, { [filter]: passage('isThrough') });
      if (half) Object.assign(found[half]!, { [filter]: passage('isHalfThrough') });
    }
    return found;
  }

  /** Runs until the client is through, or had its chance: one that is meant to be stopped must have tried first. */
  async function connects(device: Tried, own: FilteringNetwork, file: string, isMeant: boolean): Promise<boolean> {
    let isBusy = false;
    const begin = () => {
      isBusy = true;
      // Where it is stopped it says so, or is ended while it waits.
      const ends = device.up(file).then(
        () => {},
        () => {},
      );
      return ends.finally(() => {
        isBusy = false;
      });
    };
    starting.set(device, begin());
    if (!isMeant) await until('the filter to drop something', async () => (await own.dropped()) > 0, 60_000);
    const isThrough = async () => {
      if ((await device.seenAs(4, 1)) === addresses.node4) return true;
      // Some clients exit when a server is not there yet.
      if (isMeant && !isBusy && !(await device.isRunning())) starting.set(device, begin());
      return false;
    };
    return await becomes(isThrough, isMeant);
  }

  /** An app of the proxy's: it connects when something is asked for. */
  function createApp({ network }: FilteringNetwork, directory: string, { certificate }: ProxyWebsite): Tried {
    mkdirSync(directory, { recursive: true });
    const app = createVlessClient(network, directory, certificate);
    let isUp = false;
    return {
      up: async (link) => {
        await app.up(link);
        isUp = true;
        await app.seenAs();
      },
      down: async () => {
        isUp = false;
        await app.down();
      },
      seenAs: async () => (isUp ? await app.seenAs() : undefined),
      isRunning: async () => true,
    };
  }

  async function becomes(isSo: () => boolean | Promise<boolean>, isMeant: boolean): Promise<boolean> {
    return await until('what is meant', async () => await isSo(), isMeant ? 60_000 : PATIENCE_MS).catch(() => false);
  }

  /** What an AmneziaWG client sends from its port before the handshake; the rest of its file is WireGuard's. */
  async function sendJunk({ network }: FilteringNetwork, file: string): Promise<string> {
    const [, host = '', port = ''] = /^Endpoint = (.*):(\d+)$/m.exec(file) ?? [];
    const { Jc, Jmin, Jmax } = wireguardJunk;
    const packets = Array.from({ length: Jc }, () => randomBytes(randomInt(Jmin, Jmax + 1)).toString('hex')).join();
    const from = randomInt(20_000, 30_000);
    const program = join(root, 'node-agent/test/send-bytes.ts');
    await must('ip', ['netns', 'exec', network.client, node, program, `udp:${host}:${port}:${packets}:${from}`]);
    return file.replace('[Interface]\n', `[Interface]\nListenPort = ${from}\n`);
  }

  async function newFiles() {
    const serverId = await waitForServer(world);
    const create = async (name: Way, protocol: 'wireguard' | 'openvpn' | 'ikev2') => {
      const { data } = await user.api.createConfig({ body: { name, serverId, protocol } });
      const read = async () => (await user.api.getConfig({ params: { id: data.config.id } })).data.config;
      await until('the node to serve it', async () => (await read()).applied);
      return { file: data.file, openconnect: (await read()).server.openconnect };
    };
    const forOpenconnect = await create('openconnect', 'openvpn');
    return {
      wireguard: (await create('wireguard', 'wireguard')).file,
      wireguard_port: (await create('wireguard_port', 'wireguard')).file,
      wireguard_junk: (await create('wireguard_junk', 'wireguard')).file,
      openvpn: (await create('openvpn', 'openvpn')).file,
      openvpn_tcp: (await create('openvpn_tcp', 'openvpn')).file,
      ikev2: (await create('ikev2', 'ikev2')).file,
      proxy: (await create('proxy', 'openvpn')).file,
      openconnect: openconnectFile(forOpenconnect.file, forOpenconnect.openconnect!, 'phone.pem')!,
    };
  }

  async function isAllServed(): Promise<boolean> {
    const { openconnect, openvpnTcp } = await readNode();
    return openconnect.isServed && openvpnTcp.isServed;
  }

  async function readNode() {
    type Served = { isServed: boolean };
    const { nodes } = await raha<{ nodes: Record<'openconnect' | 'openvpnTcp' | 'proxy', Served>[] }>('nodes', 'list');
    return nodes[0]!;
  }

  function raha<T>(...words: string[]): Promise<T> {
    return world.controlPlane.raha<T>(...words);
  }
});

/** An OpenVPN file tries UDP and then TCP by itself; here each is alone. */
function onlyRemote(file: string, proto: string): string {
  const isOther = (line: string) => line.startsWith('remote ') && !line.endsWith(` ${proto}`);
  return file
    .split('\n')
    .filter((line) => !isOther(line))
    .join('\n');
}

/** How often OpenConnect's client has said that its UDP works. */
function halves(directory: string): number {
  try {
    const text = readFileSync(join(directory, 'openconnect-client.log'), 'utf8');
    return text.split('Established DTLS connection').length - 1;
  } catch {
    return 0;
  }
}
