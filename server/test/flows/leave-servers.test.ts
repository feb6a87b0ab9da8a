import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { describeNodes } from '../../src/modules/configs/describe-nodes.ts';
import { leaveServers } from '../../src/modules/configs/leave-servers.ts';
import { activateNode } from '../../src/modules/fleet/activate-node.ts';
import { retireNode } from '../../src/modules/fleet/retire-node.ts';
import { revokeNode } from '../../src/modules/fleet/revoke-node.ts';
import { addDays, manualClock } from '../../src/platform/clock.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { changePlan } from '../plans.ts';
import { actor, eventually, openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** How configs leave a server when something is in the way: a full server, another date, a plan, an empty wallet. */
let world: TestWorld;
let node: FakeNode;
let other: FakeNode;
let user: TestUser;

beforeAll(async () => {
  world = await openTestWorld();
});
beforeEach(async () => {
  // Only the servers of this test are available, and only they are being left.
  await sql`UPDATE node SET status = 'inactive', retires_at = NULL`.execute(world.deps.db);
  node = await enrolFakeNode(world);
  other = await enrolFakeNode(world);
  user = await world.user();
});
afterEach(() => world.proveLedger());
afterAll(() => world.close());

let keys = 0;
/** A config whose device keeps its private key to itself. */
const ownKey = () => {
  keys += 1;
  return { publicKey: `${String(keys).padStart(42, 'C')}A=` };
};
const create = async (on: FakeNode, name: string, more: { publicKey?: string } = {}, by = user) => {
  const { data } = await by.api.createConfig({ body: { name, serverId: on.id, ...more } });
  await on.settle();
  return data.config;
};
const configs = async () => (await user.api.listConfigs()).data.configs;
const configOn = async (server: FakeNode) => {
  const found = (await configs()).find((config) => config.server.id === server.id);
  if (!found) throw new Error('there is none');
  return found;
};
const wallet = async () => (await user.api.getWallet()).data;
const moves = async () => {
  const { rows } = await sql<{ data: { name: string; endsAt: string; country: string; hasFile: boolean } }>`
    SELECT data FROM notification WHERE user_id = ${user.id} AND kind = 'config_moved' ORDER BY created_at, id
  `.execute(world.deps.db);
  return rows.map(({ data }) => data);
};
const later = (days: number) => ({ ...world.deps, clock: manualClock(addDays(world.deps.clock.now(), days)) });
const retire = (days: number, movesTo: string | null = null) =>
  retireNode(world.deps, { actor, nodeId: node.id, days, movesTo });
const stateOf = async (of: FakeNode) =>
  (await describeNodes(world.deps.db, world.deps.clock.now())).find((state) => state.node.id === of.id);

/** The best available server, with no address left. */
async function fullServer(): Promise<FakeNode> {
  const full = await enrolFakeNode(world, { addressLimit: 1 });
  await create(full, 'تنها', {}, await world.user());
  await sql`UPDATE node_presence SET load = 0 WHERE node_id = ${full.id}`.execute(world.deps.db);
  return full;
}

/** A user with an empty wallet and a plan that covers one device and so many bytes. */
async function withPlanOnly(megabytes: number, maxDevices = 1): Promise<void> {
  const trafficLimitBytes = BigInt(megabytes) * 1_000_000n;
  await changePlan(world, 'basic', { priceToman: 80_000n, trafficLimitBytes, maxDevices });
  user = await world.user({ usdCents: 100 });
  await user.api.purchaseSubscription({ body: { plan_id: 'basic' } });
  expect((await wallet()).balance).toBe(0);
}

describe('where to', () => {
  test('a full server does not stop the move: the next best one takes them', async () => {
    const full = await fullServer();
    for (const name of ['گوشی', 'تبلت']) await create(node, name);
    await retire(7);
    await leaveServers(world.deps);
    expect((await configs()).filter(({ server }) => server.id === other.id)).toHaveLength(2);
    expect(await stateOf(full)).toMatchObject({ configs: 1 });
    expect(await moves()).toHaveLength(2);
  });

  test('if the operator named a full one they wait, and still end on the day', async () => {
    const full = await fullServer();
    const old = await create(node, 'گوشی');
    await retire(7, full.id);
    await leaveServers(world.deps);
    expect(await configs()).toMatchObject([{ id: old.id, name: 'گوشی' }]);
    expect(await moves()).toEqual([]);
    // On that day it is still online, and still full.
    await sql`UPDATE node_presence SET seen_at = ${addDays(new Date(), 7.1)} WHERE node_id = ${full.id}`.execute(
      world.deps.db,
    );
    await leaveServers(later(7.1));
    expect(await configs()).toEqual([]);
    expect(await moves()).toMatchObject([{ name: 'گوشی', hasFile: false }]);
    await node.sync();
    await node.report([{ config: old.id, final: true }]);
    expect(await stateOf(node)).toMatchObject({ configs: 0 });
  });

  test('a full one does not delay the configs of a revoked server either', async () => {
    const full = await fullServer();
    await create(node, 'گوشی');
    await revokeNode(world.deps, { actor, nodeId: node.id, movesTo: full.id });
    await leaveServers(world.deps);
    expect(await configs()).toEqual([]);
    expect(await moves()).toMatchObject([{ hasFile: false }]);
    expect((await wallet()).reserved).toBe(0);
    expect(await stateOf(node)).toMatchObject({ configs: 0 });
  });

  test('configs that can go nowhere do not delay those that can', async () => {
    const { id } = await create(node, 'گوشی');
    await sql`
      INSERT INTO config (id, user_id, node_id, name, protocol, credential, client_secret_sealed, private_key_sealed, slot,
        created_at)
      SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, user_id, node_id, 'o' || n, 'openvpn',
        'key ' || n, 'sealed', 'sealed', slot + n, created_at - interval '1 day'
      FROM config, generate_series(1, 450) AS n WHERE id = ${id}
    `.execute(world.deps.db);
    await retire(7);
    await leaveServers(world.deps);
    await sql`UPDATE config SET deleted_at = now(), removed_at = now() WHERE protocol = 'openvpn'`.execute(
      world.deps.db,
    );
    expect((await configs()).map(({ server }) => server.id).sort()).toEqual([node.id, other.id].sort());
  });
});

describe('the day', () => {
  test('revoking a server that is being retired ends everything at once and returns its leases', async () => {
    const old = await create(node, 'گوشی');
    const own = await create(node, 'کلید دستگاه', ownKey());
    await retire(90);
    await leaveServers(world.deps);
    expect(await configs()).toHaveLength(3);
    await revokeNode(world.deps, { actor, nodeId: node.id, movesTo: null });
    await leaveServers(world.deps);
    expect(await configs()).toMatchObject([{ name: 'گوشی', server: { id: other.id } }]);
    const { rows } = await sql<{ final: boolean }>`
      SELECT final FROM meter WHERE config_id = ANY (${[old.id, own.id]}::uuid[])
    `.execute(world.deps.db);
    expect(rows).toEqual([{ final: true }, { final: true }]);
    expect(await stateOf(node)).toMatchObject({ configs: 0 });
  });

  test('moves when the operator changes it, either way, and users are notified of the new one', async () => {
    const old = await create(node, 'گوشی');
    const days = [await retire(2)];
    await leaveServers(world.deps);
    days.push(await retire(9));
    await leaveServers(world.deps);
    await leaveServers(later(2.1));
    expect((await configs()).map(({ id }) => id)).toContain(old.id);
    days.push(await retire(1));
    await leaveServers(world.deps);
    await leaveServers(world.deps);
    await leaveServers(later(1.1));
    expect(await configs()).toMatchObject([{ name: 'گوشی', server: { id: other.id } }]);
    expect(await moves()).toEqual(
      days.map((day) => ({ name: 'گوشی', endsAt: day.toISOString(), country: 'DE', hasFile: true })),
    );
  });

  test('is cancelled when the server is active again; what was moved still ends on the announced day', async () => {
    const old = await create(node, 'گوشی');
    const own = await create(node, 'کلید دستگاه', ownKey());
    await retire(3);
    await leaveServers(world.deps);
    expect(await stateOf(node)).toMatchObject({ configs: 2, leaving: 2 });
    await activateNode(world.deps, { actor, nodeId: node.id });
    await leaveServers(world.deps);
    expect(await stateOf(node)).toMatchObject({ configs: 2, leaving: 1 });
    expect((await configs()).map(({ id }) => id)).toEqual(expect.arrayContaining([old.id, own.id]));
    await leaveServers(later(3.1));
    const left = (await configs()).map(({ id }) => id);
    expect(left).toHaveLength(2);
    expect(left).toContain(own.id);
    expect(left).not.toContain(old.id);
  });
});

describe('a plan', () => {
  test('covers the replacement, and the config that it replaces does not count as a device', async () => {
    await withPlanOnly(1_000);
    const old = await create(node, 'گوشی');
    await retire(7);
    await leaveServers(world.deps);
    await other.settle();
    const { id } = await configOn(other);
    expect(other.limitOf(id)).toBeGreaterThan(0);
    for (const [server, config] of [
      [node, old.id],
      [other, id],
    ] as const) {
      // Each uses more than its first lease.
      for (let used = 0; used < 40_000_000; ) {
        used = Math.min(40_000_000, server.limitOf(config));
        await server.report([{ config, down: used }]);
        await server.sync();
      }
    }
    expect((await configs()).map(({ service }) => service)).toEqual(['ok', 'ok']);
    // Together they count as the plan's only device.
    const third = await create(other, 'دومی');
    expect(other.limitOf(third.id)).toBe(0);
    expect((await configs()).find(({ id }) => id === third.id)?.service).toBe('no_balance');
  });

  test('also gives the first lease after a revocation: the wallet is not touched', async () => {
    await changePlan(world, 'basic', { priceToman: 80_000n, trafficLimitBytes: 10n ** 9n, maxDevices: 1 });
    await user.api.purchaseSubscription({ body: { plan_id: 'basic' } });
    await create(node, 'گوشی');
    await revokeNode(world.deps, { actor, nodeId: node.id, movesTo: null });
    await leaveServers(world.deps);
    await other.settle();
    expect(other.limitOf((await configOn(other)).id)).toBeGreaterThan(0);
    expect((await wallet()).reserved).toBe(0);
  });
});

describe('what a lease gives back', () => {
  test('goes to the replacement of a revoked server when the whole wallet was reserved there', async () => {
    user = await world.user({ usdCents: 1 });
    const { id } = await create(node, 'گوشی');
    // At this speed its lease takes the whole wallet.
    await sql`UPDATE meter SET sampled_at = now() - interval '1 second' WHERE config_id = ${id}`.execute(world.deps.db);
    await node.report([{ config: id, down: 30_000_000 }]);
    const before = await wallet();
    expect(before.reserved).toBeGreaterThan(700);
    expect(before.reserved).toBe(before.balance);
    await revokeNode(world.deps, { actor, nodeId: node.id, movesTo: null });
    await leaveServers(world.deps);
    const { id: replacement } = await configOn(other);
    await isServed(other, replacement);
  });

  test('goes to the replacement when the whole plan was leased there', async () => {
    await withPlanOnly(10);
    await create(node, 'گوشی');
    await revokeNode(world.deps, { actor, nodeId: node.id, movesTo: null });
    await leaveServers(world.deps);
    const { id: replacement } = await configOn(other);
    await isServed(other, replacement);
  });

  test('goes to another device when the last reading returns bytes of a plan, and no money', async () => {
    await withPlanOnly(20, 2);
    const full = await create(node, 'پر');
    const empty = await create(node, 'خالی');
    await node.report([{ config: empty.id, down: node.limitOf(empty.id) }]);
    const before = node.limitOf(empty.id);
    await user.api.deleteConfig({ params: { id: full.id } });
    await node.sync();
    await node.report([{ config: full.id, down: 0, final: true }]);
    await eventually(async () => {
      await node.sync();
      return node.limitOf(empty.id) > before || undefined;
    });
  });

  async function isServed(server: FakeNode, config: string): Promise<void> {
    await eventually(async () => {
      await server.sync();
      return server.limitOf(config) > 0 || undefined;
    });
  }
});
