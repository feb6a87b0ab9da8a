import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PANEL4, PANEL6, WEB4, WEB6 } from '../network.ts';
import { findObstacle, until } from '../processes.ts';
import { createWorld, type Device, orderOf, type World } from '../world.ts';

const obstacle = findObstacle();
if (obstacle) console.warn(`SKIPPED: real tunnels cannot be tested here: ${obstacle}`);

describe.skipIf(obstacle)('what the node answers itself', { timeout: 30_000 }, () => {
  let world: World;
  let device: Device;
  const bill = () => world.control.billed(device.id);

  beforeAll(async () => {
    world = await createWorld();
    writeFileSync(world.blockList, '# trackers\n0.0.0.0 ads.example\ntracker.example # and all below\n');
    world.startAgent();
    device = world.device(0, 2);
    await world.serve(device, 20_000_000);
    await device.connect();
    await until('the resolver', () => world.agent().said().includes('resolver_started'));
  }, 30_000);

  afterAll(() => world?.close());

  test('names are found through the tunnel, over both families, and nobody pays for the questions', async () => {
    const before = await world.settled(2);
    await until('an answer', async () => (await ask('web.example')) === WEB4);
    expect(await ask('web.example', 'fd72:6168:6100::1')).toBe(WEB4);
    expect(await world.settled(2)).toBe(before);
    expect(await device.fetch('http://web.example/')).toBe('198.51.100.2');
  });

  test('the block list holds for those who wish it, from one moment to the next, and questions are counted', async () => {
    expect(await ask('ads.example')).toBe(WEB4);
    await world.applied(world.control.put({ ...orderOf(device), dnsFiltering: true }));
    expect(await ask('ads.example')).toBe('0.0.0.0');
    expect(await ask('deep.tracker.example')).toBe('0.0.0.0');
    expect(await ask('web.example')).toBe(WEB4);
    // A device that asks elsewhere has wished it too.
    expect(await ask('ads.example', '9.9.9.9')).toBe('0.0.0.0');
    await world.applied(world.control.put(orderOf(device)));
    expect(await ask('ads.example')).toBe(WEB4);
    await until('the count', () => withheld() >= 3);
    expect(withheld()).toBe(3);
    expect(JSON.stringify(world.control.reports)).not.toContain('.example');
  });

  test('nobody but a device in the tunnel is answered', async () => {
    const outside = (address: string, port: number) =>
      world.network.inside(world.network.internet, 'curl', '-gsS', '-m', '1', `http://${address}:${port}/`);
    for (const port of [53, 5301, 5380]) await expect(outside('198.51.100.2', port)).rejects.toThrow(/curl/);
    // Nor to a neighbour on the uplink that sends packets for the inner address to the node.
    const { internet } = world.network;
    await world.network.inside(internet, 'ip', 'route', 'add', '10.64.0.1', 'via', '198.51.100.2');
    await world.network.inside(internet, 'ip', 'route', 'add', 'fd72:6168:6100::1', 'via', '2001:db8:a::2');
    await expect(outside('10.64.0.1', 5380)).rejects.toThrow(/timed out/);
    await expect(outside('[fd72:6168:6100::1]', 5380)).rejects.toThrow(/timed out/);
    expect(await ask('web.example', '10.64.0.1:5301', internet)).toBeUndefined();
    // Nor are the ports themselves open to devices: the firewall turns what it has judged to them.
    expect(await device.fetch('http://10.64.0.1:5380/', 1)).toBeNull();
    await world.applied(world.control.put(orderOf(device, true)));
    expect(await ask('web.example')).toBeUndefined();
    await world.applied(world.control.put(orderOf(device)));
  });

  test('what names move for nothing is bounded by the hour', async () => {
    const nft = (...words: string[]) => world.network.inside(world.network.node, 'nft', '-a', ...words);
    const place = ['inet', world.table];
    expect(await ask('web.example')).toBe(WEB4);
    await nft('flush', 'set', ...place, 'named');
    // A quota stays with its element: the next one begins with this instead of the table's, which would take hours.
    const rule = ['index', '1', 'add', '@named', '{ meta mark quota over 400 bytes }', 'continue'];
    await nft('add', 'rule', ...place, 'raha_ask', ...rule);
    const handle = /over 400 bytes.* handle (\d+)/.exec(await nft('list', 'chain', ...place, 'raha_ask'))?.[1];
    expect(await ask('web.example')).toBe(WEB4);
    await nft('delete', 'rule', ...place, 'raha_ask', 'handle', handle ?? '');
    await until('the end of the quota', async () => (await ask('web.example')) === undefined);
    expect(await ask('web.example')).toBeUndefined();
    expect(await device.fetch()).toBe('198.51.100.2');
    await nft('flush', 'set', ...place, 'named');
    expect(await ask('web.example')).toBe(WEB4);
  });

  test('at the end of the last lease the web is a page, the rest is refused at once', async () => {
    expect(await device.fetch()).toBe('198.51.100.2');
    world.control.saysLast = true;
    await world.applied(world.control.allow(device.id, await world.settled(2)));
    await until('the page', async () => isPage(await device.fetch('http://web.example/')));
    expect(await device.fetch(`http://[${WEB6}]/`)).toContain('Your balance is used up');
    expect(await device.fetch(`http://${WEB4}/`)).toContain('اعتبار شما تمام شده است');
    expect(await device.fetch(`http://${WEB4}/`)).toContain('href="http://panel.example/top-up"');
    expect(await status('http://web.example/')).toBe('511');
    await expect(curl('https://web.example/')).rejects.toThrow(/Connection reset|Failed to connect|refused/i);
    const passed = await world.settled(2);
    expect(await world.passed(2)).toBe(passed);
  });

  test('the panel is reached all the same, in both families, for nothing', async () => {
    const passed = await world.settled(2);
    const billed = bill();
    expect(await device.fetch('http://panel.example/')).toBe('198.51.100.2');
    expect(await device.fetch(`http://${PANEL4}/`)).toBe('198.51.100.2');
    expect(await device.fetch(`http://[${PANEL6}]/`)).toBe('2001:db8:a::2');
    expect(await ask('web.example')).toBe(WEB4);
    expect(await world.settled(2)).toBe(passed);
    expect(bill()).toBe(billed);
  });

  test('a killed agent leaves page, panel and names as they are, and finds them again', async () => {
    await world.agent().end('SIGKILL');
    expect(await ask('web.example')).toBe(WEB4);
    expect(await device.fetch('http://panel.example/')).toBe('198.51.100.2');
    world.startAgent();
    await until('the page', async () => isPage(await device.fetch()));
    expect(world.agent().said()).not.toContain('resolver_started');
  });

  test('what the next agent finds stays so without the control plane, and no count is told twice', async () => {
    const blocked = world.device(1, 3);
    await world.serve(blocked, 20_000_000, true);
    await blocked.connect();
    await world.applied(world.control.put({ ...orderOf(device), dnsFiltering: true }));
    const told = withheld();
    expect(await ask('ads.example')).toBe('0.0.0.0');
    await until('the count', () => withheld() === told + 1);
    await world.control.die();
    await world.agent().end('SIGKILL');
    world.startAgent();
    await until('the agent', () => world.agent().said().includes('"event":"started"'));
    expect(await device.fetch(`http://${PANEL4}/`)).toBe('198.51.100.2');
    expect(await ask('ads.example')).toBe('0.0.0.0');
    expect(await ask('web.example', '10.64.0.1', world.network.clients[1])).toBeUndefined();
    expect(isPage(await device.fetch())).toBe(true);
    // Long enough for a look at the counts and at the hosts of the cut off.
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    expect(await device.fetch(`http://${PANEL4}/`)).toBe('198.51.100.2');
    expect(await ask('ads.example')).toBe('0.0.0.0');
    await world.control.start();
    await until('the second count', () => withheld() > told + 1);
    await world.applied(world.control.put(orderOf(device)));
    expect(withheld()).toBeLessThanOrEqual(told + 3);
  });

  test('the page is gone with the lease that grows, for a connection that is new as for one that was there', async () => {
    world.control.saysLast = false;
    await world.applied(world.control.allow(device.id, 30_000_000));
    expect(await device.fetch()).toBe('198.51.100.2');
    const passed = await world.passed(2);
    expect(await device.fetch('http://panel.example/')).toBe('198.51.100.2');
    expect(await world.settled(2)).toBeGreaterThan(passed);
  });

  test('what the cut off may move for nothing is bounded', async () => {
    world.control.saysLast = true;
    await world.applied(world.control.allow(device.id, await world.settled(2)));
    await until('the page', async () => isPage(await device.fetch()));
    const passed = await world.settled(2);
    const command = `curl -s -o /dev/null -w '%{size_download}' -m 3 http://${PANEL4}/blob?n=50000000 || true`;
    const bytes = Number(await world.network.inside(world.network.clients[0], 'sh', '-c', command));
    // A burst, and three seconds of the trickle.
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(3_000_000);
    expect(await world.settled(2)).toBe(passed);
  });

  const isPage = (text: string | null) => text?.includes('Your balance is used up') ?? false;

  function curl(...args: string[]): Promise<string> {
    return world.network.inside(world.network.clients[0], 'curl', '-gsS', ...args);
  }

  /** The address that a name server gives; undefined when it gives none in time. */
  async function ask(name: string, server = '10.64.0.1', from?: string): Promise<string | undefined> {
    const script = join(import.meta.dirname, '../ask-name.ts');
    const answer = await world.network.inside(from ?? world.network.clients[0], process.execPath, script, name, server);
    return answer || undefined;
  }

  /** What all reports so far have told. */
  function withheld(): number {
    const told = world.control.reports.flatMap((report) => report.blockedQueries ?? []);
    return told.reduce((sum, entry) => sum + (entry.config === device.id ? entry.count : 0), 0);
  }

  async function status(url: string): Promise<string> {
    return await curl('-o', '/dev/null', '-w', '%{http_code}', '-m', '2', url);
  }
});
