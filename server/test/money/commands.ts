import { paymentGateways } from '@raha/contract/payment-gateways.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { OperatorMistake } from '../../src/modules/accounts/operator-mistake.ts';
import { redeemGiftCard } from '../../src/modules/gift-cards/redeem-card.ts';
import { cancelPayment } from '../../src/modules/payments/cancel-payment.ts';
import { confirmPayment } from '../../src/modules/payments/confirm-payment.ts';
import { reconcilePayments, sweepUnverified } from '../../src/modules/payments/reconcile-payments.ts';
import { requestRefund } from '../../src/modules/payments/request-refund.ts';
import { reconcileRefunds, sendRefund } from '../../src/modules/payments/send-refund.ts';
import { settleRefundByHand } from '../../src/modules/payments/settle-refund.ts';
import { adjustBalance } from '../../src/modules/wallet/correct-books.ts';
import { transferMoney } from '../../src/modules/wallet/transfer-money.ts';
import type { manualClock } from '../../src/platform/clock.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import type { FakeNode } from '../fake-node.ts';
import { actor, TEST_RATE, type TestWorld } from '../world.ts';
import { adjust, balancesOf, charge, confirmed, payer } from './bench.ts';
import {
  credit,
  free,
  MIN_REFUND,
  type Model,
  type ModelPayment,
  type ModelUser,
  queryBank,
  queryWithLostAnswer,
  refundable,
  takeBack,
  transferable,
} from './model.ts';

/** The commands of T-M1. Each acts on the product and on the model; afterwards every wallet is compared. */
export interface Real {
  readonly world: TestWorld;
  readonly clock: ReturnType<typeof manualClock>;
  readonly people: readonly { id: string; email: string }[];
  readonly node: FakeNode;
  /** Each user's config once it is created, with the bytes that its node has counted. */
  readonly configs: Map<number, { id: string; bytes: number; lease?: { limit: number; version: number } }>;
}
export type MoneyCommand = fc.AsyncCommand<Model, Real>;

const amounts = fc.integer({ min: 10_000, max: 12_000_000 });
const index = fc.nat({ max: 50 });
/** One of the newest few, so that commands collide. */
const of = <T>(list: readonly T[], at: number): T | undefined =>
  list[list.length - 1 - (at % Math.max(1, Math.min(4, list.length)))];
const nowOf = (real: Real) => real.clock.now().getTime();

export function command(
  text: string,
  run: (model: Model, real: Real) => Promise<void>,
  check: (model: Model) => boolean = () => true,
): MoneyCommand {
  return {
    check: (model) => check(model),
    async run(model, real) {
      await run(model, real);
      for (const [at, { balance, used }] of (await balancesOf(real.world, real.people)).entries()) {
        const user = model.people[at] as ModelUser;
        expect(balance + used, `wallet ${at} after ${text}`).toBe(user.wallet);
        user.used = used;
      }
    },
    toString: () => text,
  };
}

const hasPayments = (model: Model) => model.payments.length > 0;

async function refusedWith(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

/** Started, and in most cases paid and verified as well. */
const topUp = fc
  .tuple(index, fc.constantFrom(...paymentGateways), amounts, fc.integer({ min: 0, max: 3 }))
  .map(([who, gateway, amount, steps]) =>
    command(`topUp(${gateway}, ${amount}, ${steps})`, async (model, real) => {
      const { world, people, clock } = real;
      const user = who % people.length;
      const id = await charge(world, people[user]?.id as string, gateway, amount);
      model.payments.push({
        id,
        user,
        gateway,
        amount,
        createdAt: clock.now().getTime(),
        bank: 'open',
        paidAt: 0,
        creditedAt: undefined,
        refunded: 0,
        refundOpen: false,
        reversed: false,
      });
      if (steps === 0) return;
      const payment = model.payments.at(-1) as ModelPayment;
      await payer(world, id, 'PAID');
      Object.assign(payment, { bank: 'paid', paidAt: nowOf(real) });
      if (steps === 1) return;
      await confirmPayment(world.deps, id);
      queryBank(model, payment, nowOf(real));
    }),
  );

/** The payer pays or declines, and may close the tab without coming back. */
const atBank = fc.tuple(index, fc.boolean()).map(([which, pays]) =>
  command(
    `atBank(${which}, ${pays})`,
    async (model, real) => {
      const payment = of(model.payments, which) as ModelPayment;
      await payer(real.world, payment.id, pays ? 'PAID' : 'FAILED');
      if (payment.bank !== 'open') return;
      payment.bank = pays ? 'paid' : 'refused';
      payment.paidAt = nowOf(real);
    },
    hasPayments,
  ),
);

/** Returns and "check again" calls in any number and order; the return may lie. */
const verify = fc
  .tuple(index, fc.integer({ min: 1, max: 4 }), fc.constantFrom('ok' as const, 'nok' as const, undefined))
  .map(([which, times, returned]) =>
    command(
      `verify(${which} x${times}, ${returned})`,
      async (model, real) => {
        const payment = of(model.payments, which) as ModelPayment;
        await Promise.all(
          Array.from({ length: times }, () => confirmPayment(real.world.deps, payment.id, { returned })),
        );
        queryBank(model, payment, nowOf(real));
      },
      hasPayments,
    ),
  );

const lostAnswer = index.map((which) =>
  command(
    `lostAnswer(${which})`,
    async (model, real) => {
      const payment = of(model.payments, which) as ModelPayment;
      if (payment.creditedAt !== undefined) return;
      real.world.deps.bankFaults.plan(payment.gateway, 'verify', 'cut-after');
      await confirmPayment(real.world.deps, payment.id, { returned: 'ok' });
      queryWithLostAnswer(payment, nowOf(real));
    },
    hasPayments,
  ),
);

const giveUp = index.map((which) =>
  command(
    `giveUp(${which})`,
    async (model, real) => {
      const payment = of(model.payments, which) as ModelPayment;
      const before = await stateOf(real, payment.id);
      await refusedWith(cancelPayment(real.world.deps, real.people[payment.user]?.id as string, payment.id));
      if (before === 'created' || before === 'redirected') queryBank(model, payment, nowOf(real));
    },
    hasPayments,
  ),
);

async function stateOf(real: Real, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ state: string }>`SELECT state FROM payment WHERE id = ${id}`.execute(real.world.deps.db);
  return rows[0]?.state;
}

const reconcile = fc.constant(command('reconcile', reconcileAll));

async function reconcileAll(model: Model, real: Real): Promise<void> {
  for (let more = true; more; ) {
    const { rows } = await sql<{ id: string; state: string }>`
      SELECT id, state FROM payment WHERE next_check_at <= ${real.clock.now()} ORDER BY next_check_at
    `.execute(real.world.deps.db);
    for (const { id, state } of rows) {
      const payment = model.payments.find((candidate) => candidate.id === id);
      if (!payment) continue;
      if (state !== 'completed') queryBank(model, payment, nowOf(real));
      else if (payment.bank === 'reversed' && !payment.reversed && payment.refunded < payment.amount)
        takeBack(model, payment);
    }
    more = (await reconcilePayments(real.world.deps)) > 0;
  }
}

const sweep = fc.constant(
  command('sweep', async (model, real) => {
    await sweepUnverified(real.world.deps);
    for (const payment of model.payments)
      if (payment.gateway === 'zarinpal' && payment.bank === 'paid') queryBank(model, payment, nowOf(real));
  }),
);

const gift = fc.tuple(index, fc.integer({ min: 1, max: 2_000 })).map(([who, cents]) =>
  command(`giftRedeem(${cents})`, async (model, { world, people }) => {
    const user = who % people.length;
    const code = await world.giftCard(cents);
    const redeem = () => redeemGiftCard(world.deps, { userId: people[user]?.id as string, code });
    const outcomes = await Promise.all([refusedWith(redeem()), refusedWith(redeem()), refusedWith(redeem())]);
    expect(outcomes.filter((outcome) => outcome === undefined).length).toBeGreaterThanOrEqual(1);
    const worth = Math.floor((cents * TEST_RATE) / 100);
    credit(model.people[user] as ModelUser, worth, worth);
  }),
);

const transfer = fc.tuple(index, index, fc.integer({ min: 1, max: 110 })).map(([from, to, percent]) =>
  command(`transfer(${percent} %)`, async (model, real) => {
    const [a, b] = [from % real.people.length, to % real.people.length];
    const [sender, receiver] = [model.people[a], model.people[b]];
    if (!sender || !receiver) return;
    const amount = Math.max(1_000, Math.floor((free(sender) * percent) / 100));
    const refused = await refusedWith(
      transferMoney(real.world.deps, {
        fromUserId: real.people[a]?.id as string,
        toEmail: real.people[b]?.email as string,
        amountToman: amount,
        ...confirmed,
      }),
    );
    const allowed = a !== b && transferable(sender, amount, nowOf(real));
    expect(refused === undefined, `transfer of ${amount}: ${refused}`).toBe(allowed);
    if (!allowed) return;
    sender.wallet -= amount;
    sender.sent.push({ at: nowOf(real), amount });
    credit(receiver, amount, amount);
  }),
);

const refund = fc
  .tuple(index, fc.option(fc.integer({ min: 1, max: 3_000_000 })), fc.constantFrom('arrives', 'fails', 'lost'))
  .map(([which, requested, end]) =>
    command(
      `refund(${which}, ${requested}, ${end})`,
      async (model, real) => {
        const payment = of(model.payments, which) as ModelPayment;
        const user = model.people[payment.user] as { wallet: number };
        const userId = real.people[payment.user]?.id as string;
        const most = refundable(model, payment, nowOf(real));
        const amount = requested ?? most;
        const refused = await refusedWith(
          requestRefund(real.world.deps, {
            userId,
            paymentId: payment.id,
            ...(requested ? { amountToman: requested } : {}),
          }),
        );
        expect(refused === undefined, `refund of ${amount} of ${most}: ${refused}`).toBe(
          most > 0 && amount <= most && amount >= MIN_REFUND,
        );
        if (refused !== undefined) return;
        user.wallet -= amount;
        payment.refundOpen = true;
        await finishRefund(model, real, payment, amount, end);
      },
      hasPayments,
    ),
  );

export async function finishRefund(model: Model, real: Real, payment: ModelPayment, amount: number, end: string) {
  const { deps } = real.world;
  const id = await openRefund(real, payment.id);
  if (end === 'lost') deps.bankFaults.plan(payment.gateway, 'refund', 'cut');
  await sendRefund(deps, id);
  deps.bankFaults.clear();
  // What was taken from the wallet here is paid out later.
  await sql`UPDATE refund SET next_check_at = ${deps.clock.now()} WHERE id = ${id} AND state = 'sent'`.execute(deps.db);
  await reconcileRefunds(deps);
  const { rows } = await sql<{ state: string }>`SELECT state FROM refund WHERE id = ${id}`.execute(deps.db);
  const state = rows[0]?.state;
  const outcome = end === 'fails' ? 'failed' : 'confirmed';
  if (state === 'requested' || state === 'unknown')
    await settleRefundByHand(deps, { refundId: id, actor, operator: 'model', outcome, note: 'model' });
  const arrived = state === 'confirmed' || (state !== 'failed' && outcome === 'confirmed');
  payment.refundOpen = false;
  if (arrived) payment.refunded = amount;
  else credit(model.people[payment.user] as ModelUser, amount, 0);
  const session = await sql<{ state: string }>`
    SELECT state FROM test_bank_session WHERE order_id = ${payment.id}
  `.execute(deps.db);
  if (session.rows[0]?.state === 'REVERSED') payment.bank = 'reversed';
}

async function openRefund(real: Real, paymentId: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM refund WHERE payment_id = ${paymentId} AND state = 'requested'
  `.execute(real.world.deps.db);
  return rows[0]?.id as string;
}

/** The bank reverses a verified payment by itself, before or after the money is spent; we notice when we query it. */
const reverse = fc.tuple(index, fc.boolean()).map(([which, spent]) =>
  command(
    `reverse(${which}, ${spent ? 'spent' : 'unspent'})`,
    async (model, real) => {
      const payment = of(model.payments, which) as ModelPayment;
      if (payment.bank !== 'verified' || payment.creditedAt === undefined) return;
      if (payment.gateway === 'nextpay') return;
      // Banks reverse within days; we check for that long.
      if (nowOf(real) - payment.createdAt > 200_000_000) return;
      await sql`UPDATE test_bank_session SET state = 'REVERSED' WHERE order_id = ${payment.id}`.execute(
        real.world.deps.db,
      );
      payment.bank = 'reversed';
      const user = model.people[payment.user] as ModelUser;
      const rest = free(user);
      if (spent && rest > 0) {
        await adjust(real.world, real.people[payment.user]?.id as string, -rest);
        user.wallet -= rest;
      }
      real.clock.advance(3_601_000);
      await reconcileAll(model, real);
    },
    hasPayments,
  ),
);

const adminAdjust = fc.tuple(index, fc.integer({ min: -500_000, max: 500_000 })).map(([who, amount]) =>
  command(`adminAdjust(${amount})`, async (model, { world, people }) => {
    const at = who % people.length;
    const user = model.people[at] as ModelUser;
    if (amount === 0) return;
    const { email } = people[at] as { email: string };
    const given = { actor, operator: 'model', reason: 'model', email, amountToman: BigInt(amount) };
    const done = await adjustBalance(world.deps, given).then(
      () => true,
      (error) => !(error instanceof OperatorMistake),
    );
    expect(done).toBe(free(user) + amount >= 0);
    if (done) credit(user, amount, amount);
  }),
);

const clockJump = fc
  .constantFrom(1_000, 16_000, 61_000, 301_000, 901_000, 3_601_000, 21_601_000, 86_401_000, -30_000, -3_600_000)
  .map((milliseconds) =>
    command(`clockJump(${milliseconds} ms)`, async (_model, real) => real.clock.advance(milliseconds)),
  );

export const moneyCommands: fc.Arbitrary<MoneyCommand>[] = [
  topUp,
  topUp,
  topUp,
  atBank,
  atBank,
  verify,
  verify,
  lostAnswer,
  giveUp,
  reconcile,
  sweep,
  gift,
  transfer,
  transfer,
  refund,
  refund,
  refund,
  reverse,
  reverse,
  adminAdjust,
  clockJump,
];
