import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openExchangeRate } from '../../src/app/exchange-rate.ts';
import { getUserAccounts } from '../../src/modules/ledger/user-accounts.ts';
import { confirmPayment } from '../../src/modules/payments/confirm-payment.ts';
import { reconcilePayments } from '../../src/modules/payments/reconcile-payments.ts';
import { listPaymentsToReview, reviewPayment } from '../../src/modules/payments/review-payment.ts';
import { deleteAccount } from '../../src/modules/profile/close-account.ts';
import { reportLiability } from '../../src/modules/reports/reports.ts';
import { adjustBalance, writeOffDebt, writeOffRemainders } from '../../src/modules/wallet/correct-books.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { adjust, charge, makeUser, payer, walletOf } from '../money/bench.ts';
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
    JOIN notification n ON n.cause = c.id::text WHERE c.user_id = ${user.id} ORDER BY c.id
  `.execute(world.deps.db);
  expect(rows).toEqual([
    { amount: 7_000n, operator: 'sara', reason: 'a test', data: { amountToman: 7_000 } },
    { amount: -2_000n, operator: 'sara', reason: 'a test', data: { amountToman: -2_000 } },
  ]);
});

test('a debt that will not be paid is given up, once', async () => {
  const { id: userId } = await makeUser(world);
  const id = await charge(world, userId, 'zarinpal', 40_000);
  await payer(world, id, 'PAID');
  await confirmPayment(world.deps, id);
  await adjust(world, userId, -30_000);
  await sql`UPDATE test_bank_session SET state = 'REVERSED' WHERE order_id = ${id}`.execute(world.deps.db);
  clock.advance(3_601_000);
  await reconcilePayments(world.deps);
  expect((await getUserAccounts(world.deps.db, userId)).walletToman).toBe(0n);
  expect(await writeOffDebt(world.deps, { ...given, userId })).toBe(30_000n);
  await expect(writeOffDebt(world.deps, { ...given, userId })).rejects.toMatchObject({ kind: 'not-found' });
});
