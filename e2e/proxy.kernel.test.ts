import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { affordableBytes, chargeToman, priceMilliTomanPerGb } from '@raha/contract/money.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntilGone } from '../server/src/platform/processes.ts';
import { proxyLink } from '../web/src/pages/user/configs/proxy-link.ts';
import { checkBooks, issueGiftCards } from './world/control-plane.ts';
import { addresses } from './world/network.ts';
import { must, pause, type Running, run, until } from './world/processes.ts';
import { openProxyWebsite } from './world/proxy-website.ts';
import { stopAtFirstFailure } from './world/steps.ts';
import { findTraces } from './world/traces.ts';
import { signUp, type TestUser } from './world/user.ts';
import { createVlessClient, type VlessClient } from './world/vless-client.ts';
import { createWitness, type Witness } from './world/witness.ts';
import { createWorld, type World, waitForServer, whyNoTunnels } from './world/world.ts';

/** The proxy with Debian's own V2Ray as engine and as app, behind a website of the operator's on the node (decision 0137). */
const RATE = 100_000;
const CENTS_PER_GB = 500;
const price = priceMilliTomanPerGb(CENTS_PER_GB, RATE);
const CARD_TOMAN = 100_000n;
/** The largest packet in the node's kernel: up to this much may stay unspent when the next one does not fit. */
const PACKET = 65_536n;
const SITE = 'www.shop.example';
const PATH = '/news/live';
const ENGINE = '/usr/bin/v2ray';

const obstacle = whyNoTunnels() ?? (existsSync(ENGINE) ? undefined : `the proxy needs ${ENGINE}`);
if (obstacle) console.warn(`SKIPPED: ${obstacle}`);

describe.skipIf(obstacle)('the proxy', () => {
  let world: World;
  let witness: Witness;
  let user: TestUser;
  let app: VlessClient;
  let id: string;
  let file: string;
  let paidIn = 0n;

  stopAtFirstFailure(() => world?.vpnNode.output());
  beforeAll(async () => {
    world = await createWorld({
      environment: { USD_RATE_TOMAN: String(RATE), LOG_LEVEL: 'info' },
      settings: {
        'trial.passwordlessDays': 0,
        'price.usdCentsPerGb': CENTS_PER_GB,
        'cutOff.reachable': '["panel.example"]',
      },
      protocol: 'openvpn',
    });
    witness = await createWitness(world.network);
    app = createVlessClient(world.network, world.directory, await openWebsite());
    user = await signUp(world.controlPlane.url, world.mailbox, 'arash@example.com');
    await redeem();
    const serverId = await waitForServer(world, 'openvpn');
    const { data } = await user.api.createConfig({ body: { name: 'phone', serverId, protocol: 'openvpn' } });
    [id, file] = [data.config.id, data.file];
  });
  afterAll(async () => {
    await app?.down();
    await world?.close();
  });

  test('it is off until the operator switches it on; then a config of before has a link', async () => {
    expect((await readConfig()).server.proxy).toBeUndefined();
    expect(await hasInterface()).toBe(false);
    await raha('nodes', 'proxy', '--name', 'frankfurt-1', '--url', `https://${SITE}${PATH}`);
    await until('the node to serve it', isServed, 60_000, 500);
    expect((await readConfig()).server.proxy).toBe(`https://${SITE}${PATH}`);
    await app.up(await link());
    expect(await until('a page', () => app.seenAs())).toBe(addresses.node4);
  });

  test('names are resolved at the node, UDP goes through, and the panel sees the device', async () => {
    expect((await app.curl('-m', '5', 'http://news.example/')).stdout).toContain(addresses.node4);
    await until('a name over UDP', async () => (await app.lookUp('news.example')) === addresses.web4);
    await until('the panel to see the device', async () => (await readConfig()).connected);
    // Its address inside is the engine's: a ping would measure nothing.
    expect((await readConfig()).server.ping).toBeNull();
  });

  test('a stranger sees a website', async () => {
    const ask = async (path: string, ...words: string[]) => {
      const at = ['--resolve', `${SITE}:443:${addresses.node4}`, `https://${SITE}${path}`];
      return (await run('ip', ['netns', 'exec', world.network.client, 'curl', '-ski', '-m', '5', ...words, ...at]))
        .stdout;
    };
    expect(await ask('/')).toMatch(/^HTTP\/1.1 200 OK.*Tea and carpets/s);
    expect(await ask(PATH)).toMatch(/^HTTP\/1.1 404 .*Not found/s);
    const upgrade = ['-H', 'Connection: Upgrade', '-H', 'Upgrade: websocket'];
    expect(await ask('/other', ...upgrade)).toMatch(/^HTTP\/1.1 404 /);
    // A credential that nobody has gets nothing.
    await expectNothing((await link()).replace(/\/\/[0-9a-f-]{36}@/, '//11111111-2222-4333-8444-555555555555@'));
    await app.up(await link());
    await until('a page', () => app.seenAs());
  });

  test("the node's own addresses, private ones, IPv6 and port 25 are out of reach, by address and by name", async () => {
    const fails = async (url: string) => expect([url, (await app.curl('-m', '3', url)).stdout]).toEqual([url, '']);
    // Something that would answer.
    await must('ip', ['netns', 'exec', world.network.node, 'curl', '-sk', '-m', '3', `https://${addresses.node4}/`]);
    for (const host of [addresses.node4, '10.64.0.1', '10.69.255.253', world.network.nodeAddress])
      await fails(`https://${host}/`);
    for (const host of ['127.0.0.1', 'localhost', '10.69.255.254', `[${addresses.web6}]`])
      await fails(`http://${host}/`);
    await fails(`http://${addresses.web4}:25/`);
    expect(await app.seenAs()).toBe(addresses.node4);
  });

  test('the bytes are exact and the charge is F(bytes), although the agent is killed on the way', async () => {
    const transfer = app.download(10_000_000, '4M');
    await pause(700);
    await world.vpnNode.kill();
    await world.vpnNode.start();
    await until('the download', async () => transfer.output() !== '');
    expect(transfer.output()).toBe('10000000');
    const bytes = await settledBytes();
    expect(Number(bytes)).toBeGreaterThan(10_000_000);
    expect(Number(bytes)).toBeLessThan(13_000_000);
    expect((await readWallet()).balance).toBe(paidIn - chargeToman(bytes, price));
  });

  test('the engine is killed: the agent starts it again, and the same link works', async () => {
    const [engine] = await enginePids();
    process.kill(engine!, 'SIGKILL');
    await waitUntilGone(engine!, 5_000);
    await until('another', async () => {
      const [next] = await enginePids();
      return next !== undefined && next !== engine;
    });
    expect(await until('a page', () => app.seenAs())).toBe(addresses.node4);
    // Another user than root, and no capability but what its package gives its file: to listen below port 1024, in its own namespace.
    const status = (await run('cat', [`/proc/${(await enginePids())[0]}/status`])).stdout;
    expect(status).toMatch(/^Uid:\s+65534\s/m);
    expect(status).toMatch(/^CapPrm:\s+0000000000000[04]00$/m);
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
  });

  test('disconnected from the panel nothing passes, over an open connection neither; connected again it does', async () => {
    const transfer = app.download(100_000_000, '2M');
    await until('the download to run', grows);
    await user.api.disconnect({ body: { configId: id } });
    await expectStopped(transfer);
    expect(await app.seenAs()).toBeUndefined();
    await user.api.connect({ body: { configId: id } });
    expect(await until('a page', () => app.seenAs())).toBe(addresses.node4);
  });

  test('new keys: the old link gets nothing more, not even by a connection that it has kept open', async () => {
    await app.up(await link(), { shares: true });
    await until('a page', () => app.seenAs());
    const transfer = app.download(100_000_000, '2M');
    await until('the download to run', grows);
    const old = await link();
    file = (await user.api.resetConfig({ params: { id }, body: {} })).data.file;
    expect(await link()).not.toBe(old);
    await expectStopped(transfer);
    await expectNothing();
    await app.up(await link());
    expect(await until('a page', () => app.seenAs())).toBe(addresses.node4);
  });

  test('the money runs out: cut at the last paid byte, told why, and restored by a top-up without a new connection', async () => {
    await until(
      'the money to be used up',
      async () => {
        await app.curl(
          '-m',
          '30',
          '--limit-rate',
          '20M',
          '-o',
          '/dev/null',
          `http://${addresses.web4}/blob?n=500000000`,
        );
        return (await readConfig()).service === 'no_balance';
      },
      120_000,
    );
    const limit = affordableBytes(paidIn, price)!;
    const bytes = await settledBytes();
    expect(bytes).toBeLessThanOrEqual(limit);
    expect(limit - bytes).toBeLessThan(PACKET);
    const page = await until('the page', async () => {
      const { stdout } = await app.curl('-m', '3', '-w', '\n%{http_code}', 'http://news.example/today');
      return stdout.endsWith('\n511') && stdout;
    });
    expect(page).toContain('موجودی تمام شد، اینترنت قطع است');
    expect(await visitPanel()).toContain(addresses.node4);
    await redeem();
    expect(await until('a page after the top-up', () => app.seenAs(), 30_000)).toBe(addresses.node4);
    const later = await settledBytes();
    expect((await readWallet()).balance).toBe(paidIn - chargeToman(later, price));
    expect(await checkBooks(world.controlPlane)).toBe('ok');
  });

  test('no table, log or file has the address of the device or of a visited server, or a name', async () => {
    const canary = 'canary-proxy.example';
    expect((await app.curl('-m', '5', `http://${canary}/`)).stdout).toContain(addresses.node4);
    await settledBytes();
    expect(await findTraces(world, [addresses.client4, addresses.web4, canary])).toEqual([]);
    expect(await findTraces(world, [PATH])).toContain('table public.node');
  });

  test('the config is deleted: an open transfer stops and nothing passes', async () => {
    const transfer = app.download(100_000_000, '2M');
    await until('the download to run', grows);
    await user.api.deleteConfig({ params: { id } });
    await expectStopped(transfer);
    expect(await app.seenAs()).toBeUndefined();
  });

  test('switched off: the engine is gone, and its interface with it', async () => {
    await raha('nodes', 'proxy', '--name', 'frankfurt-1', '--url', 'none');
    await until('the engine to end', async () => (await enginePids()).length === 0 && !(await hasInterface()));
  });

  async function link(): Promise<string> {
    const made = await proxyLink(file, `https://${SITE}${PATH}`, 'phone');
    if (made === undefined) throw new Error('the file makes no link');
    return made;
  }

  async function openWebsite(): Promise<string> {
    const { certificate } = await openProxyWebsite(world, SITE, PATH);
    // As the operator's name servers would say.
    mkdirSync(`/etc/netns/${world.network.client}`, { recursive: true });
    writeFileSync(`/etc/netns/${world.network.client}/hosts`, `${addresses.node4} ${SITE}\n`);
    return certificate;
  }

  async function grows(): Promise<boolean> {
    const before = await witness.bytes();
    await pause(300);
    return (await witness.bytes()) - before > 200_000n;
  }

  /** No page comes, and nothing new begins: bytes would be those too that the ends of a former connection still send each other. */
  async function expectNothing(withLink?: string): Promise<void> {
    const before = await flows();
    if (withLink) await app.up(withLink);
    for (let tries = 0; tries < 3; tries += 1) expect(await app.seenAs()).toBeUndefined();
    expect((await flows()).filter((flow) => !before.includes(flow))).toEqual([]);
  }

  /** The engine notices only after five idle minutes that a connection of its has been ended, and the app waits as long. */
  async function expectStopped(transfer: Running): Promise<void> {
    await until('the traffic to stop', async () => !(await grows()), 20_000);
    const before = await witness.bytes();
    await pause(1_000);
    // The other end, which has not heard of it, may send its last packet again.
    expect((await witness.bytes()) - before).toBeLessThan(PACKET);
    await transfer.kill('SIGKILL');
  }

  /** The ports from which the proxy's users have connections, as the node's kernel knows them. */
  async function flows(): Promise<string[]> {
    const table = await must('ip', ['netns', 'exec', world.network.node, 'conntrack', '-L', '-s', '10.69.0.0/16']);
    return [...table.matchAll(/src=10\.69\S+ dst=\S+ sport=(\d+)/g)].map(([, port = '']) => port);
  }

  async function enginePids(): Promise<number[]> {
    const pids = (await run('pgrep', ['-x', 'v2ray'])).stdout.split('\n').filter(Boolean).map(Number);
    const own = `/run/raha/${world.vpnNode.interfaceName}px/`;
    const commands = await Promise.all(pids.map((pid) => run('cat', [`/proc/${pid}/cmdline`])));
    return pids.filter((_, index) => commands[index]?.stdout.includes(own));
  }

  async function hasInterface(): Promise<boolean> {
    return (await run('ip', ['-n', world.network.node, 'link', 'show', `${world.vpnNode.interfaceName}px`])).code === 0;
  }

  async function isServed(): Promise<boolean> {
    const { nodes } = await raha<{ nodes: { proxy: { isServed: boolean } }[] }>('nodes', 'list');
    return nodes[0]?.proxy.isServed ?? false;
  }

  /**
   * To the end of its connection, which the engine may keep longer than the app: with money the panel costs what everything does, and the witness
   * does not count it.
   */
  async function visitPanel(): Promise<string> {
    const { stdout } = await app.curl('-m', '5', '-H', 'Connection: close', 'http://panel.example/');
    const words = ['netns', 'exec', world.network.node, 'conntrack', '-L', '-p', 'tcp', '-d', addresses.panel4];
    await until('the connection with the panel to be over', async () => {
      return !/ (SYN_\w+|ESTABLISHED|FIN_WAIT|CLOSE_WAIT|LAST_ACK) /.test(await must('ip', words));
    });
    return stdout;
  }

  async function redeem(): Promise<void> {
    const [code = ''] = await issueGiftCards(world.controlPlane, 1, 1);
    if (paidIn === 0n) await user.api.activateAccount({ body: { giftCardCode: code } });
    else await user.api.processGiftCard({ body: { gift_card_code: code, current_price: RATE } });
    paidIn += CARD_TOMAN;
  }

  /** Waits until the product's count equals the kernel's, and returns it. */
  function settledBytes(): Promise<bigint> {
    return witness.settled(async () => BigInt((await readConfig()).totalTraffic));
  }

  async function readConfig() {
    return (await user.api.getConfig({ params: { id } })).data.config;
  }

  async function readWallet(): Promise<{ balance: bigint }> {
    return { balance: BigInt((await user.api.getWallet()).data.balance) };
  }

  function raha<T>(...words: string[]): Promise<T> {
    return world.controlPlane.raha<T>(...words);
  }
});
