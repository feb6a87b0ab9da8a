import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PANEL4, PANEL6, WEB4, WEB6 } from '../network.ts';
import { findObstacle, until } from '../processes.ts';
import { createWorld, type Device, orderOf, type World } from '../world.ts';

const obstacle = findObstacle();
if (obstacle) console.warn(`SKIPPED: real tunnels cannot be tested here: ${obstacle}`);

describe.skipIf(obstacle)('services of the node', { timeout: 120_000 }, () => {
  let world: World;
  let device: Device;
  const bill = () => world.control.billed(device.id);
  /** Each query leaves from a port of its own, below those that the kernel chooses. */
  let askPort = 10_000;

  beforeAll(async () => {
    world = await createWorld();
    writeFileSync(world.blockList, '# trackers\n0.0.0.0 ads.example\ntracker.example # and all below\n');
    world.startAgent();
    device = world.device(0, 2);
    await world.serve(device, 20_000_000);
    await device.connect();
    await until('the resolver', () => world.agent().output().includes('resolver_started'));
  }, 30_000);

  afterAll(() => world?.close());

  test('DNS works through the tunnel, over both families, for free', async () => {
    const before = await world.settled(2);
    await until('an answer', async () => (await ask('web.example')) === WEB4);
    expect(await ask('web.example', { server: 'fd72:6168:6100::1' })).toBe(WEB4);
    expect(await world.settled(2)).toBe(before);
    expect(await device.fetch('http://web.example/')).toBe('198.51.100.2');
  });

  test('DNS filtering starts and ends at once for the config that it is set for, and blocked queries are counted', async () => {
    expect(await ask('ads.example')).toBe(WEB4);
    await world.applied(world.control.put({ ...orderOf(device), dnsFiltering: true }));
    expect(await ask('ads.example')).toBe('0.0.0.0');
    expect(await ask('deep.tracker.example')).toBe('0.0.0.0');
    expect(await ask('web.example')).toBe(WEB4);
    // Queries to another resolver are filtered, too.
    expect(await ask('ads.example', { server: '9.9.9.9' })).toBe('0.0.0.0');
    await world.applied(world.control.put(orderOf(device)));
    expect(await ask('ads.example')).toBe(WEB4);
    await until('the count', () => blockedQueries() >= 3);
    expect(blockedQueries()).toBe(3);
    expect(JSON.stringify(world.control.reports)).not.toContain('.example');
  });

  test('only devices in the tunnel are served', async () => {
    const outside = (address: string, port: number) =>
      world.network.inside(world.network.internet, 'curl', '-gsS', '-m', '1', `http://${address}:${port}/`);
    for (const port of [53, 5301, 5380]) await expect(outside('198.51.100.2', port)).rejects.toThrow(/curl/);
    // Not even a neighbour on the uplink that sends packets for the inner address to the node.
    const { internet } = world.network;
    await world.network.inside(internet, 'ip', 'route', 'add', '10.64.0.1', 'via', '198.51.100.2');
    await world.network.inside(internet, 'ip', 'route', 'add', 'fd72:6168:6100::1', 'via', '2001:db8:a::2');
    await expect(outside('10.64.0.1', 5380)).rejects.toThrow(/timed out/);
    await expect(outside('[fd72:6168:6100::1]', 5380)).rejects.toThrow(/timed out/);
    expect(await ask('web.example', { server: '10.64.0.1:5301', from: internet, seconds: 1 })).toBeUndefined();
    // The ports are not open to devices directly: the firewall redirects to them what it has checked.
    expect(await device.fetch('http://10.64.0.1:5380/', 1)).toBeNull();
    await world.applied(world.control.put(orderOf(device, true)));
    expect(await ask('web.example', { seconds: 1 })).toBeUndefined();
    await world.applied(world.control.put(orderOf(device)));
  });

  test('free DNS traffic is limited per hour', async () => {
    const nft = (...words: string[]) => world.network.inside(world.network.node, 'nft', '-a', ...words);
    const table = ['inet', world.table];
    expect(await ask('web.example')).toBe(WEB4);
    await nft('flush', 'set', ...table, 'dns_per_hour');
    // A quota stays with its element. This one is small; to use up the table's own would take hours.
    const rule = ['index', '1', 'add', '@dns_per_hour', '{ meta mark quota over 400 bytes }', 'continue'];
    await nft('add', 'rule', ...table, 'raha_dns', ...rule);
    const handle = /over 400 bytes.* handle (\d+)/.exec(await nft('list', 'chain', ...table, 'raha_dns'))?.[1];
    expect(await ask('web.example')).toBe(WEB4);
    await nft('delete', 'rule', ...table, 'raha_dns', 'handle', handle ?? '');
    await until('the end of the quota', async () => (await ask('web.example', { seconds: 1 })) === undefined);
    expect(await ask('web.example', { seconds: 1 })).toBeUndefined();
    expect(await device.fetch()).toBe('198.51.100.2');
    await nft('flush', 'set', ...table, 'dns_per_hour');
    expect(await ask('web.example')).toBe(WEB4);
  });

  test('when the quota is exceeded, HTTP leads to the captive portal and the rest is rejected at once', async () => {
    expect(await device.fetch()).toBe('198.51.100.2');
    world.control.deniesRefills = true;
    await world.applied(world.control.allow(device.id, await world.settled(2)));
    await until('the page', async () => isPage(await device.fetch('http://web.example/', 2)));
    expect(await device.fetch(`http://[${WEB6}]/`)).toContain('Your balance is used up');
    expect(await device.fetch(`http://${WEB4}/`)).toContain('موجودی تمام شد، اینترنت قطع است');
    expect(await device.fetch(`http://${WEB4}/`)).toContain('href="http://panel.example/top-up"');
    expect(await status('http://web.example/')).toBe('511');
    await expect(curl('https://web.example/')).rejects.toThrow(/Connection reset|Failed to connect|refused/i);
    const passed = await world.settled(2);
    expect(await world.passed(2)).toBe(passed);
  });

  test('the panel stays reachable, in both families, for free', async () => {
    const passed = await world.settled(2);
    const billed = bill();
    expect(await device.fetch('http://panel.example/')).toBe('198.51.100.2');
    expect(await device.fetch(`http://${PANEL4}/`)).toBe('198.51.100.2');
    expect(await device.fetch(`http://[${PANEL6}]/`)).toBe('2001:db8:a::2');
    expect(await ask('web.example')).toBe(WEB4);
    expect(await world.settled(2)).toBe(passed);
    expect(bill()).toBe(billed);
  });

  test('after a kill of the agent portal, panel and DNS go on, and the next agent adopts them', async () => {
    await world.agent().end('SIGKILL');
    expect(await ask('web.example')).toBe(WEB4);
    expect(await device.fetch('http://panel.example/')).toBe('198.51.100.2');
    world.startAgent();
    await until('the page', async () => isPage(await device.fetch(undefined, 2)));
    expect(world.agent().output()).not.toContain('resolver_started');
  });

  test('without the control plane the next agent keeps what it finds, and no blocked query is counted twice', async () => {
    const blocked = world.device(1, 3);
    await world.serve(blocked, 20_000_000, true);
    await blocked.connect();
    await world.applied(world.control.put({ ...orderOf(device), dnsFiltering: true }));
    const before = blockedQueries();
    expect(await ask('ads.example')).toBe('0.0.0.0');
    await until('the count', () => blockedQueries() === before + 1);
    await world.control.die();
    await world.agent().end('SIGKILL');
    world.startAgent();
    await until('the agent', () => world.agent().output().includes('"event":"started"'));
    expect(await device.fetch(`http://${PANEL4}/`)).toBe('198.51.100.2');
    expect(await ask('ads.example')).toBe('0.0.0.0');
    expect(await ask('web.example', { from: world.network.clients[1], seconds: 1 })).toBeUndefined();
    expect(isPage(await device.fetch())).toBe(true);
    // Usually long enough for the agent to count and to resolve the walled garden; if it is not, less is tested.
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    expect(await device.fetch(`http://${PANEL4}/`)).toBe('198.51.100.2');
    await world.control.start();
    let queries = 2;
    await until('the second count', async () => {
      expect(await ask('ads.example')).toBe('0.0.0.0');
      queries += 1;
      return blockedQueries() > before + 1;
    });
    await world.applied(world.control.put(orderOf(device)));
    expect(blockedQueries()).toBeLessThanOrEqual(before + queries);
  });

  test('the portal disappears with a growing lease, for new connections and for open ones', async () => {
    world.control.deniesRefills = false;
    await world.applied(world.control.allow(device.id, 30_000_000));
    expect(await device.fetch()).toBe('198.51.100.2');
    const passed = await world.passed(2);
    expect(await device.fetch('http://panel.example/')).toBe('198.51.100.2');
    expect(await world.settled(2)).toBeGreaterThan(passed);
  });

  test('free traffic to the walled garden is limited', async () => {
    world.control.deniesRefills = true;
    await world.applied(world.control.allow(device.id, await world.settled(2)));
    await until('the page', async () => isPage(await device.fetch(undefined, 2)));
    const passed = await world.settled(2);
    const command = `curl -s -o /dev/null -w '%{size_download}' -m 5 http://${PANEL4}/blob?n=50000000 || true`;
    const bytes = Number(await world.network.inside(world.network.clients[0], 'sh', '-c', command));
    // The burst of 2 MB, and five seconds at 128 kB/s.
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(3_200_000);
    expect(await world.settled(2)).toBe(passed);
  });

  const isPage = (text: string | null) => text?.includes('Your balance is used up') ?? false;

  function curl(...args: string[]): Promise<string> {
    return world.network.inside(world.network.clients[0], 'curl', '-gsS', ...args);
  }

  /** The address that a name server returns with one query; undefined when there is no answer in time. */
  async function ask(
    name: string,
    { server = '10.64.0.1', from = world.network.clients[0], seconds = 15 } = {},
  ): Promise<string | undefined> {
    const script = join(import.meta.dirname, '../ask-name.ts');
    askPort += 1;
    const words = [name, server, String(seconds), String(askPort)];
    const answer = await world.network.inside(from, process.execPath, script, ...words);
    return answer || undefined;
  }

  /** The sum of all reports so far. A report whose acknowledgement was lost arrives twice, with the same number. */
  function blockedQueries(): number {
    const reports = new Map(world.control.reports.map((report) => [`${report.epoch} ${report.seq}`, report]));
    const counts = [...reports.values()].flatMap((report) => report.blockedQueries ?? []);
    return counts.reduce((sum, entry) => sum + (entry.config === device.id ? entry.count : 0), 0);
  }

  async function status(url: string): Promise<string> {
    return await curl('-o', '/dev/null', '-w', '%{http_code}', '-m', '10', url);
  }
});
