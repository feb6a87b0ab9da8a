import { limits } from '@raha/contract/limits.ts';
import { NODE_BASE } from '@raha/contract/node/protocol.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addNode, renewEnrolment } from '../../src/modules/fleet/add-node.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { enrolFakeNode, enrolWith, type FakeNode } from '../fake-node.ts';
import { openTestWorld, type TestWorld } from '../world.ts';

let world: TestWorld;
let node: FakeNode;

beforeAll(async () => {
  world = await openTestWorld();
  node = await enrolFakeNode(world);
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

describe('enrolment', () => {
  test('a token works once', async () => {
    const { token } = await addNode(world.deps, { name: 'once', country: 'NL', city: 'Amsterdam' });
    await enrolWith(world, token);
    await expect(enrolWith(world, token)).rejects.toMatchObject({ code: 'enrolment_refused', status: 401 });
    await expect(enrolWith(world, 'x')).rejects.toMatchObject({ code: 'enrolment_refused' });
  });

  test('the same key with the same token gets the same answer again: a lost answer costs no token', async () => {
    const { token } = await addNode(world.deps, { name: 'again', country: 'NL', city: 'Amsterdam' });
    const body = JSON.stringify({
      token,
      publicKey: 'A'.repeat(43),
      wireguardPublicKey: `${'B'.repeat(42)}A=`,
      agentVersion: 'x',
    });
    const enrol = async () => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
      return await (await fetch(`${world.origin}${NODE_BASE}/enrol`, init)).json();
    };
    expect(await enrol()).toEqual(await enrol());
  });

  test('a token never looks like an option on the command line', async () => {
    await addNode(world.deps, { name: 'plain', country: 'NL', city: 'Amsterdam' });
    // One random token in 64 would begin with a hyphen: 300 of them contain at least one, but for one run in a hundred.
    for (let count = 0; count < 300; count++) {
      const renewed = await renewEnrolment(world.deps, 'plain');
      expect(renewed?.token).toMatch(/^\w/);
    }
  });

  test('a token ends after 15 minutes', async () => {
    const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
    const own = await openTestWorld({ clock });
    try {
      const { token } = await addNode(own.deps, { name: 'late', country: 'NL', city: 'Amsterdam' });
      clock.advance(15 * 60_000);
      await expect(enrolWith(own, token)).rejects.toMatchObject({ code: 'enrolment_refused' });
    } finally {
      await own.close();
    }
  });

  test('a machine set up anew replaces the old one, which is refused from then on', async () => {
    const { token } = await addNode(world.deps, { name: 'twice', country: 'NL', city: 'Amsterdam' });
    const old = await enrolWith(world, token);
    await old.report([]);
    const renewed = await renewEnrolment(world.deps, 'twice');
    const fresh = await enrolWith(world, renewed?.token as string);
    await expect(old.report([])).rejects.toMatchObject({ code: 'node_superseded', status: 403 });
    await fresh.report([]);
  });
});

describe('signatures', () => {
  test.each([
    ['for another method', { htm: 'GET' }],
    ['for another path', { htu: `${NODE_BASE}/desired-state` }],
    ['for another body', { bh: 'x' }],
    ['for another audience', { aud: 'raha-panel' }],
    ['that has expired', { iat: 1_000, exp: 1_060 }],
    ['that lives too long', { iat: Math.floor(Date.now() / 1000) - 120, exp: Math.floor(Date.now() / 1000) + 3600 }],
    ['of another node', { sub: '01a1fac7-abe1-7bc1-8014-fb8f051c013a', iss: '01a1fac7-abe1-7bc1-8014-fb8f051c013a' }],
  ])('a token %s is refused', async (_what, claims) => {
    node.seq += 1;
    await expect(node.call('POST', '/usage-reports', node.makeReport([]), claims)).rejects.toMatchObject({
      code: 'node_unauthenticated',
      status: 401,
    });
  });

  test('S11 a token for another query is refused', async () => {
    const htu = `${NODE_BASE}/desired-state?after=9&epoch=${node.epoch}&wait=0`;
    await expect(
      node.call('GET', `/desired-state?after=0&epoch=${node.epoch}&wait=0`, undefined, { htu }),
    ).rejects.toMatchObject({ code: 'node_unauthenticated' });
  });

  test('of an older registration is refused', async () => {
    await expect(
      node.call('GET', `/desired-state?after=0&epoch=${node.epoch}&wait=0`, undefined, { gen: 0 }),
    ).rejects.toMatchObject({ code: 'node_superseded' });
  });
});

describe('state', () => {
  test('a change wakes the long poll; the next poll acknowledges it', async () => {
    const user = await world.user();
    const state = await enrolFakeNode(world);
    const waiting = state.sync(20);
    const { data } = await user.api.createConfig({ body: { name: 'بیدار', serverId: state.id } });
    expect(await waiting).toMatchObject({ kind: 'delta', peers: [{ id: data.config.id }] });
  });

  test('a node that starts from nothing, or in a new epoch, gets the whole list with leases for that epoch', async () => {
    const user = await world.user();
    const own = await enrolFakeNode(world);
    const { data } = await user.api.createConfig({ body: { name: 'کامل', serverId: own.id } });
    await own.settle();
    await own.report([{ config: data.config.id, down: 1_000_000 }]);
    own.epoch = 'e'.repeat(32);
    own.seq = 0;
    expect(await own.sync()).toMatchObject({
      kind: 'snapshot',
      peers: [{ lease: { epoch: own.epoch, limitBytes: limits.lease.idleBytes - 1_000_000 } }],
    });
    await own.report([{ config: data.config.id, down: 500_000 }]);
    expect((await user.api.getConfig({ params: { id: data.config.id } })).data.config.downloaded).toBe(1_500_000);
    own.applied = 0;
    expect(await own.sync()).toMatchObject({
      kind: 'snapshot',
      peers: [{ lease: { limitBytes: limits.lease.idleBytes - 1_000_000 } }],
    });
  });

  test('the same sequence number with other figures leads to a new epoch', async () => {
    const own = await enrolFakeNode(world);
    const first = await own.report([]);
    expect(first.epoch).toBe('continue');
    const repeated = own.makeReport([]);
    expect((await own.send(repeated)).epoch).toBe('continue');
    const user = await world.user();
    const { data } = await user.api.createConfig({ body: { name: 'دوتا', serverId: own.id } });
    expect((await own.send(own.makeReport([{ config: data.config.id, up: 5 }]))).epoch).toBe('mint-epoch');
  });

  test('the money of a lowered lease is returned only when the node has confirmed it', async () => {
    const { restoreService } = await import('../../src/modules/billing/restore-service.ts');
    const user = await world.user({ usdCents: 2 });
    const own = await enrolFakeNode(world);
    const idle = (await user.api.createConfig({ body: { name: 'بیکار', serverId: own.id } })).data.config.id;
    await own.settle();
    // The first config uses its lease up until it holds nearly all of the money, then becomes idle.
    for (let used = 0; used < 300_000_000; used += 30_000_000) {
      await sql`UPDATE meter SET throughput_down = 4000000 WHERE config_id = ${idle}`.execute(world.deps.db);
      await own.report([{ config: idle, down: Math.min(used, own.limitOf(idle)) }]);
    }
    await sql`UPDATE meter SET last_used_at = now() - interval '1 minute' WHERE config_id = ${idle}`.execute(
      world.deps.db,
    );
    const busy = (await user.api.createConfig({ body: { name: 'پرکار', serverId: own.id } })).data.config.id;
    await own.settle();
    for (let round = 0; round < 40 && own.limitOf(busy) > 0; round += 1) {
      const reply = await own.report([{ config: busy, down: own.limitOf(busy) }]);
      if (reply.leases[0]?.refillDenied) break;
    }
    const reserved = (await user.api.getWallet()).data.reserved;
    await restoreService(world.deps, user.id);
    await own.settle();
    const lowered = own.peers.get(idle)?.lease;
    expect((await user.api.getWallet()).data.reserved).toBe(reserved);
    await own.report([{ config: idle, down: 270_000_000, leaseVersion: lowered?.version ?? 0 }]);
    await world.proveLedger();
    expect((await user.api.getWallet()).data.balance).toBeGreaterThanOrEqual(0);
  });
});
