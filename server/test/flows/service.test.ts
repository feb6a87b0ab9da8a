import { afterAll, beforeAll, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { restoreService } from '../../src/modules/billing/restore-service.ts';
import { transferMoney } from '../../src/modules/wallet/transfer-money.ts';
import { payAndVerify } from '../bank.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { confirmed } from '../money/bench.ts';
import { changePlan } from '../plans.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** U1, U2: whether the service is there, as the header and the dashboard are told, from the cut to a node's word that it is back. */
let world: TestWorld;
let node: FakeNode;
beforeAll(async () => {
  // Money that comes in restores nothing before the test says so.
  world = await openTestWorld({ restores: false });
  node = await enrolFakeNode(world);
});
afterAll(() => world.close());

async function newConfig(user: TestUser, name = 'گوشی'): Promise<string> {
  const { data } = await user.api.createConfig({ body: { name, serverId: node.id } });
  await node.settle();
  return data.config.id;
}

async function useUp(config: string): Promise<void> {
  for (let used = -1; used < node.limitOf(config); ) {
    used = node.limitOf(config);
    await node.report([{ config, down: used }]);
  }
  await node.report([{ config, down: node.limitOf(config) }]);
}

/** As both screens are told; they never differ. */
async function serviceOf(user: TestUser) {
  const { service } = (await user.api.me()).user;
  const { data } = await user.api.getDashboard();
  expect(data.service).toEqual(service);
  return { service, data };
}

test('without activation there is no service, and nothing was cut', async () => {
  const { service } = await serviceOf(await world.user({ usdCents: 0 }));
  expect(service).toEqual({ state: 'not_activated', cause: null, since: null, restored: null });
});

test('cut for want of money, since when; back when leases are raised; confirmed only by the node', async () => {
  const user = await world.user({ usdCents: 1 });
  const config = await newConfig(user);
  expect((await serviceOf(user)).service).toMatchObject({ state: 'on', since: null, restored: null });
  await useUp(config);
  const cut = await serviceOf(user);
  expect(cut.service).toMatchObject({ state: 'cut', cause: 'money', restored: null });
  expect(Date.parse(cut.service?.since ?? '')).toBeLessThanOrEqual(Date.now());
  // U1: nothing that cannot work now is advised, and the sentence says what is so.
  expect(cut.data.recommendations).toMatchObject([{ kind: 'top_up', href: '/user/wallet/charge' }]);
  expect(cut.data.recommendations[0]?.message).toContain('موجودی تمام شد، اینترنت قطع است');

  await node.settle();
  await user.api.processGiftCard({ body: { gift_card_code: await world.giftCard(100) } });
  expect((await serviceOf(user)).service?.state).toBe('cut');
  await restoreService(world.deps, user.id);
  const paid = (await serviceOf(user)).service;
  expect(paid).toMatchObject({ state: 'on', since: null, restored: { opened_at: null } });
  await node.sync();
  expect((await serviceOf(user)).service?.restored?.opened_at).toBe(null);
  await node.sync();
  const opened = (await serviceOf(user)).service?.restored;
  expect(Date.parse(opened?.opened_at ?? '')).toBeGreaterThanOrEqual(Date.parse(opened?.restored_at ?? ''));
  // The first word counts; later ones change nothing.
  await newConfig(user, 'تبلت');
  expect((await serviceOf(user)).service?.restored).toEqual(opened);
});

test('a report that finds the money first restores as well, and the node still has to confirm', async () => {
  const user = await world.user({ usdCents: 1 });
  const config = await newConfig(user);
  await useUp(config);
  await node.settle();
  await user.api.processGiftCard({ body: { gift_card_code: await world.giftCard(100) } });
  await node.report([{ config, down: node.limitOf(config) }]);
  await restoreService(world.deps, user.id);
  expect((await serviceOf(user)).service).toMatchObject({ state: 'on', restored: { opened_at: null } });
  await node.settle();
  expect((await serviceOf(user)).service?.restored?.opened_at).not.toBe(null);
  const { notifications } = (await user.api.listNotifications()).data;
  expect(notifications.filter(({ kind }) => kind === 'service_restored')).toHaveLength(1);
});

test('while a plan lasts an empty wallet cuts nothing; when it is used up, it is named as the cause', async () => {
  await changePlan(world, 'basic', { priceToman: 80_000n, trafficLimitBytes: 20_000_000n });
  const user = await world.user({ usdCents: 100 });
  await user.api.purchaseSubscription({ body: { plan_id: 'basic' } });
  const config = await newConfig(user);
  expect((await user.api.me()).user.balance).toBe(0);
  expect((await serviceOf(user)).service).toMatchObject({ state: 'on', restored: null });
  await useUp(config);
  const { service, data } = await serviceOf(user);
  expect(service).toMatchObject({ state: 'cut', cause: 'plan' });
  expect(data.recommendations[0]?.message).toContain('پلن تمام شد');
  const { notifications } = (await user.api.listNotifications()).data;
  expect(notifications.find(({ kind }) => kind === 'service_cut')?.message).toContain('پلن تمام شد');
});

test('the wallet is empty and nothing was cut: it says so, and never “on”', async () => {
  const [sender, recipient] = [await world.user({ usdCents: 100 }), await world.user()];
  const { balance } = (await sender.api.me()).user;
  await transferMoney(world.deps, {
    ...{ fromUserId: sender.id, toEmail: recipient.email, amountToman: balance },
    ...confirmed,
  });
  expect((await serviceOf(sender)).service).toMatchObject({ state: 'empty', since: null });
  await world.proveLedger();
});

test('the last completed payment is remembered, for one button; not one that failed', async () => {
  const user = await world.user();
  const usual = async () => (await user.api.listPaymentGateways()).data.usual;
  expect(await usual()).toBe(null);
  await payAndVerify(user, 'nextpay', 120_000);
  const { payment_url } = await user.api.chargeWallet({ body: { amount: 50_000, payment_method: 'zarinpal' } });
  expect(payment_url).toBeTruthy();
  const remembered = { amount: 120_000, gateway: { name: 'nextpay' } };
  expect(await usual()).toMatchObject(remembered);
  expect((await user.api.getDashboard()).data.usualCharge).toMatchObject(remembered);
  await setSettingByKey(world.deps.db, 'gateways.nextpay', 'off', new Date());
  expect(await usual()).toEqual({ amount: 120_000, gateway: null });
});
