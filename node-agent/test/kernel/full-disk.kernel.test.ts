import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findObstacle, run, until } from '../processes.ts';
import { createWorld, type Device, type World } from '../world.ts';

const obstacle = findObstacle();
if (obstacle) console.warn(`SKIPPED: real tunnels cannot be tested here: ${obstacle}`);

describe.skipIf(obstacle)('a node whose disk is full', { timeout: 120_000 }, () => {
  let world: World;
  let device: Device;
  let epoch: string | null;
  const fallback = () => `/run/raha/${world.interfaceName}.usage.json`;
  const filler = () => join(world.state, 'filler.log');
  const spool = () => readFileSync(join(world.state, 'usage.json'), 'utf8');
  const isBilled = async () => world.control.billed(device.id) === (await world.passed(2));

  beforeAll(async () => {
    world = await createWorld();
    mkdirSync(world.state);
    await run('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=0700', 'none', world.state]);
    world.startAgent();
    device = world.device(0, 2);
    await world.serve(device, 3_000_000);
    await device.connect();
    expect(await device.fetch()).toBe('198.51.100.2');
    await until('the report', isBilled);
    ({ epoch } = world.control);
  }, 40_000);

  afterAll(async () => {
    if (!world) return;
    // Lazily: its writers end with the world.
    await run('umount', ['-l', world.state]).catch(() => {});
    await world.close();
  });

  /** Repeated until the last block is used, because replacing a file frees its old blocks. */
  function fill(): void {
    for (;;) {
      try {
        appendFileSync(filler(), Buffer.alloc(4_096));
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' });
        return;
      }
    }
  }

  test('it reports that, bills to the byte, and gets its leases', async () => {
    await until('the disk in a report', () => {
      fill();
      return existsSync(fallback()) && world.control.reports.at(-1)?.health.disk?.freeBytes === 0;
    });
    const before = spool();
    expect(await device.download(1_000_000).ended()).toBe('1000000');
    await until('the report', isBilled);
    await world.applied(world.control.allow(device.id, 60_000_000));
    expect(await device.download(5_000_000).ended()).toBe('5000000');
    await until('the report', isBilled);
    expect(spool()).toBe(before);
  });

  test('kill -9 and another start: the epoch goes on, and nothing is billed twice', async () => {
    const then = await world.passed(2);
    const download = device.download(8_000_000, '--limit-rate', '4M');
    await until('the download', async () => (await world.passed(2)) > then + 2_000_000);
    await world.agent().end('SIGKILL');
    world.startAgent();
    expect(await download.ended()).toBe('8000000');
    await until('the report', isBilled);
    expect(world.control.epoch).toBe(epoch);
  });

  test('its tunnels are restored', async () => {
    const { network, interfaceName } = world;
    const found = await network.inside(network.node, 'pgrep', '-f', `wireguard-go -f ${interfaceName}`);
    process.kill(Number(found.split('\n')[0]), 'SIGKILL');
    await until('the tunnel', async () => (await device.fetch(undefined, 1)) === '198.51.100.2');
  });

  test('when there is room again, its state is on the disk, also for another start', async () => {
    const before = spool();
    rmSync(filler());
    await until('the disk', () => spool() !== before && !existsSync(fallback()));
    await world.agent().end('SIGKILL');
    expect(await device.fetch()).toBe('198.51.100.2');
    world.startAgent();
    await until('the report', isBilled);
    expect(world.control.epoch).toBe(epoch);
    expect(world.control.reports.filter(({ closing }) => closing)).toEqual([]);
    expect(world.control.reports.at(-1)?.health.disk?.freeBytes).toBeGreaterThan(0);
  });
});
