import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { redeemGiftCard } from '../../src/modules/gift-cards/redeem-card.ts';
import { confirmPayment } from '../../src/modules/payments/confirm-payment.ts';
import { describePayments } from '../../src/modules/payments/describe-payment.ts';
import { requestRefund } from '../../src/modules/payments/request-refund.ts';
import { buyPlan, cancelPlan } from '../../src/modules/plan-sales/buy-plan.ts';
import { transferMoney } from '../../src/modules/wallet/transfer-money.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { adjust, charge, confirmed, makeUser, payer, walletOf } from '../money/bench.ts';
import { openTestWorld, type TestWorld } from '../world.ts';

/** Money of gift cards and transfers never goes to a bank: spending takes it last (audit M11). */
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;
let user: { id: string; email: string };

beforeAll(async () => {
  world = await openTestWorld({ clock });
});
beforeEach(async () => {
  user = await makeUser(world);
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

const redeem = async (cents: number) =>
  redeemGiftCard(world.deps, { userId: user.id, code: await world.giftCard(cents) });
const buy = async (planId: string) =>
  await buyPlan(world.deps, {
    userId: user.id,
    order: { planId },
    giftCode: undefined,
    seenRateToman: undefined,
    expectedDueToman: undefined,
    idempotent: undefined,
  });
async function paid(amount: number): Promise<string> {
  const id = await charge(world, user.id, 'zarinpal', amount);
  await payer(world, id, 'PAID');
  await confirmPayment(world.deps, id);
  return id;
}
const refundable = async (id: string) =>
  (await describePayments(world.deps, user.id, [id], 'fa')).get(id)?.refundable_amount;

test('a charge, a plan that a card could have paid, and the charge refunded: only what the plan left of it', async () => {
  const id = await paid(500_000);
  await redeem(250);
  expect(await refundable(id)).toBe(500_000);
  await buy('premium');
  expect(await refundable(id)).toBe(301_000);
  const order = { userId: user.id, paymentId: id };
  await expect(requestRefund(world.deps, { ...order, amountToman: 301_001 })).rejects.toMatchObject({
    code: 'refund_too_large',
  });
  await requestRefund(world.deps, order);
  expect(await walletOf(world, user.id)).toBe(200_000);
});

test('a plan that card money paid brings card money back when it is cancelled', async () => {
  const id = await paid(100_000);
  await redeem(250);
  const { periodId } = await buy('premium');
  expect([await walletOf(world, user.id), await refundable(id)]).toEqual([101_000, 0]);
  clock.advance(3_600_000);
  await cancelPlan(world.deps, { userId: user.id, periodId, idempotent: undefined });
  // 29 of 30 days come back: 99,000 of them as card money, the rest as bank money.
  const back = Math.floor((199_000 * 29) / 30);
  expect([await walletOf(world, user.id), await refundable(id)]).toEqual([101_000 + back, back - 99_000]);
});

test('a transfer is no bank money; what was spent of it long ago does not count', async () => {
  const friend = await makeUser(world);
  await adjust(world, friend.id, 200_000);
  const send = (from: { id: string }, to: { email: string }, amountToman: number) =>
    transferMoney(world.deps, { fromUserId: from.id, toEmail: to.email, amountToman, ...confirmed });
  await send(friend, user, 150_000);
  await send(user, friend, 120_000);
  const id = await paid(50_000);
  expect(await refundable(id)).toBe(50_000);
  await send(user, friend, 30_000);
  expect(await refundable(id)).toBe(20_000);
});

test('nothing smaller than the smallest refund', async () => {
  const id = await paid(50_000);
  const order = { userId: user.id, paymentId: id };
  await expect(requestRefund(world.deps, { ...order, amountToman: 1_999 })).rejects.toMatchObject({
    code: 'refund_too_small',
  });
  await adjust(world, user.id, -48_001);
  expect(await refundable(id)).toBe(0);
  await expect(requestRefund(world.deps, order)).rejects.toMatchObject({ code: 'refund_not_possible' });
});

test('the value of the card that activated an account is not transferred, also not by way of a plan', async () => {
  const set = (value: string) => setSettingByKey(world.deps.db, 'accounts.activationTransferable', value, clock.now());
  await set('false');
  try {
    const [fresh, friend] = [await world.user({ usdCents: 500 }), await makeUser(world)];
    const send = (amountToman: number) =>
      transferMoney(world.deps, { fromUserId: fresh.id, toEmail: friend.email, amountToman, ...confirmed });
    const refused = (max: number) => ({ code: 'transfer_activation_money', details: { max } });
    await expect(send(1_000)).rejects.toMatchObject(refused(0));
    user = fresh;
    await paid(20_000);
    await redeem(10);
    await expect(send(28_001)).rejects.toMatchObject(refused(28_000));
    await send(28_000);
    const { periodId } = await buy('premium');
    clock.advance(3_600_000);
    await cancelPlan(world.deps, { userId: fresh.id, periodId, idempotent: undefined });
    await expect(send(1_000)).rejects.toMatchObject(refused(0));
    await expect(send(1_000_000)).rejects.toMatchObject({ code: 'insufficient_balance' });
  } finally {
    await set('true');
  }
});
