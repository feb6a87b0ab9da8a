import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openconnectFile } from '../web/src/pages/user/configs/openconnect-file.ts';
import { addresses } from './world/network.ts';
import { must, until } from './world/processes.ts';
import { stopAtFirstFailure } from './world/steps.ts';
import { activate, signUp, type TestUser } from './world/user.ts';
import { createWitness, type Witness } from './world/witness.ts';
import { createWorld, type World, waitForServer, whyNoTunnels } from './world/world.ts';

/**
 * The speed of a plan over each way to connect, from the operator's command to the device (decision 136); WireGuard's, and what may happen
 * meanwhile, is in `node-agent/test/kernel/speeds.kernel.test.ts`. Other work on the machine makes a transfer slower, never faster.
 */
const MBIT = 8;
const BYTES = 3_000_000;
const LEAST_SECONDS = 0.8 * ((BYTES * 8) / (MBIT * 1e6));
/** What curl may use: far more than the plan. */
const RATE = '100M';
const PORT = 4443;

const ways = [
  { way: 'OpenVPN over UDP', kind: 'openvpn', device: /ov$/, isTcp: false },
  { way: 'OpenVPN over TCP', kind: 'openvpn', device: /ot$/, isTcp: true },
  { way: 'OpenConnect', kind: 'openconnect', device: /oc\d+$/, isTcp: false },
  { way: 'IKEv2', kind: 'ikev2', device: /(ik|ipsec0)$/, isTcp: false },
] as const;

describe.skipIf(whyNoTunnels()).each(ways)('the speed of a plan over $way', ({ kind, device, isTcp }) => {
  const protocol = kind === 'ikev2' ? 'ikev2' : 'openvpn';
  let world: World;
  let witness: Witness;
  let user: TestUser;
  let id: string;

  stopAtFirstFailure();
  beforeAll(async () => {
    world = await createWorld({ protocol: kind, settings: { 'trial.passwordlessDays': 0 } });
    witness = await createWitness(world.network);
    await world.controlPlane.raha('plans', 'set', '--id', 'basic', '--max-mbit', String(MBIT));
    user = await signUp(world.controlPlane.url, world.mailbox, 'sara@example.com');
    await activate(world.controlPlane, user.api, 20);
    await waitForServer(world, protocol);
    if (isTcp) await serveTcpOnly();
    if (kind === 'openconnect') await serveOpenconnect();
    await user.api.purchaseSubscription({ body: { plan_id: 'basic' } });
    await world.device.up(await createFile());
    await until('a page', () => isThrough(), 60_000);
  });
  afterAll(() => world?.close());

  test('both directions take their time; without the plan, on the same connection, they do not', async () => {
    await until('a class', async () => (await findClasses()).some((name) => device.test(name)));
    const slow = [await secondsOf(download), await secondsOf(upload)];
    const { data } = await user.api.listSubscriptions();
    await user.api.cancelSubscription({ params: { id: data.activeSubscription?.id ?? '' } });
    await until('the class to go', async () => (await findClasses()).length === 0);
    const fast = [await secondsOf(download), await secondsOf(upload)];
    for (const [index, seconds] of slow.entries()) {
      expect(seconds).toBeGreaterThan(LEAST_SECONDS);
      expect(seconds).toBeGreaterThan(2 * (fast[index] as number));
    }
    expect(await world.device.isRunning()).toBe(true);
  });

  test('the usage is what the kernel counted', async () => {
    await until('it', async () => {
      const { config } = (await user.api.getConfig({ params: { id } })).data;
      return BigInt(config.totalTraffic) === (await witness.bytes());
    });
  });

  const download = async () =>
    expect(await world.device.download(BYTES, { rate: RATE })).toEqual({ bytes: BYTES, complete: true });
  const upload = async () => expect(await world.device.upload(BYTES, { rate: RATE })).toBe(BYTES);
  const isThrough = async () => (await world.device.seenAs(4, 2)) === addresses.node4;

  async function secondsOf(work: () => Promise<unknown>): Promise<number> {
    const before = performance.now();
    await work();
    return (performance.now() - before) / 1000;
  }

  /** The tunnels' devices of the node that have a class of ours. */
  async function findClasses(): Promise<string[]> {
    const links = JSON.parse(await must('ip', ['-n', world.network.node, '-j', 'link', 'show'])) as {
      ifname: string;
    }[];
    const listed = await Promise.all(
      links.map(async ({ ifname }) => {
        const classes = await must('ip', ['netns', 'exec', world.network.node, 'tc', 'class', 'show', 'dev', ifname]);
        return classes.includes('class htb 7261:') ? [ifname] : [];
      }),
    );
    return listed.flat();
  }

  async function createFile(): Promise<string> {
    const serverId = await waitForServer(world, protocol);
    const { data } = await user.api.createConfig({ body: { name: 'phone', serverId, protocol, keepKey: true } });
    id = data.config.id;
    const read = async () => (await user.api.getConfig({ params: { id } })).data.config;
    await until('the node to serve the config', async () => (await read()).applied);
    if (kind !== 'openconnect') return data.file;
    return openconnectFile(data.file, (await read()).server.openconnect!, 'phone.pem')!;
  }

  async function serveOpenconnect(): Promise<void> {
    await world.controlPlane.raha('nodes', 'openconnect', '--name', 'frankfurt-1', '--port', String(PORT));
    await until('the node to serve it', async () => (await readNode()).openconnect.isServed, 60_000, 500);
  }

  /** In a network that lets no UDP through. */
  async function serveTcpOnly(): Promise<void> {
    const site = `${addresses.web4}:8443`;
    await world.controlPlane.raha('nodes', 'tcp', '--name', 'frankfurt-1', '--website', site);
    await until('the node to serve it', async () => (await readNode()).openvpnTcp.isServed, 60_000, 500);
    const rules = `add table ip filter_udp
      add chain ip filter_udp forward { type filter hook forward priority 0; }
      add rule ip filter_udp forward ip daddr ${addresses.node4} meta l4proto udp drop`;
    await must('ip', ['netns', 'exec', world.network.internet, 'nft', '-f', '-'], { input: rules });
  }

  async function readNode() {
    type Node = { openvpnTcp: { isServed: boolean }; openconnect: { isServed: boolean } };
    const { nodes } = await world.controlPlane.raha<{ nodes: [Node] }>('nodes', 'list');
    return nodes[0];
  }
});
