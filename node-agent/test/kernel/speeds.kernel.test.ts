import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findObstacle, until } from '../processes.ts';
import { createWorld, type Device, type World } from '../world.ts';

const obstacle = findObstacle(['tc']);
if (obstacle) console.warn(`SKIPPED: real tunnels cannot be tested here: ${obstacle}`);

/** Other work on the machine makes a transfer slower, never faster: what a limit promises is the least time. */
const MBIT = 8;
const leastSeconds = (bytes: number, mbit = MBIT) => 0.8 * ((bytes * 8) / (mbit * 1e6));

describe.skipIf(obstacle)('the speed of a config is limited by the kernel', { timeout: 120_000 }, () => {
  let world: World;
  let limited: Device;
  let free: Device;

  beforeAll(async () => {
    world = await createWorld();
    world.startAgent();
    limited = world.device(0, 0x102);
    free = world.device(1, 3);
    for (const device of [limited, free]) {
      await world.serve(device, 200_000_000);
      await device.connect();
    }
  }, 60_000);

  afterAll(() => world?.close());

  const inNode = (...command: string[]) => {
    const [name = '', ...args] = command;
    return world.network.inside(world.network.node, name, ...args);
  };
  /** Classes of a device with what has passed through them. */
  const classesOf = async (device: string) => {
    const listed = await inNode('tc', '-s', 'class', 'show', 'dev', device);
    const found = [...listed.matchAll(/^class htb (\S+) .*? rate (\S+) [^\n]*\n Sent (\d+) bytes.*?dropped (\d+)/gm)];
    return Object.fromEntries(
      found.map(([, id, rate, bytes, dropped]) => [id, { rate, bytes: Number(bytes), dropped: Number(dropped) }]),
    );
  };
  const limit = async (device: Device, mbit: number | undefined, rate: string | undefined) => {
    await world.applied(world.control.limitSpeed(device.id, mbit));
    await until(`the limit of ${mbit}`, async () => (await classesOf('eth0'))['7262:102']?.rate === rate);
    await until('the same of downloads', async () => (await classesOf(world.interfaceName))['7261:102']?.rate === rate);
  };
  const secondsOf = async (work: () => Promise<unknown>) => {
    const before = performance.now();
    await work();
    return (performance.now() - before) / 1000;
  };
  const rootOf = async (device: string) => await inNode('tc', 'qdisc', 'show', 'dev', device, 'root');

  test('without a limit no queue is ours', async () => {
    expect(await free.fetch()).toBe('198.51.100.2');
    expect(await rootOf('eth0')).not.toContain('htb');
    expect(await rootOf(world.interfaceName)).not.toContain('htb');
  });

  test('a download and an upload take their time, those of another config do not, and the bill is what passed', async () => {
    await limit(limited, MBIT, '8Mbit');
    const bytes = 3_000_000;
    const down = (device: Device) =>
      secondsOf(async () => expect(await device.download(bytes).ended()).toBe(String(bytes)));
    const up = (device: Device) =>
      secondsOf(async () => expect(await device.upload(bytes).ended()).toBe(String(bytes)));
    const slow = [await down(limited), await up(limited)];
    const fast = [await down(free), await up(free)];
    for (const [index, seconds] of slow.entries()) {
      expect(seconds).toBeGreaterThan(leastSeconds(bytes));
      expect(seconds).toBeGreaterThan(2 * (fast[index] as number));
    }
    // Only the config that has a limit has classes.
    const [tunnel, uplink] = [await classesOf(world.interfaceName), await classesOf('eth0')];
    expect([Object.keys(tunnel), Object.keys(uplink)]).toEqual([['7261:102'], ['7262:102']]);
    for (const passed of [tunnel['7261:102'], uplink['7262:102']]) expect(passed?.bytes).toBeGreaterThan(bytes);
    for (const device of [limited, free])
      await until('the bill', async () => world.control.billed(device.id) === (await world.passed(device.slot)));
    // What the queue dropped was counted, and sent once more; acknowledgements count, too.
    const billed = await world.settled(limited.slot);
    const dropped = [tunnel['7261:102'], uplink['7262:102']].map((passed) => passed?.dropped);
    console.info(
      `billed to received ${(billed / (2 * bytes)).toFixed(3)}; packets dropped by the queues: ${dropped.join(', ')}`,
    );
    expect(billed).toBeLessThan(2 * bytes * 1.15);
  });

  test('another limit holds for the connection that runs, which goes on', async () => {
    // At the first limit it would take 40 s: however slowly the machine sets the other one, most is left for it.
    const bytes = 40_000_000;
    const before = (await classesOf(world.interfaceName))['7261:102']?.bytes ?? 0;
    const download = limited.download(bytes);
    const start = await world.passed(limited.slot);
    const slow = await secondsOf(() =>
      until('a part', async () => (await world.passed(limited.slot)) > start + 2_000_000),
    );
    await limit(limited, 80, '80Mbit');
    const middle = await world.passed(limited.slot);
    const fast = await secondsOf(() => download.ended());
    expect(await download.ended()).toBe(String(bytes));
    const rest = start + bytes - middle;
    expect(rest / fast).toBeGreaterThan((2 * 2_000_000) / slow);
    // The class went on, with what it had counted.
    expect((await classesOf(world.interfaceName))['7261:102']?.bytes).toBeGreaterThan(before + bytes);
    await until('the bill', async () => world.control.billed(limited.id) === (await world.passed(limited.slot)));
  });

  test('an agent that is killed leaves the limit in force, and the next one goes on with it', async () => {
    await limit(limited, MBIT, '8Mbit');
    // What a report says was written down before, and the limit with it. Until then the next agent would begin with the limit before.
    expect(await limited.fetch()).toBe('198.51.100.2');
    await until('a report', async () => world.control.billed(limited.id) === (await world.passed(limited.slot)));
    const download = limited.download(4_000_000);
    const began = performance.now();
    await world.agent().end('SIGKILL');
    world.startAgent();
    expect(await download.ended()).toBe('4000000');
    expect((performance.now() - began) / 1000).toBeGreaterThan(leastSeconds(4_000_000));
    expect(Object.keys(await classesOf('eth0'))).toEqual(['7262:102']);
    await until('the bill', async () => world.control.billed(limited.id) === (await world.passed(limited.slot)));
  });

  test('after a crash of the daemon and without our rules it is back', async () => {
    const pids = await inNode('pgrep', '-f', `wireguard-go -f ${world.interfaceName}`);
    process.kill(Number(pids.split('\n')[0]), 'SIGKILL');
    await until('the class', async () => '7261:102' in (await classesOf(world.interfaceName).catch(() => ({}))));
    await inNode('nft', 'flush', 'ruleset');
    const listed = () => inNode('nft', 'list', 'map', 'inet', world.table, 'speed_down').catch(() => '');
    await until('the map', async () => (await listed()).includes('7261:102'));
    const bytes = 2_000_000;
    await until('service', async () => (await limited.fetch(undefined, 2)) === '198.51.100.2');
    const seconds = await secondsOf(async () => expect(await limited.download(bytes).ended()).toBe(String(bytes)));
    expect(seconds).toBeGreaterThan(leastSeconds(bytes));
  });

  test('a config that is removed takes its classes along, and with the last one the queues go', async () => {
    await world.applied(world.control.limitSpeed(free.id, 20));
    await until('both', async () => Object.keys(await classesOf('eth0')).length === 2);
    await world.applied(world.control.remove(limited.id));
    await until('one', async () => Object.keys(await classesOf('eth0')).join() === '7262:3');
    await world.applied(world.control.limitSpeed(free.id, undefined));
    await until('none', async () => !(await rootOf('eth0')).includes('htb'));
    await until('none here', async () => !(await rootOf(world.interfaceName)).includes('htb'));
    expect(await free.fetch()).toBe('198.51.100.2');
  });

  test('a node that is taken down gives the uplink its own queue back', async () => {
    await world.applied(world.control.limitSpeed(free.id, 20));
    await until('the class', async () => '7262:3' in (await classesOf('eth0')));
    await world.agent().end('SIGKILL');
    world.startAgent('--teardown-on-exit');
    await until('the agent', () => world.agent().output().includes('"event":"started"'));
    await world.agent().end('SIGTERM');
    expect(await rootOf('eth0')).not.toContain('htb');
  });
});
