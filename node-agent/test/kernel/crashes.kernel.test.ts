import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findObstacle, until } from '../processes.ts';
import { createWorld, type Device, type World } from '../world.ts';

const obstacle = findObstacle();
if (obstacle) console.warn(`SKIPPED: real tunnels cannot be tested here: ${obstacle}`);

describe.skipIf(obstacle)('a node survives crashes', { timeout: 120_000 }, () => {
  let world: World;
  let device: Device;

  beforeAll(async () => {
    world = await createWorld();
    world.startAgent();
    device = world.device(0, 2);
    await world.serve(device, 200_000_000);
    await device.connect();
  }, 30_000);

  afterAll(() => world?.close());

  /** The marker with the hash of the table's text. An older agent's table has none, or another hash. */
  const MARK = '{ 0xfffffffe }';
  const nft = (...words: string[]) => world.network.inside(world.network.node, 'nft', ...words);
  const daemonPid = async () => {
    const pids = (
      await world.network.inside(world.network.node, 'pgrep', '-f', `wireguard-go -f ${world.interfaceName}`)
    )
      .split('\n')
      .map(Number);
    return pids[0] as number;
  };

  /** What the kernel has counted and no report contains, read while nothing passes: late packets come at any time. */
  const unbilled = async () => {
    for (;;) {
      const passed = await world.passed(2);
      const { length } = world.control.reports;
      // The first may have been on its way, and the second may contain a reading from before it.
      await until('three reports', () => world.control.reports.length > length + 2);
      const billed = world.control.billed(device.id);
      if ((await world.passed(2)) === passed) return passed - billed;
    }
  };

  test('kill -9 of the agent during a download: serving goes on, no byte is lost, the client notices nothing', async () => {
    const download = device.download(40_000_000, '--limit-rate', '4M');
    await until('the download', async () => (await world.passed(2)) > 2_000_000);
    const daemon = await daemonPid();
    await world.agent().end('SIGKILL');
    const then = await world.passed(2);
    await until('traffic without an agent', async () => (await world.passed(2)) > then + 1_000_000);
    const { epoch } = world.control;
    world.startAgent();
    expect(await download.ended()).toBe('40000000');
    // The last packets of a connection arrive after its last byte, so both counts have to settle.
    await until('the report', async () => world.control.billed(device.id) === (await world.passed(2)));
    expect(world.control.epoch).toBe(epoch);
    expect(await daemonPid()).toBe(daemon);
  });

  test("an older agent's table is rebuilt: what it counted is billed, and the rest of the lease continues", async () => {
    await until('the report', async () => world.control.billed(device.id) === (await world.passed(2)));
    const { epoch } = world.control;
    await world.agent().end('SIGKILL');
    await device.fetch();
    const passed = await world.settled(2);
    await nft('delete', 'element', 'inet', world.table, 'up', MARK);
    world.startAgent();
    await until('a new epoch', () => world.control.epoch !== epoch);
    expect(await device.fetch()).toBe('198.51.100.2');
    const rules = await nft('list', 'chain', 'inet', world.table, 'raha_from_device');
    expect(rules).toContain('raha_meter_up');
    await until('both epochs on the bill', async () => {
      return world.control.billed(device.id) === passed + (await world.passed(2));
    });
  });

  test('the table is deleted: a new epoch, after the closing report of the old one', async () => {
    const { epoch } = world.control;
    const before = world.control.billed(device.id) - (await world.passed(2));
    await device.fetch();
    await until('the report', async () => world.control.billed(device.id) === before + (await world.passed(2)));
    const passed = world.control.billed(device.id);
    const reported = world.control.reports.length;
    await nft('delete', 'table', 'inet', world.table);
    await until('a new epoch', () => world.control.epoch !== epoch);
    const closing = world.control.reports.slice(reported).filter((report) => report.closing);
    expect(closing.map((report) => report.epoch)).toEqual([epoch]);
    expect(await device.fetch()).toBe('198.51.100.2');
    await until('both epochs on the bill', async () => {
      return world.control.billed(device.id) === passed + (await world.passed(2));
    });
  });

  test('the table is deleted while the control plane is away: the rest of the lease continues', async () => {
    const billed = world.control.billed(device.id);
    await world.applied(world.control.allow(device.id, billed + 3_000_000));
    await device.download(1_000_000).ended();
    const used = await world.passed(2);
    await until('the report', () => world.control.billed(device.id) > billed + 1_000_000);
    await world.control.die();
    await nft('flush', 'ruleset');
    await until('a new table', () =>
      world.passed(2).then(
        (passed) => passed < used,
        () => false,
      ),
    );
    expect(await device.fetch()).toBe('198.51.100.2');
    await until('the rest of the lease to be used', async () => {
      const before = await world.passed(2);
      await device.fetch('http://192.0.2.80/blob?n=9000000', 2);
      return before > 1_000_000 && (await world.passed(2)) - before < 1_000;
    });
    expect(await world.passed(2)).toBeLessThanOrEqual(2_000_000);
    await world.control.start();
    await until('the bill', () => world.control.billed(device.id) > billed + 2_800_000);
    expect(world.control.billed(device.id)).toBeLessThanOrEqual(billed + 3_000_000);
    await world.applied(world.control.allow(device.id, billed + 100_000_000));
    expect(await device.fetch()).toBe('198.51.100.2');
  });

  test.each([
    ['the rules are flushed and the sets left', async () => await nft('flush', 'table', 'inet', world.table)],
    [
      'one rule is deleted',
      async () => {
        const rules = await nft('-a', 'list', 'chain', 'inet', world.table, 'raha_meter_down');
        const counting = /@down .*# handle (\d+)/.exec(rules)?.[1] ?? '';
        await nft('delete', 'rule', 'inet', world.table, 'raha_meter_down', 'handle', counting);
      },
    ],
  ])(
    '%s: noticed, and metered again in a new epoch',
    async (_what, damage) => {
      const { epoch } = world.control;
      await damage();
      // On a busy machine a check takes long, half a minute may pass to the next, and one may have begun before the damage.
      await until('a new epoch', () => world.control.epoch !== epoch, 240_000);
      expect(await device.fetch()).toBe('198.51.100.2');
      expect(await world.passed(2)).toBeGreaterThan(0);
    },
    300_000,
  );

  test('wireguard-go is killed: interface, peers and live tunnels come back', async () => {
    process.kill(await daemonPid(), 'SIGKILL');
    await until('the tunnel', async () => (await device.fetch(undefined, 1)) === '198.51.100.2');
    await until('the report', () => world.control.reports.at(-1)?.health.tunnelsUp === true);
  });

  test('the control plane has another report with our number: a new epoch from the present counters', async () => {
    const { epoch } = world.control;
    world.control.forkNext();
    await until('a new epoch', () => world.control.epoch !== epoch);
    // What the old epoch had not reported is given up, so from here on the two counts differ by this, and by no more.
    const givenUp = await unbilled();
    expect(await device.fetch()).toBe('198.51.100.2');
    await until('the bill', async () => (await world.passed(2)) - world.control.billed(device.id) === givenUp);
  });

  test('the back-end for the kernel module, which uses wg, works the same', async () => {
    await world.agent().end('SIGTERM');
    world.startAgent('--teardown-on-exit', '--backend', 'kernel');
    await until('the adoption', () => world.agent().output().includes('"event":"started"'));
    expect(await device.fetch()).toBe('198.51.100.2');
    const other = world.device(1, 3);
    await world.serve(other, 10_000_000);
    await other.connect();
    expect(await other.fetch()).toBe('198.51.100.2');
    await until('the tunnel in a report', () => {
      return world.control.reports.at(-1)?.tunnels.some((tunnel) => tunnel.config === other.id) ?? false;
    });
    await world.applied(world.control.remove(other.id));
    await until('the final reading', () => world.control.isFinal(other.id));
    const peers = await world.network.inside(world.network.node, 'wg', 'show', world.interfaceName, 'peers');
    expect(peers).not.toContain(other.publicKey);
    expect(peers).toContain(device.publicKey);
  });

  test('a clean exit with --teardown-on-exit reports the last byte and leaves nothing behind', async () => {
    await world.silence(true);
    const passed = await world.settled(2);
    const { length } = world.control.reports;
    await until('reports of the silence', () => world.control.reports.length > length + 2);
    expect(world.control.reports.at(-1)?.samples).toEqual([]);
    const before = world.control.billed(device.id);
    await world.silence(false);
    expect(await device.fetch()).toBe('198.51.100.2');
    await world.silence(true);
    const more = (await world.settled(2)) - passed;
    expect(more).toBeGreaterThan(0);
    await world.agent().end('SIGTERM');
    expect(world.control.billed(device.id)).toBe(before + more);
    const { node } = world.network;
    await expect(world.network.inside(node, 'ip', 'link', 'show', world.interfaceName)).rejects.toThrow();
    expect(await world.network.inside(node, 'nft', 'list', 'tables')).not.toContain(world.table);
  });
});
