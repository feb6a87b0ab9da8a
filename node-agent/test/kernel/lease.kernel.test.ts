import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findObstacle, until } from '../processes.ts';
import { createWorld, type Device, orderOf, type World } from '../world.ts';

const obstacle = findObstacle();
if (obstacle) console.warn(`SKIPPED: real tunnels cannot be tested here: ${obstacle}`);

describe.skipIf(obstacle)('a lease is enforced by the kernel', { timeout: 120_000 }, () => {
  let world: World;
  let device: Device;

  beforeAll(async () => {
    world = await createWorld();
    world.startAgent();
    device = world.device(0, 2);
    await world.serve(device, 2_000_000);
    await device.connect();
  }, 30_000);

  afterAll(() => world?.close());

  test('without a lease nothing passes', async () => {
    const other = world.device(1, 3);
    await world.applied(world.control.put(orderOf(other)));
    await other.connect();
    expect(await other.fetch(undefined, 1)).toBeNull();
    expect(await world.passed(3)).toBe(0);
    await other.disconnect();
  });

  test('the kernel stops at the last byte while the control plane is dead', async () => {
    await world.control.die();
    const download = device.download(20_000_000);
    // The largest packet of the kernel may not fit into what is left.
    await until('the limit', async () => (await world.passed(2)) > 2_000_000 - 65_536);
    const passed = await world.settled(2);
    expect(passed).toBeLessThanOrEqual(2_000_000);
    await world.control.start();
    await until('the report', () => world.control.billed(device.id) === passed);

    // Without touching the client: the same download continues when the lease is raised.
    world.control.allow(device.id, 40_000_000);
    await until('traffic again', async () => (await world.passed(2)) > passed + 1_000_000);
    expect(await download.ended()).toBe('20000000');
    expect(await world.passed(2)).toBeLessThanOrEqual(40_000_000);
  });

  test('a config at its limit is in every report until its refill is denied', async () => {
    const used = await world.passed(2);
    await world.applied(world.control.allow(device.id, used + 100_000));
    await device.fetch('http://192.0.2.80/blob?n=400000', 5);
    const isReported = () =>
      world.control.reports.at(-1)?.samples.some((sample) => sample.config === device.id) ?? false;
    await until('the limit', () => world.control.billed(device.id) > used + 20_000);
    const before = world.control.reports.length;
    await until('three reports', () => world.control.reports.length >= before + 3);
    expect(isReported()).toBe(true);
    world.control.deniesRefills = true;
    await until('no more reports of it', () => world.control.reports.length > before + 5 && !isReported());
    world.control.deniesRefills = false;
  });

  test('many small packets find the limit to the byte', async () => {
    // A device without open connections: servers retransmit the downloads above for minutes, and use up small rests.
    const idle = world.device(1, 4);
    await world.serve(idle, 1_000);
    await idle.connect();
    const used = await world.passed(4);
    await world.applied(world.control.allow(idle.id, used + 100_000));
    await world.network
      .inside(world.network.clients[1], 'ping', '-f', '-c', '600', '-s', '200', '-W', '1', '192.0.2.80')
      .catch(() => {});
    const passed = await world.passed(4);
    expect(passed).toBeLessThanOrEqual(used + 100_000);
    expect(passed).toBeGreaterThan(used + 100_000 - 228);
  });
});
