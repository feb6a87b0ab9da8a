import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findObstacle, until } from '../processes.ts';
import { createWorld, type Device, orderOf, type World } from '../world.ts';

const obstacle = findObstacle();
if (obstacle) console.warn(`SKIPPED: real tunnels cannot be tested here: ${obstacle}`);

describe.skipIf(obstacle)('a lease is enforced by the kernel', { timeout: 30_000 }, () => {
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
    const stranger = world.device(1, 3);
    await world.applied(world.control.put(orderOf(stranger)));
    await stranger.connect();
    expect(await stranger.fetch(undefined, 1)).toBeNull();
    expect(await world.passed(3)).toBe(0);
    await stranger.disconnect();
  });

  test('the kernel stops at the last byte while the control plane is dead', async () => {
    await world.control.die();
    const download = device.download(20_000_000);
    let before = -1;
    await until('the stall', async () => {
      const now = await world.passed(2);
      const isStalled = now === before && now > 1_000_000;
      before = now;
      if (!isStalled) await new Promise((resolve) => setTimeout(resolve, 300));
      return isStalled;
    });
    const passed = await world.passed(2);
    expect(passed).toBeLessThanOrEqual(2_000_000);
    expect(passed).toBeGreaterThan(2_000_000 - 65_536);
    await world.control.start();
    await until('the report', () => world.control.billed(device.id) === passed);

    // The client is left as it is: the same download goes on when the lease is raised.
    world.control.allow(device.id, 40_000_000);
    await until('traffic again', async () => (await world.passed(2)) > passed + 1_000_000, 3_000);
    expect(await download.ended()).toBe('20000000');
    expect(await world.passed(2)).toBeLessThanOrEqual(40_000_000);
  });

  test('a config at its limit speaks in every report, until told that there is no more', async () => {
    const used = await world.passed(2);
    await world.applied(world.control.allow(device.id, used + 100_000));
    await device.fetch('http://198.18.0.80/blob?n=400000', 2);
    const speaks = () => world.control.reports.at(-1)?.samples.some((sample) => sample.config === device.id) ?? false;
    await until('hunger', () => world.control.billed(device.id) > used + 20_000);
    const heard = world.control.reports.length;
    await until('three reports', () => world.control.reports.length >= heard + 3);
    expect(speaks()).toBe(true);
    world.control.saysLast = true;
    await until('silence', () => world.control.reports.length > heard + 5 && !speaks());
    world.control.saysLast = false;
  });

  test('many small packets find the limit to the byte', async () => {
    // A device that nobody owes anything: the downloads above are sent again for minutes, and what is too large for the end
    // of a lease uses it up.
    const quiet = world.device(1, 4);
    await world.serve(quiet, 1_000);
    await quiet.connect();
    const used = await world.passed(4);
    await world.applied(world.control.allow(quiet.id, used + 100_000));
    await world.network
      .inside(world.network.clients[1], 'ping', '-f', '-c', '600', '-s', '200', '-W', '1', '198.18.0.80')
      .catch(() => {});
    const passed = await world.passed(4);
    expect(passed).toBeLessThanOrEqual(used + 100_000);
    expect(passed).toBeGreaterThan(used + 100_000 - 228);
  });
});
