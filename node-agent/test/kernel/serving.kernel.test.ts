import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WEB4, WEB6 } from '../network.ts';
import { findObstacle, run, until } from '../processes.ts';
import { createWorld, type Device, orderOf, type World } from '../world.ts';

const obstacle = findObstacle();
if (obstacle) console.warn(`SKIPPED: real tunnels cannot be tested here: ${obstacle}`);

describe.skipIf(obstacle)('a node serves with real daemons', { timeout: 120_000 }, () => {
  let world: World;
  let device: Device;

  beforeAll(async () => {
    world = await createWorld();
    world.startAgent();
    device = world.device(0, 2);
    await world.serve(device, 100_000_000);
    await device.connect();
  }, 30_000);

  afterAll(() => world?.close());

  test('a web server sees the node as its client, in both families', async () => {
    expect(await device.fetch(`http://${WEB4}/`)).toBe('198.51.100.2');
    expect(await device.fetch(`http://[${WEB6}]/`)).toBe('2001:db8:a::2');
  });

  test('the bill is what passed, to the byte', async () => {
    expect(await device.download(3_000_000, '--limit-rate', '8M').ended()).toBe('3000000');
    const passed = await world.passed(2);
    expect(passed).toBeGreaterThan(3_000_000);
    // The last packets of a connection arrive after its last byte, so both counts have to settle.
    await until('the report', async () => world.control.billed(device.id) === (await world.passed(2)));
  });

  test('reports contain the handshake and the round trip of a tunnel', async () => {
    await until('a round trip', () => {
      const tunnel = world.control.reports.at(-1)?.tunnels.find((candidate) => candidate.config === device.id);
      return tunnel !== undefined && tunnel.handshakeAgeSeconds < 180 && (tunnel.pingMs ?? 0) > 0;
    });
    const health = world.control.reports.at(-1)?.health;
    expect(health?.disk?.totalBytes).toBeGreaterThan(health?.disk?.freeBytes ?? Number.NaN);
    // Both use the clock of this machine; a `Date` has whole seconds.
    expect(Math.abs(health?.clockOffsetMs ?? Number.NaN)).toBeLessThan(5_000);
    expect(JSON.stringify(world.control.reports)).not.toContain('203.0.113');
    expect(world.agent().output()).not.toContain('203.0.113');
  });

  test('a blocked config passes nothing, and passes again at once when unblocked', async () => {
    await world.applied(world.control.put(orderOf(device, true)));
    expect(await device.fetch(undefined, 1)).toBeNull();
    await world.applied(world.control.put(orderOf(device, false)));
    expect(await device.fetch()).toBe('198.51.100.2');
  });

  test('clients reach neither each other nor the node, except for pings to the gateway', async () => {
    const other = world.device(1, 3);
    await world.serve(other, 10_000_000);
    await other.connect();
    expect(await other.fetch()).toBe('198.51.100.2');
    const [one, two] = world.network.clients;
    const ping = (from: string, to: string) =>
      world.network.inside(from, 'ping', '-c1', '-W1', to).then(
        () => true,
        () => false,
      );
    expect(await ping(one, '10.64.0.1')).toBe(true);
    expect(await ping(one, 'fd72:6168:6100::1')).toBe(true);
    expect(await ping(one, other.address4)).toBe(false);
    expect(await ping(two, device.address6)).toBe(false);
    expect(await ping(one, world.network.controlAddress)).toBe(false);
    await other.disconnect();
  });

  test('a snapshot without most configs is refused', async () => {
    for (let slot = 100; slot < 112; slot++) world.control.put(orderOf(world.device(1, slot)));
    await world.applied(world.control.generation);
    const { generation } = world.control;
    const forgotten = world.control.forgetAll();
    await until('the refusal', () => world.agent().output().includes('mass_removal_refused'));
    expect(world.control.applied).toBeLessThanOrEqual(generation);
    expect(await device.fetch()).toBe('198.51.100.2');
    for (const order of forgotten) world.control.put(order);
    await world.applied(world.control.generation);
  });

  test('new keys for a config: the old ones are refused at once, bytes and lease go on', async () => {
    const billed = world.control.billed(device.id);
    const renewed = { ...world.device(0, 2), id: device.id };
    await world.applied(world.control.put(orderOf(renewed)));
    expect(await device.fetch(undefined, 1)).toBeNull();
    await device.disconnect();
    await renewed.connect();
    expect(await renewed.fetch()).toBe('198.51.100.2');
    await until('the report', () => world.control.billed(device.id) > billed);
    device = renewed;
  });

  test('a removed config gets its final reading, and cannot connect again', async () => {
    await device.fetch();
    await world.silence(true);
    const passed = await world.settled(2);
    await world.applied(world.control.remove(device.id));
    await until('the final reading', () => world.control.isFinal(device.id));
    expect(world.control.billed(device.id)).toBe(passed);
    await world.silence(false);
    expect(await device.fetch(undefined, 1)).toBeNull();
    const peers = await world.network.inside(world.network.node, 'wg', 'show', world.interfaceName, 'peers');
    expect(peers).not.toContain(device.publicKey);

    const next = world.device(1, 2);
    await world.serve(next, 1_000_000);
    await next.connect();
    expect(await next.fetch()).toBe('198.51.100.2');
    await until('the slot to count for its next config alone', async () => {
      return world.control.billed(next.id) === (await world.passed(2)) - passed;
    });
  });

  test('what `nft list ruleset` prints loads again, and the node serves by it', async () => {
    await device.disconnect();
    const other = world.device(0, 4);
    await world.serve(other, 1_000_000);
    await other.connect();
    expect(await other.fetch()).toBe('198.51.100.2');
    const { inside, node } = world.network;
    const rules = await inside(node, 'nft', 'list', 'ruleset');
    await run('ip', ['netns', 'exec', node, 'nft', '-f', '-'], `flush ruleset\n${rules}`);
    expect(await other.fetch()).toBe('198.51.100.2');
    expect(await other.fetch(`http://[${WEB6}]/`)).toBe('2001:db8:a::2');
    await until('the report', async () => world.control.billed(other.id) === (await world.passed(4)));
  });
});
