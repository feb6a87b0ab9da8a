import { type GatewayName, paymentGateways } from '@raha/contract/payment-gateways.ts';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { getUserAccounts } from '../../src/modules/ledger/user-accounts.ts';
import { describePayments } from '../../src/modules/payments/describe-payment.ts';
import type { Gateway } from '../../src/modules/payments/gateway.ts';
import { refundRequested } from '../../src/modules/payments/jobs.ts';
import { checkForReversal } from '../../src/modules/payments/reverse-payment.ts';
import { reconcileRefunds, sendRefund } from '../../src/modules/payments/send-refund.ts';
import { listRefundQueue, settleRefundByHand } from '../../src/modules/payments/settle-refund.ts';
import { transferMoney } from '../../src/modules/wallet/transfer-money.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { bankSession, payAndVerify } from '../bank.ts';
import { confirmed } from '../money/bench.ts';
import { actor, eventually, openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** Refunds: by the bank's call, by the panel, by hand; failed, lost and requested simultaneously. */
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

const balance = async () => Number((await getUserAccounts(world.deps.db, user.id)).walletToman);
const shown = async (id: string) => (await describePayments(world.deps, user.id, [id], 'fa')).get(id);
const session = (id: string) => bankSession(world, id);
const paid = (gateway: GatewayName, amount?: number) => payAndVerify(user, gateway, amount);

async function refundOf(paymentId: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM refund WHERE payment_id = ${paymentId} ORDER BY (state <> 'failed') DESC LIMIT 1
  `.execute(world.deps.db);
  return rows[0]?.id as string;
}
const send = async (paymentId: string) => sendRefund(world.deps, await refundOf(paymentId));

/** A payment whose refund never reached the bank, at the time when it is looked up. */
async function sentWithoutAnswer(): Promise<string> {
  const id = await paid('zarinpal');
  await user.api.refundPayment({ params: { id } });
  world.deps.bankFaults.plan('zarinpal', 'refund', 'cut');
  await send(id);
  clock.advance(5 * 60_000);
  return id;
}

test.each(['zarinpal', 'nextpay'] as const)(
  '%s: the whole payment, minutes later: the bank’s own call sends it back',
  async (gateway) => {
    const before = await balance();
    const id = await paid(gateway);
    const { data, message } = await user.api.refundPayment({ params: { id } });
    expect(message).toBe('درخواست بازگردانی وجه با موفقیت ثبت شد');
    expect(data.payment).toMatchObject({
      status: 'completed',
      refundable: false,
      refund: { status: 'requested', amount: 50_000 },
    });
    expect(await balance()).toBe(before);
    await world.proveLedger();
    await send(id);
    expect((await session(id))?.state).toBe('REVERSED');
    expect(await shown(id)).toMatchObject({ status: 'refunded', refundable: false, refund: { status: 'confirmed' } });
    expect(await balance()).toBe(before);
    await expect(user.api.refundPayment({ params: { id } })).rejects.toMatchObject({ code: 'refund_started' });
  },
);

test('Zarinpal, a part, or later than half an hour: the panel sends it', async () => {
  const id = await paid('zarinpal', 60_000);
  await user.api.refundPayment({ params: { id }, body: { amount: 25_000, reason: 'اشتباه شد' } });
  await send(id);
  expect(await session(id)).toMatchObject({ state: 'VERIFIED', refunded_rial: 250_000n });
  // PAYA pays it out later: until the panel lists it as refunded, it is on its way.
  expect(await shown(id)).toMatchObject({ refund: { status: 'sent', amount: 25_000 } });
  expect((await shown(id))?.refund?.tracking_code).toMatch(/./);

  const late = await paid('zarinpal');
  await user.api.refundPayment({ params: { id: late } });
  clock.advance(31 * 60_000);
  await send(late);
  expect(await session(late)).toMatchObject({ state: 'VERIFIED', refunded_rial: 500_000n });
  clock.advance(3_600_000);
  await reconcileRefunds(world.deps);
  expect(await shown(id)).toMatchObject({ refund: { status: 'confirmed', amount: 25_000 } });
  expect(await shown(late)).toMatchObject({ status: 'refunded', refund: { status: 'confirmed' } });
});

test('IDPay, and NextPay after twenty minutes: the operator’s queue; sent, then confirmed', async () => {
  for (const gateway of ['idpay', 'nextpay'] as const) {
    const id = await paid(gateway);
    await user.api.refundPayment({ params: { id } });
    clock.advance(gateway === 'nextpay' ? 21 * 60_000 : 0);
    await send(id);
    const refundId = await refundOf(id);
    expect((await listRefundQueue(world.deps.db)).map((refund) => refund.id)).toContain(refundId);
    expect(await shown(id)).toMatchObject({ status: 'completed', refund: { status: 'requested' } });
    const verdict = { refundId, actor, operator: 'sara', tracking: 'P-7781' } as const;
    expect(await settleRefundByHand(world.deps, { ...verdict, outcome: 'sent' })).toBe(true);
    expect(await shown(id)).toMatchObject({ status: 'refunded', refund: { status: 'sent', tracking_code: 'P-7781' } });
    expect(await settleRefundByHand(world.deps, { ...verdict, outcome: 'confirmed' })).toBe(true);
    expect(await settleRefundByHand(world.deps, { ...verdict, outcome: 'failed' })).toBe(false);
    expect((await listRefundQueue(world.deps.db)).map((refund) => refund.id)).not.toContain(refundId);
  }
});

test('a refund that fails returns the money to the wallet, and may be requested again', async () => {
  const before = await balance();
  const id = await paid('nextpay');
  await user.api.refundPayment({ params: { id } });
  // The bank no longer holds it as verified: a definite refusal (-91).
  await sql`UPDATE test_bank_session SET state = 'FAILED' WHERE order_id = ${id}`.execute(world.deps.db);
  await send(id);
  expect(await balance()).toBe(before + 50_000);
  expect(await shown(id)).toMatchObject({ status: 'completed', refundable: true, refund: { status: 'failed' } });
  await sql`UPDATE test_bank_session SET state = 'VERIFIED' WHERE order_id = ${id}`.execute(world.deps.db);
  await user.api.refundPayment({ params: { id } });
  await send(id);
  expect(await shown(id)).toMatchObject({ status: 'refunded', refund: { status: 'confirmed' } });
  expect(await balance()).toBe(before);
});

test('the operator refuses: the money is in the wallet again', async () => {
  const before = await balance();
  const id = await paid('idpay');
  await user.api.refundPayment({ params: { id } });
  await send(id);
  const verdict = {
    refundId: await refundOf(id),
    actor,
    operator: 'sara',
    note: 'کارت بسته است',
    outcome: 'failed',
  } as const;
  expect(await settleRefundByHand(world.deps, verdict)).toBe(true);
  expect(await balance()).toBe(before + 50_000);
});

test('a refund failed, and then the bank reverses the payment by itself: this is still booked', async () => {
  const before = await balance();
  const id = await paid('idpay');
  await user.api.refundPayment({ params: { id }, body: { amount: 2_000 } });
  await send(id);
  const verdict = {
    refundId: await refundOf(id),
    actor,
    operator: 'sara',
    note: 'کارت بسته است',
    outcome: 'failed',
  } as const;
  expect(await settleRefundByHand(world.deps, verdict)).toBe(true);
  expect(await balance()).toBe(before + 50_000);
  await sql`UPDATE test_bank_session SET state = 'REVERSED' WHERE order_id = ${id}`.execute(world.deps.db);
  await checkForReversal(world.deps, id);
  await checkForReversal(world.deps, id);
  expect(await balance()).toBe(before);
  expect(await shown(id)).toMatchObject({ status: 'refunded', refundable: false });
});

test('two percent refunded, and then the bank reverses the payment: the whole of it is booked', async () => {
  const before = await balance();
  const id = await paid('zarinpal', 60_000);
  await user.api.refundPayment({ params: { id }, body: { amount: 2_500 } });
  await send(id);
  clock.advance(3_600_000);
  await reconcileRefunds(world.deps);
  expect(await shown(id)).toMatchObject({ refund: { status: 'confirmed' } });
  await sql`UPDATE test_bank_session SET state = 'REVERSED' WHERE order_id = ${id}`.execute(world.deps.db);
  await checkForReversal(world.deps, id);
  await checkForReversal(world.deps, id);
  expect(await balance()).toBe(before - 2_500);
});

test.each([undefined, 25_000])(
  'a refund of %s waits when the bank reverses the payment: never sent',
  async (amount) => {
    const before = await balance();
    const id = await paid('zarinpal', 60_000);
    await user.api.refundPayment({ params: { id }, ...(amount ? { body: { amount } } : {}) });
    await sql`UPDATE test_bank_session SET state = 'REVERSED' WHERE order_id = ${id}`.execute(world.deps.db);
    await checkForReversal(world.deps, id);
    await send(id);
    expect(await session(id)).toMatchObject({ refunded_rial: 0n });
    expect(await shown(id)).toMatchObject({ status: 'refunded', refund: { status: 'failed' } });
    expect(await balance()).toBe(before);
  },
);

test('the bank reversed and its answer was lost: looked up, booked once, never sent twice', async () => {
  const before = await balance();
  const id = await paid('zarinpal');
  await user.api.refundPayment({ params: { id } });
  world.deps.bankFaults.plan('zarinpal', 'refund', 'cut-after');
  await send(id);
  expect(await shown(id)).toMatchObject({ status: 'completed', refund: { status: 'requested' } });
  await world.proveLedger();
  clock.advance(5 * 60_000);
  await reconcileRefunds(world.deps);
  expect(await shown(id)).toMatchObject({ status: 'refunded', refund: { status: 'confirmed' } });
  expect(await balance()).toBe(before);
});

test('the panel took a refund and its answer was lost: found in the list of refunded sessions', async () => {
  const id = await paid('zarinpal', 80_000);
  await user.api.refundPayment({ params: { id }, body: { amount: 30_000 } });
  // The first request to the panel finds the session, the second is the refund.
  world.deps.bankFaults.plan('zarinpal', 'panel', 'cut-after');
  await send(id);
  expect((await listRefundQueue(world.deps.db)).map((refund) => refund.payment_id)).toContain(id);
  expect(await session(id)).toMatchObject({ refunded_rial: 0n });
});

test('the panel took a refund and never lists it as refunded: never requested again, left to the operator', async () => {
  const id = await paid('zarinpal', 60_000);
  await user.api.refundPayment({ params: { id }, body: { amount: 25_000 } });
  await send(id);
  const bank = world.deps.gateways.get('zarinpal') as Gateway;
  for (const found of ['not-done', 'unknown'] as const) {
    for (let times = 0; times < 6; times += 1) {
      clock.advance(5 * 86_400_000);
      const blind: Gateway = { ...bank, findRefund: async () => ({ kind: found }) };
      await reconcileRefunds({ ...world.deps, gateways: new Map([['zarinpal', blind]]) });
    }
  }
  expect(await session(id)).toMatchObject({ refunded_rial: 250_000n });
  expect((await listRefundQueue(world.deps.db)).find((refund) => refund.payment_id === id)?.state).toBe('unknown');
});

test('the panel’s session has another amount: it is not ours, and the operator sends the refund', async () => {
  const id = await paid('zarinpal', 60_000);
  await user.api.refundPayment({ params: { id }, body: { amount: 25_000 } });
  await sql`UPDATE test_bank_session SET amount_rial = 990000 WHERE order_id = ${id}`.execute(world.deps.db);
  await send(id);
  expect(await session(id)).toMatchObject({ refunded_rial: 0n });
  const refund = (await listRefundQueue(world.deps.db)).find((one) => one.payment_id === id);
  expect(refund).toMatchObject({ state: 'requested', route: 'hand' });
});

test.each([
  ['was never done', { kind: 'not-done' }],
  ['is not known', { kind: 'unknown' }],
  ['arrived', { kind: 'confirmed', tracking: 'B-1', evidence: {} }],
] as const)('the operator sends it during a query, then the bank answers that it %s: sent once', async (_, found) => {
  const id = await paid('zarinpal');
  await user.api.refundPayment({ params: { id } });
  world.deps.bankFaults.plan('zarinpal', 'refund', 'cut');
  await send(id);
  clock.advance(5 * 60_000);
  const bank = world.deps.gateways.get('zarinpal') as Gateway;
  const verdict = { refundId: await refundOf(id), actor, operator: 'sara', tracking: 'P-1', outcome: 'sent' } as const;
  let sent = 0;
  const slow: Gateway = {
    ...bank,
    findRefund: async () => {
      expect(await settleRefundByHand(world.deps, verdict)).toBe(true);
      return found;
    },
    refund: async () => {
      sent += 1;
      return { kind: 'confirmed', tracking: undefined, evidence: {} };
    },
  };
  await reconcileRefunds({ ...world.deps, gateways: new Map([['zarinpal', slow]]) });
  expect(sent).toBe(0);
  expect(await shown(id)).toMatchObject({ refund: { status: 'sent', tracking_code: 'P-1' } });
  clock.advance(86_400_000);
  await reconcileRefunds(world.deps);
  expect((await session(id))?.state).toBe('VERIFIED');
  expect(await settleRefundByHand(world.deps, { ...verdict, outcome: 'confirmed' })).toBe(true);
});

test('two workers query one refund, one of them late: it is sent once', async () => {
  await sentWithoutAnswer();
  const bank = world.deps.gateways.get('zarinpal') as Gateway;
  let sent = 0;
  const quick: Gateway = {
    ...bank,
    findRefund: async () => ({ kind: 'not-done' }),
    refund: async () => {
      sent += 1;
      return { kind: 'unknown', reason: 'slow' };
    },
  };
  const late: Gateway = {
    ...quick,
    findRefund: async () => {
      clock.advance(301_000);
      await reconcileRefunds({ ...world.deps, gateways: new Map([['zarinpal', quick]]) });
      return { kind: 'not-done' };
    },
  };
  await reconcileRefunds({ ...world.deps, gateways: new Map([['zarinpal', late]]) });
  expect(sent).toBe(1);
});

test('NextPay does not answer a refund: the outcome is not guessed, but left to the operator', async () => {
  const id = await paid('nextpay');
  await user.api.refundPayment({ params: { id } });
  world.deps.bankFaults.plan('nextpay', 'refund', 'cut-after');
  await send(id);
  for (let times = 0; times < 12; times += 1) {
    clock.advance(86_400_000);
    await reconcileRefunds(world.deps);
  }
  const queue = await listRefundQueue(world.deps.db);
  expect(queue.find((refund) => refund.payment_id === id)?.state).toBe('unknown');
});

test('at most what is unspent, for seven days, once, and only for one’s own payments', async () => {
  const id = await paid('zarinpal', 50_000);
  const friend = await world.user();
  // The card that activated the account is spent last.
  await transferMoney(world.deps, { fromUserId: user.id, toEmail: friend.email, amountToman: 30_000, ...confirmed });
  expect(await shown(id)).toMatchObject({ refundable: true, refundable_amount: 20_000 });
  await expect(user.api.refundPayment({ params: { id }, body: { amount: 20_001 } })).rejects.toMatchObject({
    code: 'refund_too_large',
  });
  await expect(friend.api.refundPayment({ params: { id } })).rejects.toMatchObject({ code: 'not_found' });
  const open = await user.api.chargeWallet({ body: { amount: 30_000, payment_method: 'nextpay' } });
  await expect(user.api.refundPayment({ params: { id: open.transaction_id } })).rejects.toMatchObject({
    code: 'refund_not_possible',
  });
  clock.advance(7 * 86_400_000 + 1);
  const { requestRefund } = await import('../../src/modules/payments/request-refund.ts');
  await expect(requestRefund(world.deps, { userId: user.id, paymentId: id })).rejects.toMatchObject({
    code: 'refund_not_possible',
  });
});

test('fifty requests for one refund at once, while the money is being spent: one refund, never below zero', async () => {
  for (const gateway of paymentGateways) {
    const id = await paid(gateway);
    const friend = await world.user();
    const transfer = { fromUserId: user.id, toEmail: friend.email, amountToman: await balance(), ...confirmed };
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 50 }, () => user.api.refundPayment({ params: { id } })),
      ...Array.from({ length: 5 }, () => transferMoney(world.deps, transfer)),
    ]);
    const refunds = outcomes.slice(0, 50).filter((outcome) => outcome.status === 'fulfilled').length;
    expect(refunds).toBeLessThanOrEqual(1);
    const codes = outcomes.flatMap((o) => (o.status === 'rejected' ? [(o.reason as { code: string }).code] : []));
    expect(
      codes.filter(
        (code) =>
          !['refund_started', 'refund_not_possible', 'insufficient_balance', 'transfer_limit_reached'].includes(code),
      ),
    ).toEqual([]);
    await world.proveLedger();
    user = await world.user();
  }
});

test('the job sends it by itself', async () => {
  const own = await openTestWorld();
  try {
    await own.deps.jobs.work(refundRequested, ({ refundId }) => sendRefund(own.deps, refundId));
    const { api } = await own.user();
    const id = await payAndVerify({ api }, 'zarinpal');
    await api.refundPayment({ params: { id } });
    const refund = async () => (await api.getPayment({ params: { id } })).data.payment.refund?.status;
    await eventually(async () => ((await refund()) === 'confirmed' ? true : undefined));
    await own.proveLedger();
  } finally {
    await own.close();
  }
});

test('the receipt: a PDF for the payer of a successful payment, and for no other user', async () => {
  const id = await paid('zarinpal', 125_000);
  const response = await fetch(`${world.origin}/api/v1/payments/${id}/receipt`, {
    headers: { authorization: `Bearer ${user.token}` },
  });
  expect(response.headers.get('content-type')).toBe('application/pdf');
  expect(
    Buffer.from(await response.arrayBuffer())
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-');
  const other = await world.user();
  await expect(other.api.downloadReceipt({ params: { id } })).rejects.toMatchObject({ code: 'not_found' });
  const open = await user.api.chargeWallet({ body: { amount: 30_000, payment_method: 'nextpay' } });
  await expect(user.api.downloadReceipt({ params: { id: open.transaction_id } })).rejects.toMatchObject({
    code: 'receipt_not_ready',
  });
});
