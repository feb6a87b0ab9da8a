import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { getUserAccounts } from '../../src/modules/ledger/user-accounts.ts';
import { confirmPayment } from '../../src/modules/payments/confirm-payment.ts';
import type { Gateway, StartResult } from '../../src/modules/payments/gateway.ts';
import { reconcilePayments, sweepUnverified } from '../../src/modules/payments/reconcile-payments.ts';
import { listPaymentsToReview, reviewPayment } from '../../src/modules/payments/review-payment.ts';
import type { InquiryResult, VerifyResult } from '../../src/modules/payments/rules.ts';
import { sendRefund } from '../../src/modules/payments/send-refund.ts';
import { listRefundQueue } from '../../src/modules/payments/settle-refund.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { inherited } from '../inherited.ts';
import { actor, openTestWorld, TEST_MASTER_KEY, type TestUser, type TestWorld, unlimited } from '../world.ts';

/** A bank that answers as the test sets it. */
const bank = {
  start: undefined as StartResult | undefined,
  verify: { kind: 'not-paid', evidence: {} } as VerifyResult,
  inquiry: 'in-bank' as InquiryResult,
  unverified: [] as string[],
  authorities: 0,
};
const gateway: Gateway = {
  name: 'zarinpal',
  title: { fa: 'زرین‌پال', en: 'Zarinpal' },
  test: false,
  pages: () => ['https://bank.example/pay'],
  start: async () => {
    bank.authorities += 1;
    const authority = `A${String(bank.authorities).padStart(35, '0')}`;
    return (
      bank.start ?? { kind: 'started', gatewayReference: authority, paymentUrl: `https://bank.example/${authority}` }
    );
  },
  readReturn: ({ authority, status }) => ({
    gatewayReference: authority,
    outcome: status === 'OK' || status === 'ok' ? 'ok' : 'nok',
  }),
  verify: async () => bank.verify,
  inquire: async () => bank.inquiry,
  refund: async () => ({ kind: 'by-hand', reason: 'test' }),
  findRefund: async () => ({ kind: 'not-done' }),
  listUnverified: async () => bank.unverified.map((gatewayReference) => ({ gatewayReference, amountToman: 50_000 })),
};

const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;
let user: TestUser;

beforeAll(async () => {
  world = await openTestWorld({
    clock,
    overrides: { minuteLimit: unlimited, gateways: new Map<GatewayName, Gateway>([['zarinpal', gateway]]) },
  });
  user = await world.user();
});
afterEach(async () => {
  Object.assign(bank, {
    start: undefined,
    verify: { kind: 'not-paid', evidence: {} },
    inquiry: 'in-bank',
    unverified: [],
  });
  await world.proveLedger();
});
afterAll(() => world.close());

let references = 0;
const nextReference = () => {
  references += 1;
  return `ref-${references}`;
};
const paid = (): VerifyResult => ({
  kind: 'paid',
  refId: nextReference(),
  cardMask: '502229******5995',
  evidence: { code: 100 },
});
const balance = async () => (await user.api.getWallet()).data.balance;
const charge = () => user.api.chargeWallet({ body: { amount: 50_000, payment_method: 'zarinpal' } });
const verify = (id: string) => user.api.verifyCharge({ body: { transaction_id: id } });
const row = async (id: string) =>
  (
    await sql<{
      state: string;
      gateway_reference: string;
    }>`SELECT state, gateway_reference FROM payment WHERE id = ${id}`.execute(world.deps.db)
  ).rows[0];

async function returnUrl(id: string): Promise<string> {
  const { returnUrl } = await import('../../src/modules/payments/return-seal.ts');
  return returnUrl({ vault: world.deps.vault, publicUrl: world.origin }, 'zarinpal', id);
}

async function comeBack(id: string, query: string): Promise<string> {
  const response = await fetch(`${await returnUrl(id)}?${query}`, { redirect: 'manual' });
  return response.headers.get('location') ?? String(response.status);
}

test('T-G3 the return arrives ten times and again a month later: one credit', async () => {
  const before = await balance();
  const { transaction_id: id } = await charge();
  bank.verify = paid();
  for (let times = 0; times < 10; times += 1)
    expect(await comeBack(id, `Authority=${(await row(id))?.gateway_reference}&Status=OK`)).toContain('outcome=ok');
  clock.advance(10 * 60_000);
  expect(await comeBack(id, 'authority=x&status=ok')).toContain('outcome=');
  expect(await balance()).toBe(before + 50_000);
});

test('T-G4 the answer to verify is lost: the reconciler credits when its time comes', async () => {
  const before = await balance();
  const { transaction_id: id } = await charge();
  bank.verify = { kind: 'unknown', reason: 'TimeoutError' };
  await expect(verify(id)).rejects.toMatchObject({ code: 'payment_pending', status: 409 });
  expect(await reconcilePayments(world.deps)).toBe(0);
  clock.advance(16_000);
  bank.verify = paid();
  expect(await reconcilePayments(world.deps)).toBe(1);
  expect(await balance()).toBe(before + 50_000);
});

test('T-G5 the return never arrives: the sweep of unverified payments credits', async () => {
  const before = await balance();
  const { transaction_id: id } = await charge();
  bank.verify = paid();
  bank.unverified = [(await row(id))?.gateway_reference as string, `A${'9'.repeat(35)}`];
  await sweepUnverified(world.deps);
  expect(await balance()).toBe(before + 50_000);
});

test('T-G6 Status=OK while the bank reports unpaid: nothing is credited, the payment stays open', async () => {
  const before = await balance();
  const { transaction_id: id } = await charge();
  await comeBack(id, `Authority=${(await row(id))?.gateway_reference}&Status=OK`);
  expect((await row(id))?.state).toBe('redirected');
  expect(await balance()).toBe(before);
});

test('the payer declines: cancelled; paid after all: a late success is credited', async () => {
  const before = await balance();
  const { transaction_id: id } = await charge();
  expect(await comeBack(id, `Authority=${(await row(id))?.gateway_reference}&Status=NOK`)).toContain('outcome=nok');
  expect((await row(id))?.state).toBe('cancelled');
  await expect(verify(id)).rejects.toMatchObject({ code: 'payment_failed', status: 402 });
  bank.verify = paid();
  expect(await verify(id)).toMatchObject({ status: 'completed', amount: 50_000 });
  expect(await balance()).toBe(before + 50_000);
});

test('T-G7 another amount: left to the operator, never credited', async () => {
  const before = await balance();
  const { transaction_id: id } = await charge();
  bank.verify = { kind: 'mismatch', evidence: { code: -50 } };
  await expect(verify(id)).rejects.toMatchObject({ code: 'payment_pending' });
  bank.verify = paid();
  await expect(verify(id)).rejects.toMatchObject({ code: 'payment_pending' });
  expect((await row(id))?.state).toBe('needs_review');
  expect(await balance()).toBe(before);
});

test('T-G8 a foreign gateway reference, a broken seal, another gateway', async () => {
  const before = await balance();
  const { transaction_id: id } = await charge();
  const other = await charge();
  bank.verify = paid();
  const foreign = (await row(other.transaction_id))?.gateway_reference;
  expect(await comeBack(id, `Authority=${foreign}&Status=OK`)).toContain('outcome=nok');
  await expect(
    user.api.verifyCharge({ body: { transaction_id: id, authority: foreign as string } }),
  ).rejects.toMatchObject({ code: 'payment_mismatch' });
  const url = await returnUrl(id);
  for (const bad of [url.slice(0, -1), url.replace('zarinpal', 'nextpay'), `${url.slice(0, -4)}AAAA`]) {
    expect((await fetch(`${bad}?Status=OK`, { redirect: 'manual' })).status).toBe(404);
  }
  expect(await balance()).toBe(before);
});

test('T-G9 a bank that refuses or does not answer the start: no payment URL, nothing lost', async () => {
  bank.start = { kind: 'refused', reason: 'zarinpal -11' };
  await expect(charge()).rejects.toMatchObject({ code: 'payment_refused', status: 502 });
  bank.start = { kind: 'unknown', reason: 'TimeoutError' };
  await expect(charge()).rejects.toMatchObject({ code: 'gateway_unavailable', status: 503 });
});

test('one reference number is credited to one payment only', async () => {
  const first = await charge();
  const second = await charge();
  const before = await balance();
  const answer = paid();
  bank.verify = answer;
  await verify(first.transaction_id);
  await expect(verify(second.transaction_id)).rejects.toMatchObject({ code: 'payment_pending' });
  expect((await row(second.transaction_id))?.state).toBe('needs_review');
  expect(await balance()).toBe(before + 50_000);
});

test('a reference that was credited before: the operator sees for which payment, and can still credit', async () => {
  const [first, second] = [(await charge()).transaction_id, (await charge()).transaction_id];
  const before = await balance();
  const answer = { ...paid(), refId: '4711' } as VerifyResult;
  bank.verify = answer;
  await verify(first);
  await expect(verify(second)).rejects.toMatchObject({ code: 'payment_pending' });
  const verdict = { paymentId: second, outcome: 'credited', actor, operator: 'sara', note: 'both are there' } as const;
  const taken = { kind: 'reference-taken', by: first };
  expect(await reviewPayment(world.deps, { ...verdict, refId: '4711' })).toEqual(taken);
  expect(await balance()).toBe(before + 50_000);
  const anyway = { ...verdict, refId: '4711', isSameReference: true };
  expect(await reviewPayment(world.deps, anyway)).toMatchObject({ kind: 'settled' });
  expect(await reviewPayment(world.deps, anyway)).toEqual({ kind: 'not-waiting' });
  expect(await balance()).toBe(before + 100_000);
  expect((await user.api.getPayment({ params: { id: second } })).data.payment).toMatchObject({
    status: 'completed',
    reference_id: `4711/${second}`,
  });

  // It has no reference of its own for the refund call, so the operator sends it.
  await user.api.refundPayment({ params: { id: second } });
  const { rows } = await sql<{ id: string }>`SELECT id FROM refund WHERE payment_id = ${second}`.execute(world.deps.db);
  const refundRequests: unknown[] = [];
  const watched: Gateway = {
    ...gateway,
    refund: async (request) => {
      refundRequests.push(request);
      return { kind: 'by-hand', reason: 'test' };
    },
  };
  const deps = { ...world.deps, gateways: new Map<GatewayName, Gateway>([['zarinpal', watched]]) };
  await sendRefund(deps, rows[0]?.id as string);
  expect(refundRequests).toEqual([]);
  const [queued] = (await listRefundQueue(world.deps.db)).filter(({ payment_id }) => payment_id === second);
  expect(queued).toMatchObject({ route: 'hand', failure: 'the payment has no reference of its own at the bank' });
});

test('the command line names the payment that has a reference, and accepts the flag', async () => {
  const [first, second] = [(await charge()).transaction_id, (await charge()).transaction_id];
  bank.verify = { ...paid(), refId: '4712' } as VerifyResult;
  await verify(first);
  await expect(verify(second)).rejects.toMatchObject({ code: 'payment_pending' });
  const credit = (...flags: string[]) => {
    const command = ['payments', 'credit', '--id', second, '--ref', '4712', '--by', 'sara', '--note', 'both', ...flags];
    const cli = join(import.meta.dirname, '../../src/cli.ts');
    const { databaseUrl: DATABASE_URL, config } = world.deps;
    const env = { ...inherited, DATABASE_URL, MASTER_KEY: TEST_MASTER_KEY, DATA_DIR: config.dataDir };
    return spawnSync(process.execPath, [cli, ...command], { encoding: 'utf8', env });
  };
  expect(credit()).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(`Reference 4712 is credited to payment ${first}.`),
  });
  expect(credit('--same-ref')).toMatchObject({ status: 0, stdout: `Payment ${second}: credited.\n` });
  expect((await row(second))?.state).toBe('completed');
});

test('the flag for a reference that was credited before has no effect on a new reference', async () => {
  const { transaction_id: id } = await charge();
  bank.verify = { kind: 'mismatch', evidence: { code: -50 } };
  await expect(verify(id)).rejects.toMatchObject({ code: 'payment_pending' });
  const refId = nextReference();
  const verdict = { paymentId: id, outcome: 'credited', actor, operator: 'sara', note: 'in the panel', refId } as const;
  expect(await reviewPayment(world.deps, { ...verdict, isSameReference: true })).toMatchObject({ kind: 'settled' });
  expect((await user.api.getPayment({ params: { id } })).data.payment.reference_id).toBe(refId);
});

test('a payment that cannot be settled does not keep the reconciler from the others', async () => {
  user = await world.user();
  const before = await balance();
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.push((await charge()).transaction_id);
  const broken = (await row(ids[0] as string))?.gateway_reference;
  const failing: Gateway = {
    ...gateway,
    verify: async ({ gatewayReference }) => {
      if (gatewayReference === broken) throw new Error('an unexpected answer');
      return paid();
    },
  };
  const deps = { ...world.deps, gateways: new Map<GatewayName, Gateway>([['zarinpal', failing]]) };
  clock.advance(15_000);
  await reconcilePayments(deps);
  expect(await balance()).toBe(before + 100_000);
  bank.unverified = [broken as string];
  await sweepUnverified(deps);
  bank.verify = paid();
  await sweepUnverified(world.deps);
  expect(await balance()).toBe(before + 150_000);
});

test('no final answer about a payment: after the last check it goes to the operator, and a late answer still counts', async () => {
  const wallet = async () => Number((await getUserAccounts(world.deps.db, user.id)).walletToman);
  const before = await wallet();
  const [first, second] = [(await charge()).transaction_id, (await charge()).transaction_id];
  bank.verify = { kind: 'unknown', reason: 'zarinpal -15' };
  const waiting = async () => (await listPaymentsToReview(world.deps.db)).map(({ id }) => id);
  for (let hours = 0; hours < 72; hours += 8) {
    expect(await waiting()).not.toContain(first);
    clock.advance(8 * 3_600_000);
    await reconcilePayments(world.deps);
  }
  expect(await waiting()).toEqual(expect.arrayContaining([first, second]));
  const verdict = { paymentId: second, actor, operator: 'sara', note: 'in the panel', refId: nextReference() };
  expect(await reviewPayment(world.deps, { ...verdict, outcome: 'credited' })).toMatchObject({ kind: 'settled' });
  bank.verify = paid();
  await confirmPayment(world.deps, first);
  expect(await waiting()).not.toContain(first);
  expect(await wallet()).toBe(before + 100_000);
  user = await world.user();
});

test('cancelled, and then the bank holds another amount: it goes to the operator', async () => {
  const { transaction_id: id } = await charge();
  await comeBack(id, `Authority=${(await row(id))?.gateway_reference}&Status=NOK`);
  expect((await row(id))?.state).toBe('cancelled');
  bank.verify = { kind: 'mismatch', evidence: { code: -50 } };
  clock.advance(15_000);
  await reconcilePayments(world.deps);
  expect((await row(id))?.state).toBe('needs_review');
});

test('never paid: after the last check the payment has failed', async () => {
  const { transaction_id: id } = await charge();
  for (let checks = 0; checks < 12; checks += 1) {
    clock.advance(86_400_000);
    await reconcilePayments(world.deps);
  }
  expect((await row(id))?.state).toBe('failed');
});

describe('a payment that the operator found unpaid, or sent back', () => {
  // The clock moves further than a session lasts.
  beforeEach(async () => {
    user = await world.user();
  });
  const wallet = async () => Number((await getUserAccounts(world.deps.db, user.id)).walletToman);
  const fail = (paymentId: string) =>
    reviewPayment(world.deps, { paymentId, outcome: 'failed', actor, operator: 'sara', note: 'sent back by hand' });
  const stateAfterQuery = async (id: string) => (await confirmPayment(world.deps, id))?.state;

  async function letAllChecksPass(): Promise<void> {
    bank.verify = { kind: 'unknown', reason: 'TimeoutError' };
    for (let days = 0; days < 4; days += 1) {
      clock.advance(86_400_000);
      await reconcilePayments(world.deps);
    }
  }

  /** Whatever the bank reports later: back to the operator once, never into the wallet, and not a third time. */
  async function expectVerdictStands(id: string): Promise<void> {
    const before = await wallet();
    expect(await fail(id)).toMatchObject({ kind: 'settled' });
    expect(await stateAfterQuery(id)).toBe('failed');
    bank.verify = paid();
    bank.unverified = [(await row(id))?.gateway_reference as string];
    await sweepUnverified(world.deps);
    expect(await stateAfterQuery(id)).toBe('needs_review');
    const [waiting] = (await listPaymentsToReview(world.deps.db)).filter((payment) => payment.id === id);
    const review = { by: 'sara', note: 'sent back by hand' };
    expect(waiting?.evidence).toMatchObject({ bank: { code: 100 }, before: { review } });
    expect(await fail(id)).toMatchObject({ kind: 'settled' });
    await sweepUnverified(world.deps);
    expect(await stateAfterQuery(id)).toBe('failed');
    expect(await wallet()).toBe(before);
  }

  test('the bank’s amount did not fit, and then it reports a bare "verified before"', async () => {
    const { transaction_id: id } = await charge();
    bank.verify = { kind: 'mismatch', evidence: { code: 0, data: { order_id: 'another' } } };
    await expect(verify(id)).rejects.toMatchObject({ code: 'payment_pending' });
    bank.verify = { kind: 'unknown', reason: 'TimeoutError' };
    await expectVerdictStands(id);
    await expect(verify(id)).rejects.toMatchObject({ code: 'payment_failed' });
  });

  test('the bank never answered, and then it reports "paid"', async () => {
    const { transaction_id: id } = await charge();
    await letAllChecksPass();
    await expectVerdictStands(id);
  });

  test('the operator decides while the bank is being queried', async () => {
    const { transaction_id: id } = await charge();
    await letAllChecksPass();
    const before = await wallet();
    const slow: Gateway = {
      ...gateway,
      verify: async () => {
        expect(await fail(id)).toMatchObject({ kind: 'settled' });
        return paid();
      },
    };
    const deps = { ...world.deps, gateways: new Map<GatewayName, Gateway>([['zarinpal', slow]]) };
    expect((await confirmPayment(deps, id))?.state).toBe('needs_review');
    expect(await wallet()).toBe(before);
  });
});
