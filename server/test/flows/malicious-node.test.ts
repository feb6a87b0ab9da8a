import { createHash } from 'node:crypto';
import { limits } from '@raha/contract/limits.ts';
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
 * What a node can do against its owner's will: report false figures, send reports for other nodes, repeat reports, be
 * copied, or have its enrolment token stolen. Each is refused, or contained to the leases of that one node; and the operator
 * sees it (`raha nodes list`, `SUSPICIOUS`). A node that does none of this never appears in that list.
 */
let world: TestWorld;
let user: TestUser;
/** The node with the user's config; honest unless a test states otherwise. */
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

describe('false reports', () => {
  test('an honest node has no anomalies', async () => {
    expect(await anomaliesOf(node)).toEqual({});
  });

  test.each([
    ['negative bytes', { up: -1 }],
    ['half a byte', { up: 0.5 }],
    ['more than JSON holds', { up: 2 ** 53 }],
    ['an invalid config id', { config: 'x' }],
    ['a negative version', { leaseVersion: -1 }],
  ])('%s: the whole report is refused', async (_what, sample) => {
    const before = await meter();
    await expect(node.report([{ config, ...sample }])).rejects.toMatchObject({ status: 422 });
    node.seq -= 1;
    expect(await meter()).toEqual(before);
  });

  test.each([
    ['one direction', { up: Number.MAX_SAFE_INTEGER }],
    ['both directions', { up: Number.MAX_SAFE_INTEGER, down: Number.MAX_SAFE_INTEGER }],
    ['the last total for good', { down: Number.MAX_SAFE_INTEGER, final: true }],
    ['just above the limit', { up: limits.node.maxTotalBytes + 1 }],
  ])('more bytes than a counter can hold, %s: refused, and an anomaly', async (_what, sample) => {
    const before = await meter();
    await expect(node.report([{ config, ...sample }])).rejects.toMatchObject({ status: 400 });
    node.seq -= 1;
    expect(await meter()).toEqual(before);
    expect(await anomaliesOf(node)).toEqual({ impossible_numbers: 1 });
    await forgetAnomalies(world.deps.db, node.id);
  });

  const huge = Number.MAX_SAFE_INTEGER;
  test.each<[string, Partial<UsageReport>]>([
    ['ageMs', { ageMs: huge }],
    ['handshakeAgeSeconds', { tunnels: [{ config: '', handshakeAgeSeconds: huge, pingMs: 1 }] }],
    ['pingMs', { tunnels: [{ config: '', handshakeAgeSeconds: 1, pingMs: 1e300 }] }],
    ['a negative pingMs', { tunnels: [{ config: '', handshakeAgeSeconds: 1, pingMs: -1e300 }] }],
    ['unmeteredUpperBoundBytes', { health: { unmeteredUpperBoundBytes: huge } as UsageReport['health'] }],
    ['clockOffsetMs', { health: { clockOffsetMs: -huge } as UsageReport['health'] }],
    ['disk', { health: { disk: { freeBytes: huge, totalBytes: huge } } as UsageReport['health'] }],
    ['blockedNames', { health: { blockedNames: huge } as UsageReport['health'] }],
    ['leaseVersion', { samples: [{ config: '', up: 0, down: 0, leaseVersion: huge }] }],
  ])('the largest number as %s is refused or bounded, never an error of ours', async (_what, fields) => {
    const own = <T extends { config: string }>(list: readonly T[] = []) => list.map((one) => ({ ...one, config }));
    node.seq += 1;
    const report = node.makeReport([]);
    const health = { ...report.health, ...fields.health };
    const tunnels = own(fields.tunnels);
    const samples = own(fields.samples);
    const sent = { ...report, ...fields, tunnels, samples, health };
    const answer = await node.send(sent).catch((error: { status: number }) => error);
    expect([undefined, 400, 422]).toContain('status' in answer ? answer.status : undefined);
    await user.api.listConfigs({});
    await forgetAnomalies(world.deps.db, node.id);
  });

  // Found by the fuzzer.
  test('a version with characters that no version has is refused', async () => {
    node.seq += 1;
    const report = node.makeReport([]);
    const sent = { ...report, health: { ...report.health, agentVersion: '1.0\u0000' } };
    await expect(node.send(sent)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test('a total that goes back takes nothing back, and gives nothing twice', async () => {
    const before = await meter();
    await node.report([{ config, down: 10 }]);
    await node.report([{ config, down: 1_000_000 }]);
    expect(await meter()).toEqual(before);
  });

  test('configs of another node: not a byte, no last reading and nothing of their user is touched', async () => {
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

  test('a node receives its own configs only, and nothing about any user', async () => {
    const stranger = await enrolFakeNode(world);
    await stranger.sync();
    expect(stranger.peers.size).toBe(0);
    node.applied = 0;
    const received = JSON.stringify(await node.sync());
    for (const secret of [user.id, user.email, 'گوشی']) expect(received).not.toContain(secret);
  });

  test('more bytes than its lease: billed up to the lease, the rest is an anomaly', async () => {
    const liar = await enrolFakeNode(world);
    const { data } = await user.api.createConfig({ body: { name: 'دروغ', serverId: liar.id } });
    await liar.settle();
    const lease = liar.limitOf(data.config.id);
    const reserved = BigInt((await user.api.getWallet()).data.reserved);
    await liar.report([{ config: data.config.id, down: 1e15 }]);
    const { rows } = await sql<{ billed: bigint; unbilled: bigint }>`
      SELECT billed_bytes AS billed, unbilled_bytes AS unbilled FROM meter WHERE config_id = ${data.config.id}
    `.execute(world.deps.db);
    expect(rows[0]).toEqual({ billed: BigInt(lease), unbilled: BigInt(1e15 - lease) });
    expect(reserved).toBeGreaterThan(0n);
    expect(await anomaliesOf(liar)).toEqual({ beyond_lease: 1 });
    // Recorded once: later reports that stay within the rules add nothing.
    for (let round = 1; round <= 20; round += 1)
      await liar.report([{ config: data.config.id, down: 1e15 + round * 1e6 }]);
    expect(await anomaliesOf(liar)).toEqual({ beyond_lease: 1 });
    await liar.report([{ config: data.config.id, down: limits.node.maxTotalBytes }]);
    expect(await anomaliesOf(liar)).toEqual({ beyond_lease: 2 });
    await world.proveLedger();
  });

  test('leases that were never granted here, as after a restored backup: no byte beyond ours is billed, and ours are taken', async () => {
    const ahead = await enrolFakeNode(world);
    const own = (await user.api.createConfig({ body: { name: 'پشتیبان', serverId: ahead.id } })).data.config.id;
    await ahead.settle();
    const known = ahead.limitOf(own);
    const lost = { config: own, down: known + 5_000_000, leaseVersion: 50 };
    const [reply] = (await ahead.report([lost])).leases;
    expect(reply?.lease.version).toBeGreaterThan(50);
    expect(reply?.lease.limitBytes).toBeGreaterThan(lost.down);
    const { rows } = await sql<{ billed: bigint; unbilled: bigint }>`
      SELECT billed_bytes AS billed, unbilled_bytes AS unbilled FROM meter WHERE config_id = ${own}
    `.execute(world.deps.db);
    expect(rows[0]).toEqual({ billed: BigInt(known), unbilled: 5_000_000n });
    expect(await anomaliesOf(ahead)).toEqual({ unknown_leases: 1 });
    // From then on everything is as always.
    await ahead.report([{ ...lost, down: lost.down + 1_000_000, leaseVersion: reply?.lease.version ?? 0 }]);
    expect((await user.api.getConfig({ params: { id: own } })).data.config.totalTraffic).toBe(lost.down + 1_000_000);
    expect(await anomaliesOf(ahead)).toEqual({ unknown_leases: 1 });
    await world.proveLedger();
  });

  test('more than its link carries: its leases grow only with time, and the anomaly is recorded', async () => {
    await setSettingByKey(world.deps.db, 'nodes.linkGbitPerSecond', '1', world.deps.clock.now());
    const liar = await enrolFakeNode(world);
    const rich = await world.user({ usdCents: 100_000 });
    const own = (await rich.api.createConfig({ body: { name: 'دروغ', serverId: liar.id } })).data.config.id;
    await liar.settle();
    const claim = () => liar.report([{ config: own, down: liar.limitOf(own) }]);
    for (let round = 0; round < 40; round += 1) await claim();
    // The horizon of 40 minutes at 10⁹ bits a second is 300 GB; the first lease comes on top.
    const claimed = liar.limitOf(own);
    expect(claimed).toBeGreaterThan(300e9);
    expect(claimed).toBeLessThan(305e9);
    expect(Object.keys(await anomaliesOf(liar))).toEqual(['beyond_link']);
    await sql`
      UPDATE node_presence SET ahead_of_link_at = ahead_of_link_at - interval '1 minute' WHERE node_id = ${liar.id}
    `.execute(world.deps.db);
    for (let round = 0; round < 10; round += 1) await claim();
    expect(liar.limitOf(own)).toBeGreaterThan(claimed);
    expect(liar.limitOf(own)).toBeLessThan(claimed + 10e9);
    await setSettingByKey(world.deps.db, 'nodes.linkGbitPerSecond', '10', world.deps.clock.now());
    await world.proveLedger();
  });

  test('block-list figures are bounded, whatever it reports', async () => {
    await node.report([], { blockedQueries: [{ config, count: 2 ** 52 }] });
    expect((await user.api.readDnsFiltering({})).data.blockedToday).toBe(100_000);
  });
});

describe('repeated reports', () => {
  test('the same report gets the same answer, a hundred times', async () => {
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

  test('a captured signature is invalid for another body, another call, another time and another node', async () => {
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
    for (const [what, sent, claims] of forged) {
      await expect(node.call('POST', '/usage-reports', sent, claims), what).rejects.toMatchObject({ status: 401 });
    }
    expect(await meter()).toEqual(before);
  });
});

describe('a copied machine', () => {
  test('the copy is detected by its first report; no byte is billed twice, and both start a new epoch', async () => {
    const original = await enrolFakeNode(world);
    const own = (await user.api.createConfig({ body: { name: 'دوتایی', serverId: original.id } })).data.config.id;
    await original.settle();
    await original.report([{ config: own, down: 1_000_000 }]);
    const copiedAt = original.seq;
    await original.report([{ config: own, down: 3_000_000 }]);

    // The copy has the original's state of that moment and its key, and continues with other traffic.
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

describe('a stolen enrolment token', () => {
  test('used twice, by anyone: the second use is refused, so the owner notices', async () => {
    const { token } = await addNode(world.deps, { name: 'taken', country: 'NL', city: 'Amsterdam' });
    const thief = await enrolWith(world, token);
    await expect(enrolWith(world, token)).rejects.toMatchObject({ code: 'enrolment_refused', status: 401 });
    await thief.sync();
    // A new node has no configs, so there is nothing to take.
    expect(thief.peers.size).toBe(0);

    // The operator gives the owner's machine another token, and the thief is excluded.
    const renewed = await renewEnrolment(world.deps, 'taken');
    const rightful = await enrolWith(world, renewed?.token as string);
    await expect(thief.report([])).rejects.toMatchObject({ code: 'node_superseded', status: 403 });
    await expect(thief.sync()).rejects.toMatchObject({ code: 'node_superseded' });
    await rightful.report([]);
    expect(await anomaliesOf(thief)).toEqual({ former_machine: 2 });
  });

  test('a forged claim to be the previous machine leaves no trace', async () => {
    const victim = await enrolFakeNode(world);
    await expect(
      victim.call('GET', `/desired-state?after=0&epoch=${victim.epoch}&wait=0`, undefined, { gen: 0 }),
    ).rejects.toMatchObject({ code: 'node_superseded' });
    expect(await anomaliesOf(victim)).toEqual({});
  });

  test('a node that took over an existing one receives no private key and nothing that decrypts earlier traffic', async () => {
    const own = await enrolFakeNode(world);
    await user.api.createConfig({ body: { name: 'قبلی', serverId: own.id } });
    await own.settle();
    const { rows } = await sql<{ name: string }>`SELECT name FROM node WHERE id = ${own.id}`.execute(world.deps.db);
    const renewed = await renewEnrolment(world.deps, rows[0]?.name as string);
    const thief = await enrolWith(world, renewed?.token as string);
    const received = JSON.stringify(await thief.sync());
    expect(thief.peers.size).toBe(1);
    expect(received).not.toMatch(/private/i);
    // The replaced machine reveals the theft when it reports again.
    await expect(own.report([])).rejects.toMatchObject({ code: 'node_superseded' });
    expect(await anomaliesOf(own)).toEqual({ former_machine: 1 });
  });

  test('a revoked node is excluded, whatever keys it holds', async () => {
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
