import { limits } from '@raha/contract/limits.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { receiveUsageReport } from '../../src/modules/billing/receive-usage-report.ts';
import { findNode } from '../../src/modules/fleet/nodes.ts';
import { createNodeProbe } from '../../src/modules/fleet/probe-node.ts';
import { forgetOldConnections } from '../../src/modules/metering/connections.ts';
import { addDays, addSeconds } from '../../src/platform/clock.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** Servers as users see them: their measurements, liveness probes and the history of connections. */
let world: TestWorld;
let node: FakeNode;
let user: TestUser;
let config: string;
let down = 0;

beforeAll(async () => {
  world = await openTestWorld();
});
beforeEach(async () => {
  node = await enrolFakeNode(world);
  user = await world.user();
  const { data } = await user.api.createConfig({ body: { name: 'گوشی', serverId: node.id, keepKey: true } });
  config = data.config.id;
  down = 0;
  await node.settle();
});
afterAll(() => world.close());

/** A report `seconds` ahead: one tunnel status with that handshake age, and so many more bytes. */
async function report(seconds: number, sign: { ageSeconds: number; pingMs?: number } | undefined, bytes = 0) {
  down += bytes;
  node.seq += 1;
  const now = addSeconds(world.deps.clock.now(), seconds);
  const tunnels = sign ? [{ config, handshakeAgeSeconds: sign.ageSeconds, pingMs: sign.pingMs ?? null }] : [];
  await receiveUsageReport(
    { ...world.deps, clock: { now: () => now } },
    node.id,
    node.makeReport([{ config, down }], { tunnels }),
  );
}

const history = async (query: { page?: number; per_page?: number } = {}, of = user) =>
  (await of.api.listConnections({ query })).data;
const server = async () => (await user.api.getServer({ params: { id: node.id } })).data.server;

describe('a server', () => {
  test('has the median round trip to its devices, and a score from it and its load', async () => {
    expect(await server()).toMatchObject({ ping: null, isOnline: true });
    const unmeasured = (await server()).recommendationScore;
    const tunnels = [30, 90, 41].map((pingMs) => ({ config, handshakeAgeSeconds: 3, pingMs }));
    await node.report([], { tunnels });
    expect((await server()).ping).toBe(41);
    // 45 ms is assumed for a server without a measurement.
    expect((await server()).recommendationScore).toBeGreaterThan(unmeasured);
    // A report without a round trip keeps the last one.
    await node.report([], { tunnels: [{ config, handshakeAgeSeconds: 3, pingMs: null }] });
    expect((await server()).ping).toBe(41);
    await node.report([], { tunnels: [{ config, handshakeAgeSeconds: 3, pingMs: 400 }] });
    expect((await server()).recommendationScore).toBe(45);
    const own = (await user.api.listConfigs()).data.configs[0];
    expect(own?.server.ping).toBe(400);
    await sql`UPDATE node_presence SET pinged_at = pinged_at - make_interval(mins => ${limits.connection.pingFreshMinutes})
      WHERE node_id = ${node.id}`.execute(world.deps.db);
    expect((await server()).ping).toBeNull();
  });

  test('is not found by a wrong id, and not shown to a user without access', async () => {
    const params = { id: '00000000-0000-7000-8000-00000000dead' };
    for (const call of ['getServer', 'testServer', 'getStatsOfServer'] as const) {
      await expect(user.api[call]({ params })).rejects.toMatchObject({ code: 'not_found' });
      const passive = await world.user({ usdCents: 0 });
      await expect(passive.api[call]({ params: { id: node.id } })).rejects.toMatchObject({
        code: 'activation_required',
      });
    }
    await expect(user.api.testConnection({ body: { serverId: params.id } })).rejects.toMatchObject({ status: 404 });
  });

  test('answers a probe while it is alive, and is reported as unreachable when it is not', async () => {
    const asking = node.sync(10);
    const tested = user.api.testServer({ params: { id: node.id } });
    // The probe ends the long poll, and a node polls again at once. If it came before the poll, the poll is the answer.
    const askingAgain = asking.then(() => node.sync());
    const { data } = await tested;
    expect(data).toMatchObject({ reachable: true, server: { id: node.id } });
    expect(data.answerMs).toBeGreaterThanOrEqual(0);
    // Calls within the next seconds get the same answer without another probe.
    const again = await user.api.testConnection({ body: { serverId: node.id } });
    expect(again.data).toMatchObject({
      testedAt: data.testedAt,
      yours: [{ configId: config, connected: false, ping: null }],
    });
    expect((await asking).kind).toBe('unchanged');
    await askingAgain;
    const silent = await enrolFakeNode(world);
    const { data: nothing } = await user.api.testServer({ params: { id: silent.id } });
    expect(nothing).toMatchObject({ reachable: false, answerMs: null });
  });

  test('is probed again: the first signal is lost while its poll does not wait for changes yet', async () => {
    const { db, clock, bus } = world.deps;
    let signals = 0;
    const notYetHeard: typeof bus = {
      ...bus,
      announce: async (tx, signal, payload) => {
        signals += 1;
        if (signals > 1) await bus.announce(tx, signal, payload);
      },
    };
    const askedAt = async () => (await findNode(db, node.id))?.polled_at?.getTime();
    const before = await askedAt();
    const asking = node.sync(10).then(() => node.sync());
    await expect.poll(askedAt).not.toBe(before);
    const { answerMs } = await createNodeProbe({ db, clock, bus: notYetHeard })(node.id);
    expect(answerMs).not.toBeNull();
    await asking;
  });

  test('shows the number of connected devices, and the user’s own', async () => {
    await report(0, { ageSeconds: 2, pingMs: 20 }, 5_000_000);
    const other = await world.user();
    const stats = async (of: TestUser) => (await of.api.getStatsOfServer({ params: { id: node.id } })).data;
    expect(await stats(user)).toMatchObject({
      connectedDevices: 1,
      yours: { configs: 1, connected: 1, traffic: 5_000_000 },
    });
    expect((await stats(other)).yours).toEqual({ configs: 0, connected: 0, traffic: 0 });
  });
});

describe('the current connection', () => {
  const status = async () => (await user.api.connectionStatus()).data;
  const metrics = async () => (await user.api.connectionMetrics()).data;

  test('is waiting until the device connects, and ends when the device leaves', async () => {
    expect((await user.api.connect({ body: { configId: config } })).data.state).toBe('waiting');
    await report(0, { ageSeconds: 0 });
    expect((await status()).state).toBe('connected');
    await report(0, { ageSeconds: 400 });
    expect(await status()).toMatchObject({ state: 'disconnected', currentConfig: null });
    expect((await user.api.connect({ body: { configId: config } })).data.state).toBe('waiting');
  });

  test('has its own bytes, not those of the connections before it', async () => {
    await report(0, { ageSeconds: 0 }, 5_000_000);
    await report(1, { ageSeconds: 400 });
    await report(2, { ageSeconds: 0 }, 2_000_000);
    expect(await metrics()).toMatchObject({ configId: config, bytesTransferred: 2_000_000 });
    await report(3, { ageSeconds: 0 }, 1_000_000);
    expect((await metrics()).bytesTransferred).toBe(3_000_000);
  });

  test('is that of the device that connected last, whichever reported last', async () => {
    const { data } = await user.api.createConfig({ body: { name: 'لپ‌تاپ', serverId: node.id, keepKey: true } });
    await node.settle();
    const second = data.config.id;
    const sign = (of: string, handshakeAgeSeconds: number) => ({ config: of, handshakeAgeSeconds, pingMs: null });
    await node.report([], { tunnels: [sign(config, 5)] });
    expect((await status()).currentConfig?.id).toBe(config);
    for (const ages of [[1, 9] as const, [9, 1] as const, [1, 9] as const]) {
      await node.report([], { tunnels: [sign(config, ages[0]), sign(second, ages[1])] });
      expect((await status()).currentConfig?.id).toBe(second);
      expect((await metrics()).configId).toBe(second);
    }
    await node.report([], { tunnels: [sign(second, 400)] });
    expect((await status()).currentConfig?.id).toBe(config);
  });
});

describe('the history of connections', () => {
  test('a connection begins with the first handshake, ends with the last, and has its bytes', async () => {
    expect((await history()).connections).toEqual([]);
    await report(0, { ageSeconds: 1 }, 3_000_000);
    await report(10, { ageSeconds: 11 }, 4_000_000);
    const [open] = (await history()).connections;
    expect(open).toMatchObject({ configId: config, configName: 'گوشی', endedAt: null, bytes: 7_000_000 });
    expect(open?.server).toMatchObject({ id: node.id, location: { country: 'DE' } });
    await report(200, { ageSeconds: 190 });
    const [over] = (await history()).connections;
    expect(over?.endedAt).not.toBeNull();
    expect(over?.duration).toBeGreaterThanOrEqual(9);
    expect(over?.duration).toBeLessThan(30);
    await report(300, { ageSeconds: 1 }, 2_000_000);
    await report(600, { ageSeconds: 200 });
    const { connections, pagination } = await history();
    expect(connections.map(({ bytes }) => bytes)).toEqual([2_000_000, 7_000_000]);
    expect(pagination).toEqual({ page: 1, total_pages: 1, total: 2 });
    expect((await history({ page: 2, per_page: 1 })).connections).toEqual(connections.slice(1));
  });

  test('a device that returns after a silence starts a new connection; every byte is in one connection', async () => {
    await report(0, { ageSeconds: 0 }, 1_000_000);
    await report(1_000, { ageSeconds: 0 }, 1_000_000);
    const { connections } = await history();
    expect(connections).toHaveLength(2);
    expect(connections.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(2_000_000);
  });

  test('repeated reports and steady tunnels write nothing more', async () => {
    node.seq += 1;
    const repeated = node.makeReport([{ config, down: 1_000_000 }], {
      tunnels: [{ config, handshakeAgeSeconds: 1, pingMs: 30 }],
    });
    await Promise.all([node.send(repeated), node.send(repeated), node.send(repeated)]);
    for (let n = 0; n < 5; n++) await node.report([], { tunnels: [{ config, handshakeAgeSeconds: n, pingMs: 30 }] });
    expect((await history()).connections).toHaveLength(1);
  });

  test('a node that stops reporting leaves no connection open for ever', async () => {
    await report(-3_600, { ageSeconds: 5 }, 1_000_000);
    const [connection] = (await history()).connections;
    expect(connection?.endedAt).not.toBeNull();
    expect(connection?.bytes).toBe(1_000_000);
  });

  test('is shown to its user only, holds no address, and is deleted after its days; byte counts continue from the last one', async () => {
    await report(0, { ageSeconds: 0 }, 1_000_000);
    await report(300, { ageSeconds: 200 });
    await report(600, { ageSeconds: 0 }, 2_000_000);
    await report(900, { ageSeconds: 200 });
    expect((await history({}, await world.user())).connections).toEqual([]);
    const columns = await sql<{ name: string }>`
      SELECT column_name AS name FROM information_schema.columns WHERE table_name IN ('connection', 'tunnel')
    `.execute(world.deps.db);
    expect(columns.rows.map(({ name }) => name).sort()).toEqual(
      ['config_id', 'started_at', 'ended_at', 'start_bytes', 'end_bytes']
        .concat('config_id', 'connected_since', 'last_handshake_at', 'ping_ms')
        .sort(),
    );
    const later = addDays(world.deps.clock.now(), limits.keptDays.connections + 1);
    await forgetOldConnections(world.deps.db, later);
    expect((await history()).connections).toHaveLength(1);
    await report(1_200, { ageSeconds: 0 }, 500_000);
    expect((await history()).connections[0]?.bytes).toBe(500_000);
  });
});
