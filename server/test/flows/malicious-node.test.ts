import { createHash } from 'node:crypto';
import { NODE_BASE, type UsageReport } from '@raha/contract/node/protocol.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { describeNodes } from '../../src/modules/configs/describe-nodes.ts';
import { addNode, renewEnrolment } from '../../src/modules/fleet/add-node.ts';
import { forgetAnomalies, listAnomalies } from '../../src/modules/fleet/anomalies.ts';
import { enrolFakeNode, enrolWith, type FakeNode } from '../fake-node.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/**
 * What a node can do that its owner did not mean it to: it lies, speaks for others, says things twice, is copied, or its
 * enrolment token falls into other hands. Each is refused, or contained to the leases of that one node; and the operator
 * sees it (`raha nodes list`, `SUSPICIOUS`). A node that does none of this is never on that list.
 */
let world: TestWorld;
let user: TestUser;
/** The node that the user's config is on, honest unless a test says otherwise. */
let node: FakeNode;
let config: string;

beforeAll(async () => {
  world = await openTestWorld();
  user = await world.user();
  node = await enrolFakeNode(world);
  config = (await user.api.createConfig({ body: { name: 'گوشی', serverId: node.id } })).data.config.id;
  await node.settle();
  await node.report([{ config, down: 1_000_000 }]);
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

describe('reports that lie', () => {
  test('an honest node is suspected of nothing', async () => {
    expect(await anomaliesOf(node)).toEqual({});
  });

  test.each([
    ['negative bytes', { up: -1 }],
    ['half a byte', { up: 0.5 }],
    ['more than JSON holds', { up: 2 ** 53 }],
    ['a config that is no config', { config: 'x' }],
    ['a negative version', { leaseVersion: -1 }],
  ])('%s: refused whole', async (_what, sample) => {
    const before = await meter();
    await expect(node.report([{ config, ...sample }])).rejects.toMatchObject({ status: 422 });
    node.seq -= 1;
    expect(await meter()).toEqual(before);
  });

  test('a total that goes back takes nothing back, and gives nothing twice', async () => {
    const before = await meter();
    await node.report([{ config, down: 10 }]);
    await node.report([{ config, down: 1_000_000 }]);
    expect(await meter()).toEqual(before);
  });

  test("configs of another node: not one byte, no last reading, nothing of its user's", async () => {
    const liar = await enrolFakeNode(world);
    const before = [await meter(), await wallet()];
    await liar.report([{ config, up: 5e9, down: 5e9, final: true }], {
      tunnels: [{ config, handshakeAgeSeconds: 1, pingMs: 1 }],
      blockedQueries: [{ config, count: 1_000 }],
    });
    expect([await meter(), await wallet()]).toEqual(before);
    expect((await user.api.getConfig({ params: { id: config } })).data.config.connected).toBe(false);
    expect((await user.api.readDnsFiltering({})).data.blockedToday).toBe(0);
    expect(await anomaliesOf(liar)).toEqual({ foreign_configs: 1 });
  });

  test('it hears of its own configs alone, and of no user at all', async () => {
    const stranger = await enrolFakeNode(world);
    await stranger.sync();
    expect(stranger.peers.size).toBe(0);
    node.applied = 0;
    const told = JSON.stringify(await node.sync());
    for (const secret of [user.id, user.email, 'گوشی']) expect(told).not.toContain(secret);
  });

  test('more bytes than its lease: billed up to the lease, the rest an alarm', async () => {
    const liar = await enrolFakeNode(world);
    const { data } = await user.api.createConfig({ body: { name: 'دروغ', serverId: liar.id } });
    await liar.settle();
    const lease = liar.limitOf(data.config.id);
    const reserved = BigInt((await user.api.getWallet()).data.reserved);
    await liar.report([{ config: data.config.id, down: 8e15 }]);
    const { rows } = await sql<{ billed: bigint; unbilled: bigint }>`
      SELECT billed_bytes AS billed, unbilled_bytes AS unbilled FROM meter WHERE config_id = ${data.config.id}
    `.execute(world.deps.db);
    expect(rows[0]).toEqual({ billed: BigInt(lease), unbilled: BigInt(8e15 - lease) });
    expect(reserved).toBeGreaterThan(0n);
    expect(await anomaliesOf(liar)).toEqual({ beyond_lease: 1 });
    // Said once: what has been is no news, however long it goes on as it should.
    for (let turn = 1; turn <= 20; turn += 1) await liar.report([{ config: data.config.id, down: 8e15 + turn * 1e6 }]);
    expect(await anomaliesOf(liar)).toEqual({ beyond_lease: 1 });
    await liar.report([{ config: data.config.id, down: 9e15 - 1 }]);
    expect(await anomaliesOf(liar)).toEqual({ beyond_lease: 2 });
    await world.proveLedger();
  });

  test('more than its link carries: it gets no more to claim than time gives it, and is found out', async () => {
    await setSettingByKey(world.deps.db, 'nodes.linkGbitPerSecond', '1', world.deps.clock.now());
    const liar = await enrolFakeNode(world);
    const rich = await world.user({ usdCents: 5_000 });
    const own = (await rich.api.createConfig({ body: { name: 'دروغ', serverId: liar.id } })).data.config.id;
    await liar.settle();
    const claim = () => liar.report([{ config: own, down: liar.limitOf(own) }]);
    for (let round = 0; round < 40; round += 1) await claim();
    // Ten minutes of 10⁹ bits a second are 75 GB; the leases that were out by then came on top.
    const claimed = liar.limitOf(own);
    expect(claimed).toBeGreaterThan(75e9);
    expect(claimed).toBeLessThan(80e9);
    expect(await anomaliesOf(liar)).toEqual({ beyond_link: 1 });
    await sql`
      UPDATE node_presence SET ahead_of_link_at = ahead_of_link_at - interval '1 minute' WHERE node_id = ${liar.id}
    `.execute(world.deps.db);
    for (let round = 0; round < 10; round += 1) await claim();
    expect(liar.limitOf(own)).toBeGreaterThan(claimed);
    expect(liar.limitOf(own)).toBeLessThan(claimed + 12e9);
    await setSettingByKey(world.deps.db, 'nodes.linkGbitPerSecond', '10', world.deps.clock.now());
    await world.proveLedger();
  });

  test('figures of the block list are bounded, whatever it claims', async () => {
    await node.report([], { blockedQueries: [{ config, count: 2 ** 52 }] });
    expect((await user.api.readDnsFiltering({})).data.blockedToday).toBe(100_000);
  });
});

describe('reports that come again', () => {
  test('the same words are the same answer, a hundred times', async () => {
    node.seq += 1;
    const report = node.makeReport([{ config, down: 2_000_000 }], { blockedQueries: [{ config, count: 7 }] });
    const before = (await user.api.readDnsFiltering({})).data.blockedToday;
    const first = await node.send(report);
    const after = await meter();
    for (let again = 0; again < 100; again += 1) expect((await node.send(report)).ackSeq).toBe(first.ackSeq);
    expect(await meter()).toEqual(after);
    expect((await user.api.readDnsFiltering({})).data.blockedToday).toBe(before + 7);
    expect(await anomaliesOf(node)).toEqual({});
  });

  test('overheard and sent by another: for another body, another call, another time it is no signature', async () => {
    const report = node.makeReport([{ config, down: 3_000_000 }]);
    const body = JSON.stringify(report);
    const old = Math.floor(Date.now() / 1000) - 3_600;
    const forged: readonly [string, UsageReport, Record<string, unknown>][] = [
      ['changed', { ...report, seq: report.seq + 1 }, { bh: createHash('sha256').update(body).digest('base64url') }],
      ['kept for an hour', report, { iat: old, exp: old + 60 }],
      ['made for another call', report, { htu: `${NODE_BASE}/desired-state` }],
      ['signed as another node', report, { sub: (await enrolFakeNode(world)).id }],
    ];
    const before = await meter();
    for (const [what, words, claims] of forged) {
      await expect(node.call('POST', '/usage-reports', words, claims), what).rejects.toMatchObject({ status: 401 });
    }
    expect(await meter()).toEqual(before);
  });
});

describe('a machine that exists twice', () => {
  test('the copy is found out by its first report; no byte is billed twice, and both count anew from there', async () => {
    const original = await enrolFakeNode(world);
    const own = (await user.api.createConfig({ body: { name: 'دوتایی', serverId: original.id } })).data.config.id;
    await original.settle();
    await original.report([{ config: own, down: 1_000_000 }]);
    const copiedAt = original.seq;
    await original.report([{ config: own, down: 3_000_000 }]);

    // The copy knows what the original knew then, its key too, and goes on from there with other traffic.
    original.seq = copiedAt;
    const copied = await original.report([{ config: own, down: 2_500_000 }]);
    expect(copied).toMatchObject({ epoch: 'mint-epoch', leases: [] });
    expect((await user.api.getConfig({ params: { id: own } })).data.config.totalTraffic).toBe(3_000_000);
    expect(await anomaliesOf(original)).toEqual({ cloned: 1 });
    const shown = (await describeNodes(world.deps.db, new Date())).find(({ node }) => node.id === original.id);
    expect(shown?.warnings).toContainEqual(expect.stringMatching(/^SUSPICIOUS: cloned, 1 times, last 20/));
    await forgetAnomalies(world.deps.db, original.id);
    expect(await anomaliesOf(original)).toEqual({});
    await world.proveLedger();
  });
});

describe('an enrolment token in other hands', () => {
  test('used twice, by whoever: the second is refused, and the rightful one notices', async () => {
    const { token } = await addNode(world.deps, { name: 'taken', country: 'NL', city: 'Amsterdam' });
    const thief = await enrolWith(world, token);
    await expect(enrolWith(world, token)).rejects.toMatchObject({ code: 'enrolment_refused', status: 401 });
    await thief.sync();
    // A new node has no configs: there is nothing to take.
    expect(thief.peers.size).toBe(0);

    // The operator gives the rightful machine another token, and the thief is out.
    const renewed = await renewEnrolment(world.deps, 'taken');
    const rightful = await enrolWith(world, renewed?.token as string);
    await expect(thief.report([])).rejects.toMatchObject({ code: 'node_superseded', status: 403 });
    await expect(thief.sync()).rejects.toMatchObject({ code: 'node_superseded' });
    await rightful.report([]);
    expect(await anomaliesOf(thief)).toEqual({ former_machine: 2 });
  });

  test('who only claims to be the machine of before leaves no trace: a flag cannot be forged', async () => {
    const victim = await enrolFakeNode(world);
    await expect(
      victim.call('GET', `/desired-state?after=0&epoch=${victim.epoch}&wait=0`, undefined, { gen: 0 }),
    ).rejects.toMatchObject({ code: 'node_superseded' });
    expect(await anomaliesOf(victim)).toEqual({});
  });

  test('a node that took over an existing one is shown no private key, and nothing that opens what devices sent before', async () => {
    const own = await enrolFakeNode(world);
    await user.api.createConfig({ body: { name: 'پیشین', serverId: own.id } });
    await own.settle();
    const { rows } = await sql<{ name: string }>`SELECT name FROM node WHERE id = ${own.id}`.execute(world.deps.db);
    const renewed = await renewEnrolment(world.deps, rows[0]?.name as string);
    const thief = await enrolWith(world, renewed?.token as string);
    const told = JSON.stringify(await thief.sync());
    expect(thief.peers.size).toBe(1);
    expect(told).not.toMatch(/private/i);
    // The machine it pushed out says so by coming back.
    await expect(own.report([])).rejects.toMatchObject({ code: 'node_superseded' });
    expect(await anomaliesOf(own)).toEqual({ former_machine: 1 });
  });

  test('a revoked node is out, whatever it holds', async () => {
    const gone = await enrolFakeNode(world);
    await sql`UPDATE node SET status = 'revoked' WHERE id = ${gone.id}`.execute(world.deps.db);
    await expect(gone.report([])).rejects.toMatchObject({ code: 'node_superseded' });
    await expect(gone.sync()).rejects.toMatchObject({ code: 'node_superseded' });
  });
});

async function anomaliesOf({ id }: FakeNode): Promise<Record<string, number>> {
  const own = (await listAnomalies(world.deps.db)).filter((anomaly) => anomaly.node_id === id);
  return Object.fromEntries(own.map(({ kind, occurrences }) => [kind, Number(occurrences)]));
}

async function meter() {
  const { rows } = await sql`
    SELECT epoch, epoch_up, epoch_down, total_up, total_down, billed_bytes, unbilled_bytes, final FROM meter
    WHERE config_id = ${config}
  `.execute(world.deps.db);
  return rows[0];
}

async function wallet() {
  return (await user.api.getWallet()).data;
}
