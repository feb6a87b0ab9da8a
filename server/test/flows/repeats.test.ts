import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { deactivateUser } from '../../src/modules/accounts/users.ts';
import type { ExchangeRateSource } from '../../src/modules/currency/exchange-rate.ts';
import { transferMoney } from '../../src/modules/wallet/transfer-money.ts';
import { inTransaction } from '../../src/platform/database.ts';
import { runIdempotently } from '../../src/platform/idempotency.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { adjust, confirmed, walletOf } from '../money/bench.ts';
import { openTestWorld, PASSWORD, type TestUser, type TestWorld, withPassword } from '../world.ts';

/**
 * A repeated request gets the same answer as before, whatever has changed since: a refusal would suggest that no money
 * moved.
 */
const current = { tomanPerUsd: 80_000, isKnown: true };
let world: TestWorld;
let user: TestUser;
let friend: TestUser;

beforeAll(async () => {
  const takenAt = new Date();
  const exchangeRate: ExchangeRateSource = {
    current: async () =>
      current.isKnown ? { tomanPerUsd: current.tomanPerUsd, takenAt, origin: 'operator' } : undefined,
  };
  world = await openTestWorld({ overrides: { exchangeRate } });
});
beforeEach(async () => {
  Object.assign(current, { tomanPerUsd: 80_000, isKnown: true });
  user = await world.user();
  friend = await world.user();
});
afterEach(() => world.proveLedger());
afterAll(() => world.close());

const headers = { 'idempotency-key': 'one' };
const closeFriend = () => inTransaction(world.deps.db, (tx) => deactivateUser(tx, friend.id));

test('a transfer, after which the recipient’s account is closed and the money is spent', async () => {
  await withPassword(user);
  const body = { to: friend.email, amount: 20_000, password: PASSWORD };
  const { data } = await user.api.transferMoney({ body }, { headers });
  await closeFriend();
  await adjust(world, user.id, -(await walletOf(world, user.id)));
  const again = await user.api.transferMoney({ body }, { headers });
  expect(again.data.transaction_id).toBe(data.transaction_id);
  expect(await walletOf(world, friend.id)).toBe(420_000);
  await expect(user.api.transferMoney({ body: { ...body, amount: 21_000 } }, { headers })).rejects.toMatchObject({
    code: 'idempotency_key_reused',
  });
});

test('a key does not help to probe addresses without money', async () => {
  await adjust(world, user.id, -(await walletOf(world, user.id)));
  const guess = { to: 'nobody-knows@mail.example', amount: 20_000 };
  await expect(user.api.transferMoney({ body: guess }, { headers })).rejects.toMatchObject({
    code: 'insufficient_balance',
  });
});

test('a charge, after which its gateway is switched off', async () => {
  const body = { amount: 50_000, payment_method: 'zarinpal' } as const;
  const first = await user.api.chargeWallet({ body }, { headers });
  await setSettingByKey(world.deps.db, 'gateways.zarinpal', 'off', world.deps.clock.now());
  try {
    expect(await user.api.chargeWallet({ body }, { headers })).toEqual(first);
    await expect(user.api.chargeWallet({ body })).rejects.toMatchObject({ code: 'gateway_off' });
  } finally {
    await setSettingByKey(world.deps.db, 'gateways.zarinpal', 'auto', world.deps.clock.now());
  }
});

test.each([
  ['the rate is unknown', { isKnown: false }, 'rate_unavailable'],
  ['the rate has changed', { tomanPerUsd: 120_000 }, 'rate_changed'],
])('a card, or a plan by card, after which %s', async (_what, change, code) => {
  const [card, planCard, unused] = [await world.giftCard(), await world.giftCard(), await world.giftCard()];
  const redeem = { gift_card_code: card, current_price: 80_000 };
  const buy = {
    plan_id: 'basic',
    payment_method: 'gift_card',
    gift_card_code: planCard,
    current_price: 80_000,
  } as const;
  const buying = { 'idempotency-key': 'plan' };
  const redeemed = await user.api.processGiftCard({ body: redeem }, { headers });
  const bought = await user.api.purchaseSubscription({ body: buy }, { headers: buying });
  const wallet = await walletOf(world, user.id);
  Object.assign(current, change);
  const again = await user.api.processGiftCard({ body: redeem }, { headers });
  expect(again.data).toMatchObject({ amount: redeemed.data.amount, rate: redeemed.data.rate });
  const boughtAgain = await user.api.purchaseSubscription({ body: buy }, { headers: buying });
  expect(boughtAgain.data.subscription.id).toBe(bought.data.subscription.id);
  expect(await walletOf(world, user.id)).toBe(wallet);
  await expect(
    user.api.processGiftCard({ body: { ...redeem, gift_card_code: unused } }, { headers: { 'idempotency-key': 'x' } }),
  ).rejects.toMatchObject({ code });
});

test('two calls of one request: the call refused because the other was first gets the other’s answer', async () => {
  const idempotent = { userId: user.id, key: 'two calls', requestHash: 'the same' };
  const transfer = { fromUserId: user.id, toEmail: friend.email, amountToman: 20_000, idempotent, ...confirmed };
  let first: unknown;
  const late = await runIdempotently(world.deps.db, idempotent, async () => {
    first = await transferMoney(world.deps, transfer);
    throw new Refusal('transfer_recipient_unknown');
  });
  expect(late).toEqual(first);
  await expect(
    runIdempotently(world.deps.db, { ...idempotent, key: 'nothing was done' }, async () => {
      throw new Refusal('transfer_recipient_unknown');
    }),
  ).rejects.toMatchObject({ code: 'transfer_recipient_unknown' });
});
