import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { redeemGiftCard } from '../../src/modules/gift-cards/redeem-card.ts';
import { cancelPayment } from '../../src/modules/payments/cancel-payment.ts';
import { confirmPayment } from '../../src/modules/payments/confirm-payment.ts';
import { reconcilePayments, sweepUnverified } from '../../src/modules/payments/reconcile-payments.ts';
import { requestRefund } from '../../src/modules/payments/request-refund.ts';
import { sendRefund } from '../../src/modules/payments/send-refund.ts';
import { transferMoney } from '../../src/modules/wallet/transfer-money.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { openTestWorld, type TestWorld } from '../world.ts';
import { charge, compareWithBanks, confirmed, gateways, makeUser, payer, walletOf } from './bench.ts';

/**
 * T-M2: a few flows on one user's money, interleaved in orders chosen by fast-check at every answer of a bank and every
 * reading of the clock, against the real PostgreSQL. In every order, no money is lost and none is created.
 */
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld({ clock });
});
afterAll(() => world.close());

const RUNS = Math.ceil(Number(process.env.MONEY_SEEDS ?? 300) / 5);

/** Every answer of a bank waits for its turn. */
function scheduledDeps(scheduler: fc.Scheduler): TestWorld['deps'] {
  const slowed = new Map(
    [...world.deps.gateways].map(([name, gateway]) => [
      name,
      {
        ...gateway,
        verify: scheduler.scheduleFunction(gateway.verify),
        inquire: scheduler.scheduleFunction(gateway.inquire),
        refund: scheduler.scheduleFunction(gateway.refund),
        listUnverified: scheduler.scheduleFunction(gateway.listUnverified),
      },
    ]),
  );
  return { ...world.deps, gateways: slowed };
}

async function quietly(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'done';
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

test('T-M2 two to four flows interleaved: each paid payment credited once, sums kept, no wallet below zero', {
  timeout: 24 * 3_600_000,
}, async () => {
  const flows = fc.subarray(['verify', 'return', 'reconcile', 'sweep', 'cancel', 'refund', 'transfer', 'gift'], {
    minLength: 2,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      flows,
      fc.constantFrom(...gateways),
      fc.boolean(),
      async (scheduler, chosen, gateway, pays) => {
        const [user, friend] = [await makeUser(world), await makeUser(world)];
        const earlier = await charge(world, user.id, 'zarinpal', 40_000);
        await payer(world, earlier, 'PAID');
        await confirmPayment(world.deps, earlier);
        const id = await charge(world, user.id, gateway, 70_000);
        if (pays) await payer(world, id, 'PAID');
        clock.advance(16_000);
        const card = await world.giftCard(100);
        const deps = scheduledDeps(scheduler);
        const run: Record<string, () => Promise<unknown>> = {
          verify: () => confirmPayment(deps, id),
          return: () => confirmPayment(deps, id, { returned: pays ? 'ok' : 'nok' }),
          reconcile: () => reconcilePayments(deps),
          sweep: () => sweepUnverified(deps),
          cancel: () => cancelPayment(deps, user.id, id),
          refund: async () => {
            await requestRefund(deps, { userId: user.id, paymentId: earlier });
            const { rows } = await refundsOf(earlier);
            await sendRefund(deps, rows[0]?.id as string);
          },
          transfer: () =>
            transferMoney(deps, { fromUserId: user.id, toEmail: friend.email, amountToman: 35_000, ...confirmed }),
          gift: () => redeemGiftCard(deps, { userId: user.id, code: card }),
        };
        const outcomes = Promise.all(chosen.map((flow) => quietly((run[flow] as () => Promise<unknown>)())));
        await scheduler.waitFor(outcomes);
        await confirmPayment(world.deps, id);
        const done = new Map(chosen.map((flow, index) => [flow, index]));
        const results = await outcomes;
        const did = (flow: string) => done.has(flow) && results[done.get(flow) as number] === 'done';
        const { rows } = await refundsOf(earlier);
        const refunded = rows.reduce((sum, row) => sum + (row.state === 'failed' ? 0 : Number(row.amount_toman)), 0);
        const expected = 40_000 + (pays ? 70_000 : 0) + (did('gift') ? 80_000 : 0) - refunded;
        expect((await walletOf(world, user.id)) + (await walletOf(world, friend.id))).toBe(expected);
        expect(await walletOf(world, friend.id)).toBe(did('transfer') ? 35_000 : 0);
        await world.proveLedger();
      },
    ),
    { numRuns: RUNS, seed: 20_261_120, endOnFailure: true },
  );
  expect(await compareWithBanks(world)).toEqual([]);
});

async function refundsOf(paymentId: string) {
  const { sql } = await import('kysely');
  return await sql<{ id: string; state: string; amount_toman: bigint }>`
    SELECT id, state, amount_toman FROM refund WHERE payment_id = ${paymentId}
  `.execute(world.deps.db);
}
