import { chargeToman, priceMilliTomanPerGb } from '@raha/contract/money.ts';
import type { Protocol } from '@raha/contract/protocols.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkBooks, issueGiftCards } from './world/control-plane.ts';
import { createDevice, type Device } from './world/device.ts';
import { createNameServer, type NameServer } from './world/name-server.ts';
import { addresses } from './world/network.ts';
import { must, root, run, start, until } from './world/processes.ts';
import { createRelayMachine, type RelayMachine } from './world/relay-machine.ts';
import { signUp, type TestUser } from './world/user.ts';
import { createWitness, type Witness } from './world/witness.ts';
import { createWorld, type World, waitForServer, whyNoTunnels } from './world/world.ts';

/**
 * An entry relay (decision 109): real clients through it, each byte billed once, and nothing else is forwarded. Then networks block it,
 * and old files find another by the name of the entries, in a real name server (decision 110).
 */
const RATE = 100_000;
const CENTS_PER_GB = 4_000;
const price = priceMilliTomanPerGb(CENTS_PER_GB, RATE);
const CARD_USD = 20;
/** Enough that devices that were switched off do not hold the money of the next one. */
const CARD_TOMAN = BigInt(CARD_USD * RATE);
const OTHER_PORT = 8_080;

describe.skipIf(whyNoTunnels())('an entry relay', () => {
  let world: World;
  let machine: RelayMachine;
  let second: RelayMachine | undefined;
  let names: NameServer;
  let command: string;
  let witness: Witness;
  let user: TestUser;

  beforeAll(async () => {
    world = await createWorld({
      environment: async (network, directory) => {
        names = createNameServer(network, directory);
        await names.start();
        return { USD_RATE_TOMAN: String(RATE), ...names.environment };
      },
      settings: { 'trial.passwordlessDays': 0, 'price.usdCentsPerGb': CENTS_PER_GB },
    });
    names.useByDevice();
    machine = await createRelayMachine(world.network, world.directory, 1);
    witness = await createWitness(world.network);
    user = await signUp(world.controlPlane.url, world.mailbox, 'arash@example.com');
    const [code = ''] = await issueGiftCards(world.controlPlane, 1, CARD_USD);
    await user.api.processGiftCard({ body: { gift_card_code: code, current_price: RATE } });
    for (const protocol of ['wireguard', 'openvpn', 'ikev2'] as const) await waitForServer(world, protocol);
  });
  afterAll(async () => {
    await names?.stop();
    await machine?.down();
    await second?.down();
    await world?.close();
  });

  test('one command makes a machine a relay, and its node finds that it works in both families', async () => {
    const at = ['--address', machine.address4, '--address6', machine.address6, '--exit6', addresses.node6];
    const added = await world.controlPlane.raha<{ command: string }>(
      ...['relays', 'add', '--name', 'tehran-1', '--node', 'frankfurt-1', ...at],
    );
    command = added.command;
    await until('the node to try it in vain', async () => (await states()).join() === 'away,away', 30_000, 500);
    await machine.setUp(command);
    await must('systemd-analyze', ['verify', '--man=no', machine.unit]);
    await until('it to work', async () => (await states()).join() === 'up,up', 40_000, 500);
    const both = [machine.address4, machine.address6];
    await until('the name to lead to it', async () => (await lookUp()).join() === both.join(), 60_000, 500);
  });

  test('WireGuard, OpenVPN and IKEv2 come through it, and each byte is billed once', async () => {
    // So that nothing comes another way.
    await blockDirectWay(true);
    for (const protocol of ['wireguard', 'openvpn', 'ikev2'] as const) {
      const device = createDevice(world.network, `${world.directory}/${protocol}`, protocol);
      await expectThrough(device, await newFile(protocol), protocol);
    }
    const billed = await witness.settled(usedBytes);
    expect(billed).toBeGreaterThan(9_000_000n);
    const { balance } = (await user.api.getWallet()).data;
    // Each config rounds in its own favour.
    const paid = CARD_TOMAN - BigInt(balance);
    expect(Math.abs(Number(paid - chargeToman(billed, price)))).toBeLessThanOrEqual(3);
    expect(await checkBooks(world.controlPlane)).toBe('ok');
  });

  test('WireGuard at another port and over IPv6; new rules leave the session alone', async () => {
    const file = await newFile('wireguard', 'phone 2');
    const device = createDevice(world.network, `${world.directory}/more`);
    for (const endpoint of [`${machine.address4}:53`, `[${machine.address6}]:51820`]) {
      await device.up(file.replace(/^Endpoint = .*$/m, `Endpoint = ${endpoint}`));
      await until(`a page through ${endpoint}`, () => device.seenAs(), 20_000);
      await machine.setUp(command);
      expect((await device.download(1_000_000, { stallSeconds: 30 })).complete).toBe(true);
      await device.down();
    }
  });

  test('a relay that is blocked leaves name and files, its users are notified once, and an old file works again', async () => {
    second = await createRelayMachine(world.network, world.directory, 2);
    const at = ['--address', second.address4, '--address6', second.address6, '--exit6', addresses.node6];
    const added = await world.controlPlane.raha<{ command: string }>(
      ...['relays', 'add', '--name', 'tehran-2', '--node', 'frankfurt-1', ...at],
    );
    await second.setUp(added.command);
    await until('both to work', async () => (await states()).join() === 'up,up,up,up', 60_000, 500);
    await until('the name to lead to both', async () => (await lookUp()).length === 4, 60_000, 500);
    const old = await newFile('wireguard', 'old');
    expect(old).toContain(`\nEndpoint = ${await entryName()}:51820\n`);

    await must('ip', ['netns', 'exec', world.network.internet, 'nft', '-f', '-'], {
      input: `add table inet censor
        add chain inet censor forward { type filter hook forward priority 0; }
        add rule inet censor forward iifname "icli" oifname "${machine.link}" drop`,
    });
    await world.controlPlane.raha('entries', 'block', '--relay', 'tehran-1');
    const others = [second.address4, second.address6];
    await until('the name to lead to the other', async () => (await lookUp()).join() === others.join(), 120_000, 500);
    const file = await newFile('openvpn', 'new');
    expect([file.includes(machine.address4), file.includes(second.address4)]).toEqual([false, true]);
    const isMeant = ({ kind }: { readonly kind: string }) => kind === 'entry_blocked';
    const received = await until('a notification', async () => {
      const { notifications } = (await user.api.listNotifications({ query: { limit: 50 } })).data;
      const own = notifications.filter(isMeant);
      return own.length > 0 && own;
    });
    expect(received).toHaveLength(1);

    const device = createDevice(world.network, `${world.directory}/old`);
    await device.up(old);
    expect(await until('a page with the old file', () => device.seenAs(4, 2), 30_000)).toBe(addresses.node4);
    await device.down();
    await must('ip', ['netns', 'exec', world.network.internet, 'nft', 'delete table inet censor']);
  });

  test('another port of the node is not forwarded, and neither is another destination', async () => {
    const server = ['netns', 'exec', world.network.node, 'python3', '-m', 'http.server', String(OTHER_PORT)];
    const logFile = `${world.directory}/other.log`;
    const other = start('ip', [...server, '--bind', '::'], { logFile, cwd: `${root}/e2e/shim` });
    await blockDirectWay(false);
    await until('the other service', () => canVisit(addresses.node4));
    expect(await canVisit(machine.address4)).toBe(false);
    expect(await canVisit(`[${machine.address6}]`)).toBe(false);

    // The internet now leads to the node over the relay, as if its neighbour used it as a router.
    await inInternet('route', 'replace', `${addresses.node4}/32`, 'via', machine.address4);
    await inInternet('-6', 'route', 'replace', `${addresses.node6}/128`, 'via', machine.address6);
    expect(await canVisit(addresses.node4)).toBe(false);
    expect(await canVisit(`[${addresses.node6}]`)).toBe(false);
    expect(await sendsBack()).toBe(false);
    // Without its rules it would: the check sees it.
    await must('ip', ['netns', 'exec', machine.namespace, 'nft', 'delete table inet raha_relay']);
    await canVisit(addresses.node4);
    expect(await sendsBack()).toBe(true);
    await other.kill('SIGTERM');
  });

  async function expectThrough(device: Device, file: string, what: string): Promise<void> {
    await device.up(file);
    expect(await until(`a page: ${what}`, () => device.seenAs(4, 2), 30_000)).toBe(addresses.node4);
    expect((await device.download(3_000_000, { stallSeconds: 30 })).complete).toBe(true);
    expect(await device.seenAs(6, 5)).toBe(addresses.node6);
    await device.down();
  }

  async function newFile(protocol: Protocol, name: string = protocol): Promise<string> {
    const serverId = await waitForServer(world, protocol);
    const { data } = await user.api.createConfig({ body: { name, serverId, protocol } });
    await until('the node to serve it', async () => {
      return (await user.api.getConfig({ params: { id: data.config.id } })).data.config.applied;
    });
    return data.file;
  }

  async function usedBytes(): Promise<bigint> {
    const { data } = await user.api.listConfigs();
    return data.configs.reduce((sum, { totalTraffic }) => sum + BigInt(totalTraffic), 0n);
  }

  async function entryName(): Promise<string> {
    const { nodes } = await world.controlPlane.raha<{ nodes: { name: { name: string } | null }[] }>('entries', 'list');
    return nodes[0]?.name?.name ?? '';
  }

  /** Where the name leads a device, IPv4 first. */
  async function lookUp(): Promise<string[]> {
    const name = await entryName();
    if (name === '') return [];
    const ask = async (type: string) => {
      const dig = ['netns', 'exec', world.network.client, 'dig', '+short', '+tries=1', '+time=2', name, type];
      return (await must('ip', dig)).split('\n').filter((line) => line !== '');
    };
    return [...(await ask('A')).sort(), ...(await ask('AAAA')).sort()];
  }

  async function states(): Promise<string[]> {
    type Entry = { state: string };
    const { relays } = await world.controlPlane.raha<{ relays: { ipv4: Entry; ipv6: Entry }[] }>('relays', 'list');
    return relays.flatMap(({ ipv4, ipv6 }) => [ipv4.state, ipv6.state]);
  }

  /** Nothing of the client goes to the node itself. */
  async function blockDirectWay(isBlocked: boolean): Promise<void> {
    const rules = `add table inet direct
      add chain inet direct forward { type filter hook forward priority 0; }
      add rule inet direct forward iifname "icli" oifname "inode" drop`;
    const input = isBlocked ? rules : 'delete table inet direct';
    await must('ip', ['netns', 'exec', world.network.internet, 'nft', '-f', '-'], { input });
  }

  async function canVisit(host: string): Promise<boolean> {
    const visit = ['curl', '-s', '-g', '-o', '/dev/null', '-m', '2', `http://${host}:${OTHER_PORT}/`];
    return (await run('ip', ['netns', 'exec', world.network.client, ...visit])).code === 0;
  }

  async function inInternet(...words: string[]): Promise<void> {
    await must('ip', ['-n', world.network.internet, ...words]);
  }

  /** Whether what the client sends to the node comes back from the relay, which then forwards what is not for it. */
  async function sendsBack(): Promise<boolean> {
    const inside = ['netns', 'exec', world.network.internet, 'nft'];
    const rules = `add table inet seen
      delete table inet seen
      add table inet seen
      add chain inet seen forward { type filter hook forward priority -10; }
      add rule inet seen forward iifname "${machine.link}" ip daddr ${addresses.node4} tcp dport ${OTHER_PORT} counter`;
    await must('ip', [...inside, '-f', '-'], { input: rules });
    await canVisit(addresses.node4);
    const text = await must('ip', [...inside, '-j', 'list', 'table', 'inet', 'seen']);
    return Number(/"packets": (\d+)/.exec(text)?.[1] ?? 0) > 0;
  }
});
