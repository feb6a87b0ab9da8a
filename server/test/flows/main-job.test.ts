import { limits } from '@raha/contract/limits.ts';
import { chargeToman, priceMilliTomanPerGb } from '@raha/contract/money.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { eventually, openTestWorld, TEST_RATE, type TestWorld } from '../world.ts';

/** The product's main path over HTTP, with a node that speaks the real protocol. */
let world: TestWorld;
let node: FakeNode;
const price = priceMilliTomanPerGb(3, TEST_RATE);

beforeAll(async () => {
  world = await openTestWorld({ connections: 1 });
  node = await enrolFakeNode(world);
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

describe('a config', () => {
  test('is on its node as soon as it is created, and shown as applied only when the node has confirmed it', async () => {
    const { api } = await world.user();
    const waiting = node.sync(20);
    const { data } = await api.createConfig({ body: { name: 'گوشی', serverId: node.id } });
    expect(data.config.applied).toBe(false);
    expect(data.file).toContain('[Interface]');
    const state = await waiting;
    expect(state.kind).toBe('delta');
    expect(node.peers.get(data.config.id)).toMatchObject({
      blocked: false,
      lease: { epoch: node.epoch, limitBytes: limits.lease.idleBytes },
    });
    await node.sync();
    const { data: after } = await api.getConfig({ params: { id: data.config.id } });
    expect(after.config.applied).toBe(true);
    await world.proveLedger();
  });

  test('costs F(bytes) to the toman, however the reports are divided', async () => {
    const { api } = await world.user();
    // The price of its lease is looked up in the middle of the transaction, on the only connection.
    world.deps.exchangeRate.forget?.();
    const { data } = await api.createConfig({ body: { name: 'لپ‌تاپ', serverId: node.id } });
    await node.sync();
    const id = data.config.id;
    const before = (await api.getWallet()).data.balance;
    let up = 0;
    let down = 0;
    for (const step of [1, 999, 400_000, 7, 3_000_000, 123_456]) {
      up += step;
      down += step * 2;
      await node.report([{ config: id, up, down }]);
    }
    const wallet = (await api.getWallet()).data;
    expect(before - wallet.balance).toBe(Number(chargeToman(BigInt(up + down), price)));
    const { data: shown } = await api.getConfig({ params: { id } });
    expect(shown.config).toMatchObject({ uploaded: up, downloaded: down, traffic_used: up + down });
    expect(wallet.stats.totalWithdrawals).toBe(before - wallet.balance);
    await world.proveLedger();
  });

  test('grows its lease while it is used and stops at the last paid byte; a top-up restores it at once', async () => {
    // 25 cents at 80,000 = 20,000 toman, which at 2,400 toman per GB is 8.33 GB; so a small card is used instead.
    const { api, id: userId } = await world.user({ usdCents: 1 });
    const { data } = await api.createConfig({ body: { name: 'تبلت', serverId: node.id } });
    await node.sync();
    const id = data.config.id;
    let used = 0;
    for (let round = 0; round < 200 && used < node.limitOf(id); round += 1) {
      used = node.limitOf(id);
      await node.report([{ config: id, down: used }]);
    }
    const balance = (await api.getWallet()).data.balance;
    expect(balance).toBeGreaterThanOrEqual(0);
    expect(used).toBe(node.limitOf(id));
    // One more byte could not be paid: 800 toman buy exactly this many bytes.
    expect(chargeToman(BigInt(used), price)).toBeLessThanOrEqual(800n);
    expect(chargeToman(BigInt(used) + 500_000n, price)).toBeGreaterThan(800n);
    expect((await api.getConfig({ params: { id } })).data.config).toMatchObject({
      service: 'no_balance',
      status: 'inactive',
    });
    const last = await node.report([{ config: id, down: used }]);
    expect(last.leases).toMatchObject([{ config: id, refillDenied: true }]);
    await world.proveLedger();

    await node.sync();
    const waiting = node.sync(20);
    await api.processGiftCard({ body: { gift_card_code: await world.giftCard(100) } });
    await waiting;
    expect(node.limitOf(id)).toBeGreaterThan(used);
    await eventually(async () => (await api.getConfig({ params: { id } })).data.config.service === 'ok' || undefined);
    expect(userId).toBeTruthy();
    await world.proveLedger();
  });

  test('deleted: the node removes it, then the reserved money and the address are returned', async () => {
    const { api } = await world.user();
    const { data } = await api.createConfig({ body: { name: 'قدیمی', serverId: node.id } });
    await node.sync();
    const peer = node.peers.get(data.config.id);
    expect((await api.getWallet()).data.reserved).toBeGreaterThan(0);
    await api.deleteConfig({ params: { id: data.config.id } });
    await node.sync();
    expect(node.removed).toContain(data.config.id);
    expect((await api.getWallet()).data.reserved).toBeGreaterThan(0);
    await node.report([{ config: data.config.id, up: 10, final: true }]);
    expect((await api.getWallet()).data.reserved).toBe(0);
    await world.proveLedger();
    await sql`UPDATE free_slot SET freed_at = freed_at - interval '299 seconds'`.execute(world.deps.db);
    const soon = (await api.createConfig({ body: { name: 'تازه', serverId: node.id } })).data.config.id;
    await sql`UPDATE free_slot SET freed_at = freed_at - interval '2 seconds'`.execute(world.deps.db);
    const later = (await api.createConfig({ body: { name: 'تازه‌تر', serverId: node.id } })).data.config.id;
    await node.sync();
    expect(node.peers.get(soon)?.address4).not.toBe(peer?.address4);
    expect(node.peers.get(later)?.address4).toBe(peer?.address4);
  });

  test('deleted before its node received it: the node reports so, and the address is still returned', async () => {
    const own = await enrolFakeNode(world);
    const { api } = await world.user();
    const { data } = await api.createConfig({ body: { name: 'نرسیده', serverId: own.id } });
    await api.deleteConfig({ params: { id: data.config.id } });
    own.applied = 0;
    expect(await own.sync()).toMatchObject({ kind: 'snapshot', removed: [data.config.id] });
    await own.report([{ config: data.config.id, final: true }]);
    expect((await api.getWallet()).data.reserved).toBe(0);
  });

  test('disconnect makes the node block it, connect waits for the device, the first handshake connects', async () => {
    const { api } = await world.user();
    const { data } = await api.createConfig({ body: { name: 'خانه', serverId: node.id } });
    const id = data.config.id;
    await api.disconnect({ body: { configId: id } });
    await node.settle();
    expect(node.peers.get(id)?.blocked).toBe(true);
    expect((await api.getConfig({ params: { id } })).data.config).toMatchObject({
      status: 'inactive',
      service: 'disconnected',
    });
    expect((await api.connect({ body: { configId: id } })).data).toMatchObject({
      state: 'waiting',
      isConnected: false,
    });
    await node.settle();
    expect(node.peers.get(id)?.blocked).toBe(false);
    await node.report([{ config: id, up: 100, down: 200 }], {
      tunnels: [{ config: id, handshakeAgeSeconds: 1, pingMs: 12 }],
    });
    expect((await api.connectionStatus()).data).toMatchObject({
      state: 'connected',
      currentConfig: { id, connected: true },
    });
    expect((await api.connectionMetrics()).data).toMatchObject({ bytesTransferred: 300, ping: 12 });
    await node.report([], { tunnels: [{ config: id, handshakeAgeSeconds: 400, pingMs: null }] });
    expect((await api.connectionStatus()).data.isConnected).toBe(false);
  });

  test('reset replaces the keys and keeps meter, address and name', async () => {
    const { api } = await world.user();
    const { data } = await api.createConfig({ body: { name: 'کلید', serverId: node.id } });
    await node.sync();
    const before = node.peers.get(data.config.id);
    const { data: reset } = await api.resetConfig({ params: { id: data.config.id }, body: {} });
    await node.sync();
    const after = node.peers.get(data.config.id);
    if (after?.protocol !== 'wireguard' || before?.protocol !== 'wireguard') throw new Error('another protocol');
    expect(after.publicKey).not.toBe(before.publicKey);
    expect(after.presharedKey).not.toBe(before.presharedKey);
    expect(after?.address4).toBe(before?.address4);
    expect(reset.file).not.toBe(data.file);
    expect(await api.downloadConfig({ params: { id: data.config.id } })).toBe(reset.file);
    expect(await api.configQr({ params: { id: data.config.id } })).toContain('<svg');
  });

  test('has no file on the server if its key is on the device', async () => {
    const { api } = await world.user();
    const publicKey = `${'B'.repeat(42)}A=`;
    const { data } = await api.createConfig({ body: { name: 'خصوصی', serverId: node.id, publicKey } });
    expect(data.file).toContain('PrivateKey = {{PRIVATE_KEY}}');
    expect(data.config.keepKey).toBe(false);
    await expect(api.downloadConfig({ params: { id: data.config.id } })).rejects.toMatchObject({
      code: 'private_key_on_device',
      status: 409,
    });
    await expect(api.createConfig({ body: { name: 'دوم', serverId: node.id, publicKey } })).rejects.toMatchObject({
      code: 'public_key_taken',
    });
  });
});

describe('inside the trial', () => {
  test('usage is free of charge, and the API reports that', async () => {
    const trial = await openTestWorld();
    try {
      const trialNode = await enrolFakeNode(trial);
      const { setSettingByKey } = await import('../../src/app/all-settings.ts');
      await setSettingByKey(trial.deps.db, 'trial.passwordlessDays', '14', trial.deps.clock.now());
      const { api } = await trial.user();
      const before = (await api.getWallet()).data;
      expect(before.price_per_gb).toBe(0);
      const { data } = await api.createConfig({ body: { name: 'رایگان', serverId: trialNode.id } });
      await trialNode.sync();
      await trialNode.report([{ config: data.config.id, down: trialNode.limitOf(data.config.id) }]);
      expect((await api.getWallet()).data.balance).toBe(before.balance);
      expect(trialNode.limitOf(data.config.id)).toBeGreaterThan(limits.lease.idleBytes);
      await trial.proveLedger();
    } finally {
      await trial.close();
    }
  });
});
