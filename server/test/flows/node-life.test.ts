import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { describeNodes } from '../../src/modules/configs/describe-nodes.ts';
import { leaveServers } from '../../src/modules/configs/leave-servers.ts';
import { activateNode } from '../../src/modules/fleet/activate-node.ts';
import { renewEnrolment } from '../../src/modules/fleet/add-node.ts';
import { drainNode } from '../../src/modules/fleet/drain-node.ts';
import { retireNode } from '../../src/modules/fleet/retire-node.ts';
import { revokeNode } from '../../src/modules/fleet/revoke-node.ts';
import { setNodeTerms } from '../../src/modules/fleet/set-node-terms.ts';
import { upgradeNodes } from '../../src/modules/fleet/upgrade-nodes.ts';
import { sumNodeTraffic } from '../../src/modules/metering/node-traffic.ts';
import { watchCaps } from '../../src/modules/metering/watch-caps.ts';
import { reportNodes } from '../../src/modules/reports/reports.ts';
import { addDays, addSeconds, manualClock } from '../../src/platform/clock.ts';
import { enrolFakeNode, enrolWith, type FakeNode } from '../fake-node.ts';
import { actor, openTestWorld, TEST_RATE, type TestUser, type TestWorld } from '../world.ts';

/** A server from its first day to its last, as its operator and its users see it. */
let world: TestWorld;
let node: FakeNode;
let other: FakeNode;
let user: TestUser;

beforeAll(async () => {
  world = await openTestWorld();
});
beforeEach(async () => {
  // Only the servers of this test are available.
  await sql`UPDATE node SET status = 'inactive' WHERE status = 'active'`.execute(world.deps.db);
  node = await enrolFakeNode(world);
  other = await enrolFakeNode(world);
  user = await world.user();
});
afterEach(() => world.proveLedger());
afterAll(() => world.close());

const create = async (on: FakeNode, name: string, more: { publicKey?: string } = {}) => {
  const { data } = await user.api.createConfig({ body: { name, serverId: on.id, ...more } });
  await on.settle();
  return data.config;
};
const configs = async () => (await user.api.listConfigs()).data.configs;
const listNotifications = async () => (await user.api.listNotifications()).data.notifications;
const later = (days: number) => ({ ...world.deps, clock: manualClock(addDays(world.deps.clock.now(), days)) });
const retire = (days: number, movesTo: string | null = null) =>
  retireNode(world.deps, { actor, nodeId: node.id, days, movesTo });
const stateOf = async (of: FakeNode) =>
  (await describeNodes(world.deps.db, world.deps.clock.now())).find((state) => state.node.id === of.id);

describe('draining', () => {
  test('no new configs are accepted, existing ones continue, and it can be undone', async () => {
    const { id } = await create(node, 'گوشی');
    await drainNode(world.deps, { actor, nodeId: node.id });
    await expect(create(node, 'تبلت')).rejects.toMatchObject({ code: 'server_full' });
    const shown = (await user.api.listServers()).data.servers.find((server) => server.id === node.id);
    expect(shown).toMatchObject({ isOnline: true, status: 'inactive' });
    await node.report([{ config: id, down: 2_000_000 }]);
    expect(await configs()).toMatchObject([{ id, service: 'ok', downloaded: 2_000_000 }]);
    await activateNode(world.deps, { actor, nodeId: node.id });
    await create(node, 'تبلت');
  });
});

describe('retiring', () => {
  test('a replacement of the same name waits on another server; both work until the day, then the old one ends', async () => {
    const old = await create(node, 'گوشی');
    await retire(7);
    await leaveServers(world.deps);
    const [replacement, leaving] = await configs();
    expect(replacement).toMatchObject({ name: 'گوشی', server: { id: other.id }, keepKey: true, status: 'active' });
    expect(leaving).toMatchObject({ id: old.id, service: 'ok', server: { id: node.id } });
    expect(leaving?.name).toMatch(/^گوشی \(node-/);
    await other.settle();
    expect(other.peers.has(replacement?.id ?? '')).toBe(true);
    const file = String(await user.api.downloadConfig({ params: { id: replacement?.id ?? '' } }));
    expect(file).toContain('PrivateKey');
    const moved = (await listNotifications()).find(({ kind }) => kind === 'config_moved');
    expect(moved?.message).toContain('در آلمان آماده است');
    // Further rounds do nothing twice.
    await leaveServers(world.deps);
    await leaveServers(later(6.9));
    expect(await configs()).toHaveLength(2);
    await node.report([{ config: old.id, down: 3_000_000 }]);
    await leaveServers(later(7.1));
    expect(await configs()).toMatchObject([{ id: replacement?.id, name: 'گوشی' }]);
    const { reserved } = (await user.api.getWallet()).data;
    await node.sync();
    expect(node.removed).toContain(old.id);
    await node.report([{ config: old.id, down: 3_500_000, final: true }]);
    expect((await user.api.getWallet()).data.reserved).toBeLessThan(reserved);
    expect(await stateOf(node)).toMatchObject({ configs: 0, leaving: 0 });
    expect((await user.api.listServers()).data.servers.map(({ id }) => id)).not.toContain(node.id);
  });

  test('the user of a device that keeps its own key must make a new config; a disconnected config stays disconnected', async () => {
    await create(node, 'کلید دستگاه', { publicKey: `${'C'.repeat(42)}A=` });
    const { id } = await create(node, 'قطع');
    await user.api.disconnect({ body: { configId: id } });
    await retire(3);
    await leaveServers(world.deps);
    expect((await configs()).map(({ name, service, server }) => [name, service, server.id])).toEqual(
      expect.arrayContaining([
        ['کلید دستگاه', 'ok', node.id],
        ['قطع', 'disconnected', other.id],
      ]),
    );
    expect(await configs()).toHaveLength(3);
    const own = (await listNotifications()).find(({ message }) => message.includes('کلید دستگاه'));
    expect(own?.message).toContain('کانفیگ تازه‌ای بسازید');
  });

  test('it waits for an available server, and moves where the operator says', async () => {
    await create(node, 'گوشی');
    await other.goOffline();
    await retire(7);
    await leaveServers(world.deps);
    expect(await configs()).toHaveLength(1);
    expect((await listNotifications()).some(({ kind }) => kind === 'config_moved')).toBe(false);
    const third = await enrolFakeNode(world);
    const fourth = await enrolFakeNode(world);
    await retire(7, fourth.id);
    await leaveServers(world.deps);
    expect((await configs()).map(({ server }) => server.id).sort()).toEqual([node.id, fourth.id].sort());
    await expect(create(third, 'گوشی')).rejects.toMatchObject({ code: 'config_name_taken' });
  });

  test('of several simultaneous rounds, one moves a config', async () => {
    await create(node, 'گوشی');
    await retire(7);
    await Promise.all([1, 2, 3].map(() => leaveServers(world.deps)));
    expect(await configs()).toHaveLength(2);
    expect((await listNotifications()).filter(({ kind }) => kind === 'config_moved')).toHaveLength(1);
  });

  test('many configs, even beyond what a user may create; full names are shortened to make room', async () => {
    const long = 'ن'.repeat(40);
    for (const name of [long, ...Array.from({ length: 11 }, (_, index) => `د${index}`)]) await create(node, name);
    await retire(0);
    await leaveServers(world.deps);
    expect((await configs()).map(({ name }) => name)).toEqual(expect.arrayContaining([long, 'د0', 'د10']));
    expect((await configs()).every(({ server }) => server.id === other.id)).toBe(true);
  });
});

describe('revoking', () => {
  test('its reports no longer count, its configs move, and the money in its leases is returned', async () => {
    const { id } = await create(node, 'گوشی');
    await node.report([{ config: id, down: 5_000_000 }]);
    const before = (await user.api.getWallet()).data;
    expect(before.reserved).toBeGreaterThan(0);
    await revokeNode(world.deps, { actor, nodeId: node.id, movesTo: null });
    await expect(node.report([{ config: id, down: 9_000_000 }])).rejects.toMatchObject({ code: 'node_superseded' });
    await leaveServers(world.deps);
    expect(await configs()).toMatchObject([{ name: 'گوشی', server: { id: other.id } }]);
    const { rows } = await sql<{ final: boolean; held: bigint }>`
      SELECT final, lease_limit_bytes - billed_bytes AS held FROM meter WHERE config_id = ${id}
    `.execute(world.deps.db);
    expect(rows).toEqual([{ final: true, held: 0n }]);
    expect((await user.api.getWallet()).data.balance).toBe(before.balance);
    expect(await stateOf(node)).toMatchObject({ configs: 0, online: false });
    await leaveServers(world.deps);
  });

  test('without another server the config still ends', async () => {
    await create(node, 'گوشی');
    await other.goOffline();
    await revokeNode(world.deps, { actor, nodeId: node.id, movesTo: null });
    await leaveServers(world.deps);
    expect(await configs()).toEqual([]);
    expect((await user.api.getWallet()).data.reserved).toBe(0);
  });
});

describe('health', () => {
  const report = (health: object) => {
    node.seq += 1;
    const made = node.makeReport([]);
    return node.send({ ...made, health: { ...made.health, ...health } });
  };

  test('clock, disk, version and certificate are shown, with a warning for each fault', async () => {
    await node.serveOpenvpn();
    await report({ clockOffsetMs: 300, disk: { freeBytes: 60e9, totalBytes: 80e9 } });
    const well = await stateOf(node);
    expect(well).toMatchObject({ online: true, protocols: ['wireguard', 'openvpn'], warnings: [] });
    expect(well?.node).toMatchObject({ clock_offset_ms: 300, disk_free_bytes: 60_000_000_000n, agent_version: 'fake' });
    expect(well?.certificateEndsAt?.getTime()).toBeGreaterThan(Date.now());
    await report({ clockOffsetMs: -90_000, disk: { freeBytes: 1e9, totalBytes: 80e9 } });
    await sql`UPDATE node_certificate SET ends_at = ${addDays(new Date(), 9.5)} WHERE node_id = ${node.id}`.execute(
      world.deps.db,
    );
    expect((await stateOf(node))?.warnings).toEqual([
      'its clock is wrong',
      'its disk is nearly full',
      'its certificate ends in 9 days',
    ]);
    // A report without these figures keeps the earlier ones.
    await node.report([]);
    expect((await stateOf(node))?.node.clock_offset_ms).toBe(-90_000);
  });

  // Found by the fuzzer: a machine whose clock began in 1970 could report nothing.
  test('figures beyond what a column holds are kept as near as possible', async () => {
    const { id } = await create(node, 'دوردست');
    await report({ clockOffsetMs: 1_795_000_000_000, load: 1e-50 });
    expect((await stateOf(node))?.node).toMatchObject({ clock_offset_ms: 2 ** 31 - 1, load: 0 });
    await report({ clockOffsetMs: -1_795_000_000_000 });
    expect((await stateOf(node))?.node.clock_offset_ms).toBe(-(2 ** 31));
    node.seq += 1;
    const tunnels = [{ config: id, handshakeAgeSeconds: 1, pingMs: 1e-50 }];
    await node.send(node.makeReport([], { tunnels }));
    node.seq += 1;
    const unreal = node.makeReport([], { tunnels: [{ config: id, handshakeAgeSeconds: 1, pingMs: 1e300 }] });
    await expect(node.send(unreal)).rejects.toMatchObject({ code: 'invalid_input' });
    await report({ clockOffsetMs: 0 });
  });

  test('an agent that refuses the offered release says why, until it has installed one', async () => {
    await report({ releaseRefusal: 'older' });
    expect((await stateOf(node))?.warnings).toEqual([
      'it refuses the offered release, which is older than the one that it installed last',
    ]);
    await report({});
    expect((await stateOf(node))?.warnings).toEqual([]);
  });

  test('offline after 15 seconds without a report, online with the next one; configs are not touched', async () => {
    const { id } = await create(node, 'گوشی');
    const { generation, seen_at: seen } = (await stateOf(node))?.node ?? {};
    if (!seen) throw new Error('it has not reported');
    const after = async (seconds: number) => {
      const [state] = (await describeNodes(world.deps.db, addSeconds(seen, seconds))).filter(
        (candidate) => candidate.node.id === node.id,
      );
      return state;
    };
    expect(await after(12)).toMatchObject({ online: true });
    expect(await after(15.1)).toMatchObject({ online: false, warnings: ['does not answer'] });
    await node.report([{ config: id, down: 1_000 }]);
    expect(await stateOf(node)).toMatchObject({ online: true, configs: 1, leaving: 0, node: { generation } });
  });
});

describe('upgrading', () => {
  test('the next poll names the wanted agent, until the node is set up anew', async () => {
    const sha256 = 'a'.repeat(64);
    await node.sync();
    expect(node.settings?.agent).toBeUndefined();
    await upgradeNodes(world.deps, { actor, nodes: { nodeId: node.id }, sha256 });
    await node.sync();
    expect(node.settings?.agent).toEqual({ sha256 });
    const name = (await stateOf(node))?.node.name ?? '';
    const renewed = await renewEnrolment(world.deps, name);
    const fresh = await enrolWith(world, renewed?.token ?? '');
    await fresh.sync();
    expect(fresh.settings?.agent).toBeUndefined();
  });
});

describe('the provider’s traffic and cost', () => {
  test('when the month’s traffic is used up no new configs are accepted until the next month', async () => {
    const { id } = await create(node, 'گوشی');
    const terms = { costUsdMicrosPerGb: null };
    await setNodeTerms(world.deps, { actor, nodeId: node.id, monthlyCapGb: 1, ...terms });
    await node.report([{ config: id, down: Math.min(900_000_000, node.limitOf(id)) }]);
    const month = new Date(Date.UTC(world.deps.clock.now().getUTCFullYear(), world.deps.clock.now().getUTCMonth(), 1));
    const summed = (await sumNodeTraffic(world.deps.db, month, null)).find(({ node_id }) => node_id === node.id);
    expect(summed?.bytes).toBeGreaterThan(0n);
    expect((await stateOf(node))?.monthBytes).toBe(summed?.bytes);
    await watchCaps(world.deps);
    await create(node, 'دوم');
    await sql`UPDATE node_month SET bytes = 1000000000 WHERE node_id = ${node.id}`.execute(world.deps.db);
    await watchCaps(world.deps);
    await expect(create(node, 'سوم')).rejects.toMatchObject({ code: 'server_full' });
    const state = await stateOf(node);
    expect(state?.warnings).toEqual(["this month's traffic is used up"]);
    expect(state?.node.capped_until?.toISOString()).toMatch(/^\d{4}-\d\d-01T00:00:00.000Z$/);
    await watchCaps(later(32));
    expect((await stateOf(node))?.node.capped_until).toBeNull();
    await watchCaps(world.deps);
    await setNodeTerms(world.deps, { actor, nodeId: node.id, monthlyCapGb: 20, ...terms });
    await create(node, 'سوم');
  });

  test('the report compares what was charged with the cost', async () => {
    const { id } = await create(node, 'گوشی');
    await setNodeTerms(world.deps, {
      actor,
      nodeId: node.id,
      monthlyCapGb: null,
      costUsdMicrosPerGb: 4_000n,
    });
    let down = 0;
    while (down < 60_000_000) {
      down = Math.min(60_000_000, node.limitOf(id));
      await node.report([{ config: id, down }]);
    }
    const days = { from: '2020-01-01', to: '2100-01-01' };
    const name = (await stateOf(node))?.node.name;
    const rows = await reportNodes(world.deps.db, world.deps.exchangeRate, days);
    const row = rows.find((candidate) => candidate.node === name);
    const cost = BigInt(Math.round(0.06 * 0.004 * TEST_RATE));
    expect(row).toMatchObject({ gb: 0.06, cost, margin: (row?.charged ?? 0n) - cost });
    expect(row?.charged).toBeGreaterThan(0n);
    expect(rows.find((candidate) => candidate.node !== name)).toMatchObject({ cost: undefined, margin: undefined });
  });
});
