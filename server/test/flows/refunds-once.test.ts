import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { testBankPath } from '../../src/adapters/test-bank/test-banks.ts';
import { createZarinpal } from '../../src/adapters/zarinpal/zarinpal.ts';
import type { Gateway } from '../../src/modules/payments/gateway.ts';
import { requestRefund } from '../../src/modules/payments/request-refund.ts';
import { reconcileRefunds, sendRefund } from '../../src/modules/payments/send-refund.ts';
import { listRefundQueue } from '../../src/modules/payments/settle-refund.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { bankSession, payAtBank } from '../bank.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/**
 * Zarinpal can return money by a reverse, which may be repeated, and by AddRefund, which may not: what a lost answer leads
 * to.
 */
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;
let user: TestUser;

beforeAll(async () => {
  world = await openTestWorld({ clock });
});
beforeEach(async () => {
  user = await world.user();
});
afterEach(async () => {
  world.deps.bankFaults.clear();
  await world.proveLedger();
});
afterAll(() => world.close());

const session = (id: string) => bankSession(world, id);
const refundOf = async (paymentId: string) => {
  const { rows } = await sql<{ id: string; state: string }>`
    SELECT id, state FROM refund WHERE payment_id = ${paymentId}
  `.execute(world.deps.db);
  return rows[0] as { id: string; state: string };
};
const zarinpal = () => world.deps.gateways.get('zarinpal') as Gateway;
const by = (gateway: Gateway) => ({
  ...world.deps,
  gateways: new Map<GatewayName, Gateway>([['zarinpal', gateway]]),
});
const needsOperator = async (refundId: string) =>
  (await listRefundQueue(world.deps.db)).find(({ id }) => id === refundId)?.state;

/** A payment with a refund that is to be sent; verified `verifiedAfterMinutes` after it was paid. */
async function refunding(verifiedAfterMinutes = 0): Promise<{ id: string; refundId: string }> {
  const id = await payAtBank(user, 'zarinpal');
  clock.advance(verifiedAfterMinutes * 60_000);
  await user.api.verifyPayment({ params: { id } });
  await requestRefund(world.deps, { userId: user.id, paymentId: id });
  return { id, refundId: (await refundOf(id)).id };
}

async function lookForDays(): Promise<void> {
  for (let days = 0; days < 12; days += 1) {
    clock.advance(86_400_000);
    await reconcileRefunds(world.deps);
  }
}

test.each([true, false])(
  'the reverse never reached the bank: sent again, then confirmed; panel: %s',
  async (hasPanel) => {
    const { id, refundId } = await refunding();
    const url = () => world.origin + testBankPath('zarinpal');
    const merchantId = '00000000-0000-4000-8000-000000000000';
    const deps = hasPanel ? world.deps : by(createZarinpal({ merchantId, apiUrl: url, pageUrl: url, test: true }));
    world.deps.bankFaults.plan('zarinpal', 'refund', 'cut');
    await sendRefund(deps, refundId);
    clock.advance(5 * 60_000);
    await reconcileRefunds(deps);
    expect((await session(id))?.state).toBe('REVERSED');
    expect((await refundOf(id)).state).toBe('confirmed');
  },
);

test('the worker dies after the panel took a refund that it does not list yet, of a whole and recent payment: requested once', async () => {
  // The bank counts half an hour from the payment, we from its verification: it answers the reverse with -63.
  const { id, refundId } = await refunding(10);
  clock.advance(25 * 60_000);
  const bank = zarinpal();
  const dying: Gateway = {
    ...bank,
    refund: async (request) => {
      expect(await bank.refund(request)).toMatchObject({ kind: 'accepted' });
      throw new Error('killed');
    },
  };
  await expect(sendRefund(by(dying), refundId)).rejects.toThrow('killed');
  expect(await session(id)).toMatchObject({ refunded_rial: 500_000n });
  await sql`UPDATE test_bank_session SET refunded_rial = 0 WHERE order_id = ${id}`.execute(world.deps.db);
  await lookForDays();
  expect(await session(id)).toMatchObject({ state: 'VERIFIED', refunded_rial: 0n });
  expect(await needsOperator(refundId)).toBe('unknown');
});

test('time passes between "sent" and the request: the same age is sent and looked up', async () => {
  const { refundId } = await refunding();
  const ages: number[] = [];
  const silent: Gateway = {
    ...zarinpal(),
    refund: async ({ secondsSincePaid }) => {
      ages.push(secondsSincePaid);
      return { kind: 'unknown', reason: 'no answer' };
    },
    findRefund: async ({ secondsSincePaid }) => {
      ages.push(secondsSincePaid);
      return { kind: 'unknown' };
    },
  };
  let minutes = 0;
  const advancingClock = {
    now: () => {
      minutes += 1;
      return new Date(clock.now().getTime() + minutes * 60_000);
    },
  };
  await sendRefund({ ...by(silent), clock: advancingClock }, refundId);
  clock.advance(3_600_000);
  await reconcileRefunds(by(silent));
  expect(ages).toEqual([60, 60]);
});
