import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { chargeToman, priceMilliTomanPerGb } from '@raha/contract/money.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkBooks, issueGiftCards } from './world/control-plane.ts';
import { addresses } from './world/network.ts';
import { isThrough, showOperator } from './world/operator.ts';
import { must, run, start, until } from './world/processes.ts';
import { signUp, type TestUser } from './world/user.ts';
import { createWitness, type Witness } from './world/witness.ts';
import { createWorld, type World, waitForServer, whyNoTunnels } from './world/world.ts';

/** OpenVPN over TCP 443, beside a website (decision 96): a network that drops UDP, a stranger who looks, and exact bytes. */
const RATE = 100_000;
const CENTS_PER_GB = 4_000;
const price = priceMilliTomanPerGb(CENTS_PER_GB, RATE);
const CARD_TOMAN = 100_000n;
const SITE = `${addresses.web4}:8443`;

describe.skipIf(whyNoTunnels())('OpenVPN over TCP 443', () => {
  let world: World;
  let witness: Witness;
  let user: TestUser;
  let id: string;

  beforeAll(async () => {
    world = await createWorld({
      environment: { USD_RATE_TOMAN: String(RATE) },
      settings: { 'trial.passwordlessDays': 0, 'price.usdCentsPerGb': CENTS_PER_GB },
      protocol: 'openvpn',
    });
    await openWebsite();
    witness = await createWitness(world.network);
    user = await signUp(world.controlPlane.url, world.mailbox, 'arash@example.com');
    await redeem();
    await waitForServer(world, 'openvpn');
    await world.controlPlane.raha('nodes', 'tcp', '--name', 'frankfurt-1', '--website', SITE);
    await until('the node to serve OpenVPN over TCP', isTcpServed, 30_000, 500);
  });
  afterAll(() => world?.close());

  test('a stranger sees the website', async () => {
    const visit = ['netns', 'exec', world.network.client, 'curl', '-sk', '-m', '5', `https://${addresses.node4}/`];
    expect(await must('ip', visit)).toContain('s_server');
  });

  test('a device whose UDP dies is back over TCP by itself, its bytes are exact, and its money cuts and restores it', async () => {
    const serverId = await waitForServer(world, 'openvpn');
    const { data } = await user.api.createConfig({ body: { name: 'phone', serverId, protocol: 'openvpn' } });
    id = data.config.id;
    await until('the node to serve the config', async () => (await readConfig()).applied);
    await showOperator(world, 'openvpn_tcp');
    await world.device.up(data.file);
    await until('a page over UDP', () => world.device.seenAs());
    expect(await hasInterface('ot')).toBe(true);
    expect(await packetsOf('ot')).toBe(0);

    await dropUdp();
    const died = Date.now();
    // Between the two its interface is closed for a moment, because its address changes.
    await until('a page over TCP', async () => (await world.device.seenAs(4, 0.5)) === addresses.node4, 60_000);
    console.info(`UDP died: back over TCP after ${((Date.now() - died) / 1000).toFixed(1)} s`);
    expect(await packetsOf('ot')).toBeGreaterThan(0);
    expect(await world.device.seenAs(6, 5)).toBe(addresses.node6);
    expect((await readConfig()).connected).toBe(true);
    expect(await isThrough(world, 'openvpn')).toBe(true);
    await until('the node to count how it got through', () => isThrough(world, 'openvpn_tcp'));

    // 25 MB are paid for.
    await world.device.download(30_000_000, { rate: '10M', seconds: 40, stallSeconds: 3 });
    await until('the money to be used up', async () => (await readConfig()).service === 'no_balance');
    expect(await world.device.seenAs(4, 3)).toBeUndefined();
    await expectExactBill(CARD_TOMAN);
    await redeem();
    expect(await until('a page after the top-up', () => world.device.seenAs(4, 2), 30_000)).toBe(addresses.node4);
    expect((await world.device.download(2_000_000)).complete).toBe(true);
    await expectExactBill(2n * CARD_TOMAN);
    expect(await checkBooks(world.controlPlane)).toBe('ok');
  });

  test('the operator switches it off: the port is closed, and new files do without it', async () => {
    await world.controlPlane.raha('nodes', 'tcp', '--name', 'frankfurt-1', '--website', 'none');
    await until('the daemon to end', async () => !(await hasInterface('ot')), 30_000);
    const visit = ['netns', 'exec', world.network.client, 'curl', '-sk', '-m', '5', `https://${addresses.node4}/`];
    expect((await run('ip', visit)).code).not.toBe(0);
    const { data } = await user.api.createConfig({
      body: { name: 'later', serverId: await waitForServer(world, 'openvpn'), protocol: 'openvpn' },
    });
    expect(data.file).not.toContain(' tcp');
  });

  async function expectExactBill(paidToman: bigint): Promise<void> {
    const billed = await witness.settled(async () => BigInt((await readConfig()).totalTraffic));
    expect(BigInt((await user.api.getWallet()).data.balance)).toBe(paidToman - chargeToman(billed, price));
  }

  async function redeem(): Promise<void> {
    const [code = ''] = await issueGiftCards(world.controlPlane, 1, 1);
    await user.api.processGiftCard({ body: { gift_card_code: code, current_price: RATE } });
  }

  async function openWebsite(): Promise<void> {
    const [key, certificate] = [join(world.directory, 'site.key'), join(world.directory, 'site.crt')];
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
    execFileSync('openssl', [...request, '-subj', '/CN=www.example', '-keyout', key, '-out', certificate], {
      stdio: 'ignore',
    });
    const site = ['openssl', 's_server', '-www', '-accept', SITE, '-cert', certificate, '-key', key];
    const logFile = join(world.directory, 'site.log');
    await start('ip', ['netns', 'exec', world.network.internet, ...site], { logFile }).waitFor(/ACCEPT/, 10_000);
  }

  async function isTcpServed(): Promise<boolean> {
    const { nodes } = await world.controlPlane.raha<{ nodes: { openvpnTcp: { isServed: boolean } }[] }>(
      'nodes',
      'list',
    );
    return nodes[0]?.openvpnTcp.isServed ?? false;
  }

  /** As the device's network, which lets through nothing else than TCP. */
  async function dropUdp(): Promise<void> {
    const rules = `add table ip filter_udp
      add chain ip filter_udp forward { type filter hook forward priority 0; }
      add rule ip filter_udp forward ip daddr ${addresses.node4} meta l4proto udp drop
      add rule ip filter_udp forward ip saddr ${addresses.node4} meta l4proto udp drop`;
    await must('ip', ['netns', 'exec', world.network.internet, 'nft', '-f', '-'], { input: rules });
  }

  async function hasInterface(suffix: string): Promise<boolean> {
    const name = `${world.vpnNode.interfaceName}${suffix}`;
    return (await run('ip', ['-n', world.network.node, 'link', 'show', name])).code === 0;
  }

  async function packetsOf(suffix: string): Promise<number> {
    const name = `${world.vpnNode.interfaceName}${suffix}`;
    const [link] = JSON.parse(await must('ip', ['-n', world.network.node, '-j', '-s', 'link', 'show', name]));
    return link.stats64.rx.packets;
  }

  async function readConfig() {
    return (await user.api.getConfig({ params: { id } })).data.config;
  }
});
