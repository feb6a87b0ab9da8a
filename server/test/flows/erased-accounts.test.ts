import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openExchangeRate } from '../../src/app/exchange-rate.ts';
import { getUser } from '../../src/modules/accounts/users.ts';
import { redeemGiftCard } from '../../src/modules/gift-cards/redeem-card.ts';
import { listNotifications } from '../../src/modules/notifications/list-notifications.ts';
import { confirmPayment } from '../../src/modules/payments/confirm-payment.ts';
import { forgetDebtors, readOwed } from '../../src/modules/payments/pay-debts.ts';
import { reconcilePayments } from '../../src/modules/payments/reconcile-payments.ts';
import { checkForReversal } from '../../src/modules/payments/reverse-payment.ts';
import { listPaymentsToReview, reviewPayment } from '../../src/modules/payments/review-payment.ts';
import { deleteAccount } from '../../src/modules/profile/close-account.ts';
import { reportLiability } from '../../src/modules/reports/reports.ts';
import { adjustBalance, writeOffDebt, writeOffRemainders } from '../../src/modules/wallet/correct-books.ts';
import { transferMoney } from '../../src/modules/wallet/transfer-money.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { adjust, charge, confirmed, makeUser, payer, walletOf } from '../money/bench.ts';
import { actor, openTestWorld, type TestWorld } from '../world.ts';

/** Money of accounts that were erased, and what operators correct by hand. */
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld({ clock });
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

const given = { actor, operator: 'sara', reason: 'a test' };
const liability = async () =>
  await reportLiability(world.deps.db, openExchangeRate(world.deps.config, clock), clock.now());

test('paid after the account was erased: before the operator, and credited to nobody', async () => {
  const { id: userId } = await makeUser(world);
  const id = await charge(world, userId, 'zarinpal', 50_000);
  await deleteAccount(world.deps, userId);
  await payer(world, id, 'PAID');
  clock.advance(16_000);
  await reconcilePayments(world.deps);
  await confirmPayment(world.deps, id);
  expect(await walletOf(world, userId)).toBe(0);
  const waiting = (await listPaymentsToReview(world.deps.db)).find((payment) => payment.id === id);
  expect(waiting?.evidence).toMatchObject({ reason: 'the account was deleted' });
  const verdict = { paymentId: id, actor, operator: 'sara', note: 'sent back', refId: '4711' } as const;
  expect(await reviewPayment(world.deps, { ...verdict, outcome: 'credited' })).toEqual({ kind: 'account-deleted' });
  expect(await reviewPayment(world.deps, { ...verdict, outcome: 'failed' })).toMatchObject({ kind: 'settled' });
});

test('what erased accounts left is a liability for 180 days, then it is written off once', async () => {
  const [gone, stays] = [await makeUser(world), await makeUser(world)];
  for (const { id } of [gone, stays]) await adjust(world, id, 12_345);
  await deleteAccount(world.deps, gone.id);
  const before = await liability();
  expect(before.remainders).toBe(12_345n);
  clock.advance(179 * 86_400_000);
  expect(await writeOffRemainders(world.deps, given)).toEqual({ accounts: 0, toman: 0n });
  clock.advance(86_400_000);
  expect(await writeOffRemainders(world.deps, given)).toEqual({ accounts: 1, toman: 12_345n });
  expect(await writeOffRemainders(world.deps, given)).toEqual({ accounts: 0, toman: 0n });
  const after = await liability();
  expect([after.remainders, before.wallets - after.wallets]).toEqual([0n, 12_345n]);
  expect([await walletOf(world, gone.id), await walletOf(world, stays.id)]).toEqual([0, 12_345]);
});

test('an adjustment names its operator and reason, is told to the owner, and never takes more than there is', async () => {
  const user = await makeUser(world);
  const adjustment = { ...given, email: user.email };
  await adjustBalance(world.deps, { ...adjustment, amountToman: 7_000n });
  await adjustBalance(world.deps, { ...adjustment, amountToman: -2_000n });
  await expect(adjustBalance(world.deps, { ...adjustment, amountToman: -5_001n })).rejects.toMatchObject({
    kind: 'conflict',
  });
  const unknown = { ...adjustment, email: 'nobody@mail.example', amountToman: 1n };
  await expect(adjustBalance(world.deps, unknown)).rejects.toMatchObject({ kind: 'not-found' });
  expect(await walletOf(world, user.id)).toBe(5_000);
  const { rows } = await sql`
    SELECT c.amount_toman AS amount, c.operator, c.reason, n.data FROM wallet_correction c
    JOIN notification n ON n.cause = c.id::text WHERE c.user_id = ${user.id} ORDER BY c.amount_toman DESC
  `.execute(world.deps.db);
  expect(rows).toEqual([
    { amount: 7_000n, operator: 'sara', reason: 'a test', data: { amountToman: 7_000 } },
    { amount: -2_000n, operator: 'sara', reason: 'a test', data: { amountToman: -2_000 } },
  ]);
});

/** A payment of 40,000 that was spent by 30,000 when the bank took it back. */
async function debtor(email?: string) {
  const user = await makeUser(world, email);
  const id = await charge(world, user.id, 'zarinpal', 40_000);
  await payer(world, id, 'PAID');
  await confirmPayment(world.deps, id);
  await adjust(world, user.id, -30_000);
  return { ...user, reverse: () => reverse(id) };
}

async function reverse(id: string): Promise<void> {
  await sql`UPDATE test_bank_session SET state = 'REVERSED' WHERE order_id = ${id}`.execute(world.deps.db);
  await checkForReversal(world.deps, id);
}

const owed = async (id: string) => Number(await readOwed(world.deps.db, world.deps, await getUser(world.deps.db, id)));
const debtMessagesOf = async (userId: string) =>
  (await listNotifications(world.deps.db, userId, 50, 'fa')).filter(({ kind }) =>
    ['payment_reversed', 'debt_paid'].includes(kind),
  );

test('a debt is told, and paid by a gift card, a transfer and a correction alike, each saying so', async () => {
  const [user, friend] = [await debtor(), await makeUser(world)];
  await user.reverse();
  clock.advance(1_000);
  expect([await owed(user.id), await walletOf(world, user.id)]).toEqual([30_000, 0]);
  await redeemGiftCard(world.deps, { userId: user.id, code: await world.giftCard(10) });
  clock.advance(1_000);
  expect([await owed(user.id), await walletOf(world, user.id)]).toEqual([22_000, 0]);
  await adjust(world, friend.id, 50_000);
  const gift = { fromUserId: friend.id, toEmail: user.email, amountToman: 12_000, ...confirmed };
  await transferMoney(world.deps, gift);
  clock.advance(1_000);
  expect([await owed(user.id), await walletOf(world, user.id)]).toEqual([10_000, 0]);
  expect((await liability()).debts).toContainEqual(expect.objectContaining({ user_id: user.id, owed_toman: 10_000n }));
  await adjustBalance(world.deps, { ...given, email: user.email, amountToman: 11_000n });
  clock.advance(1_000);
  expect([await owed(user.id), await walletOf(world, user.id)]).toEqual([0, 1_000]);
  const messages = (await debtMessagesOf(user.id)).map(({ message }) => message);
  expect(messages).toHaveLength(4);
  expect(messages.at(-1)).toContain('۳۰٬۰۰۰ تومان از آن خرج شده بود');
  expect(messages[0]).toContain('دیگر بدهی ندارید');
});

test('a debt follows the mailbox: erased, and made anew with another spelling', async () => {
  const user = await debtor('ali.rezaei@gmail.com');
  const late = await debtor('sara@mail.example');
  await user.reverse();
  for (const { id } of [user, late]) await deleteAccount(world.deps, id);
  await late.reverse();
  const [again, lateAgain, other] = [
    await makeUser(world, 'alirezaei+vpn@googlemail.com'),
    await makeUser(world, 'sara+2@mail.example'),
    await makeUser(world, 'ali.rezaei@mail.example'),
  ];
  expect(await Promise.all([again, lateAgain, other].map(({ id }) => owed(id)))).toEqual([30_000, 30_000, 0]);
  for (const { id } of [again, other]) await redeemGiftCard(world.deps, { userId: id, code: await world.giftCard(50) });
  expect([await walletOf(world, again.id), await walletOf(world, other.id)]).toEqual([10_000, 40_000]);
  expect(await owed(again.id)).toBe(0);
  clock.advance(31 * 86_400_000);
  await forgetDebtors(world.deps.db, clock.now());
  expect([await owed(lateAgain.id), await owed(again.id)]).toEqual([30_000, 0]);
});

test('a debt that will not be paid is given up, once', async () => {
  const { id: userId, reverse } = await debtor();
  await reverse();
  expect(await writeOffDebt(world.deps, { ...given, userId })).toBe(30_000n);
  await expect(writeOffDebt(world.deps, { ...given, userId })).rejects.toMatchObject({ kind: 'not-found' });
});
