import { type GatewayName, paymentGateways } from '@raha/contract/payment-gateways.ts';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BankFault } from '../../src/adapters/test-bank/faults.ts';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { getUserAccounts } from '../../src/modules/ledger/user-accounts.ts';
import { confirmPayment } from '../../src/modules/payments/confirm-payment.ts';
import { describePayments } from '../../src/modules/payments/describe-payment.ts';
import { describeGateways } from '../../src/modules/payments/offered-gateways.ts';
import { reconcilePayments, sweepUnverified } from '../../src/modules/payments/reconcile-payments.ts';
import { returnUrl } from '../../src/modules/payments/return-seal.ts';
import { listPaymentsToReview, reviewPayment } from '../../src/modules/payments/review-payment.ts';
import { transferMoney } from '../../src/modules/wallet/transfer-money.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { confirmed } from '../money/bench.ts';
import { actor, openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** The real adapters against test banks that implement their protocols, over HTTP, with everything that goes wrong. */
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;
let user: TestUser;

beforeAll(async () => {
  world = await openTestWorld({ clock });
});
// A new user each time, because the clock moves further than a session lasts.
beforeEach(async () => {
  user = await world.user();
});
afterEach(async () => {
  world.deps.bankFaults.clear();
  await world.proveLedger();
});
afterAll(() => world.close());

const balance = async (of = user) => Number((await getUserAccounts(world.deps.db, of.id)).walletToman);
const charge = (gateway: GatewayName, amount = 50_000, of = user) =>
  of.api.chargeWallet({ body: { amount, payment_method: gateway } });
const verify = (id: string, of = user) => of.api.verifyCharge({ body: { transaction_id: id } });
const atBank = async (url: string, action: 'pay' | 'cancel') => {
  const response = await fetch(`${url}/${action}`, { method: 'POST', redirect: 'manual' });
  return response.headers.get('location') as string;
};
const visit = async (url: string) => (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '';
const row = async (id: string) => {
  const { rows } = await sql<{ state: string; gateway_reference: string; next_check_at: Date | null }>`
    SELECT state, gateway_reference, next_check_at FROM payment WHERE id = ${id}
  `.execute(world.deps.db);
  return rows[0] as { state: string; gateway_reference: string; next_check_at: Date | null };
};
const atSession = (id: string, change: string) =>
  sql`UPDATE test_bank_session SET ${sql.raw(change)} WHERE order_id = ${id}`.execute(world.deps.db);

describe.each(paymentGateways)('%s', (gateway) => {
  test('T-G0 start, pay, return: credited once, in toman, whatever the unit of the bank', async () => {
    const before = await balance();
    const { transaction_id: id, payment_url } = await charge(gateway, 73_000);
    const session = await sql<{ amount_rial: bigint }>`
      SELECT amount_rial FROM test_bank_session WHERE order_id = ${id}
    `.execute(world.deps.db);
    expect(session.rows[0]?.amount_rial).toBe(730_000n);
    expect(await visit(await atBank(payment_url, 'pay'))).toContain('outcome=ok');
    expect(await balance()).toBe(before + 73_000);
    expect(await verify(id)).toMatchObject({ status: 'completed', amount: 73_000, balance: before + 73_000 });
  });

  test('T-G1 fifty simultaneous confirmations of one paid payment: one credit', async () => {
    const before = await balance();
    const { transaction_id: id, payment_url } = await charge(gateway);
    const back = await atBank(payment_url, 'pay');
    clock.advance(16_000);
    const calls = Array.from({ length: 50 }, (_, index) => {
      if (index % 4 === 0) return verify(id);
      if (index % 4 === 1) return visit(back);
      if (index % 4 === 2) return reconcilePayments(world.deps);
      return confirmPayment(world.deps, id);
    });
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter((outcome) => outcome.status === 'rejected')).toEqual([]);
    expect(await balance()).toBe(before + 50_000);
  });

  test('T-G2 the return arrives before the answer to the start is stored: nothing breaks, the money is credited', async () => {
    const before = await balance();
    const { transaction_id: id, payment_url } = await charge(gateway);
    const { gateway_reference: authority } = await row(id);
    await sql`UPDATE payment SET gateway_reference = NULL, payment_url = NULL, state = 'created' WHERE id = ${id}`.execute(
      world.deps.db,
    );
    const back = await atBank(payment_url, 'pay');
    expect(await visit(back)).toContain('outcome=ok');
    expect(await balance()).toBe(before);
    await sql`
      UPDATE payment SET gateway_reference = ${authority}, payment_url = ${payment_url}, state = 'redirected' WHERE id = ${id}
    `.execute(world.deps.db);
    clock.advance(16_000);
    await reconcilePayments(world.deps);
    expect(await balance()).toBe(before + 50_000);
  });

  test('T-G3 the return arrives ten times, and again a month later: one credit', async () => {
    const before = await balance();
    const { payment_url } = await charge(gateway);
    const back = await atBank(payment_url, 'pay');
    for (let times = 0; times < 10; times += 1) expect(await visit(back)).toContain('outcome=ok');
    clock.advance(30 * 86_400_000);
    expect(await visit(back)).toContain('outcome=ok');
    expect(await balance()).toBe(before + 50_000);
  });

  test('T-G4 the bank verified and its answer was lost: credited within two periods of the reconciler', async () => {
    const before = await balance();
    const { transaction_id: id, payment_url } = await charge(gateway);
    await atBank(payment_url, 'pay');
    world.deps.bankFaults.plan(gateway, 'verify', 'cut-after');
    await expect(verify(id)).rejects.toMatchObject({ code: 'payment_pending' });
    expect(await balance()).toBe(before);
    clock.advance(16_000);
    await reconcilePayments(world.deps);
    expect(await balance()).toBe(before + 50_000);
  });

  test('T-G5 the return never arrives: the reconciler, or the sweep, credits', async () => {
    const before = await balance();
    const { payment_url } = await charge(gateway);
    await atBank(payment_url, 'pay');
    if (gateway === 'zarinpal') await sweepUnverified(world.deps);
    else {
      clock.advance(61_000);
      await reconcilePayments(world.deps);
    }
    expect(await balance()).toBe(before + 50_000);
  });

  test('T-G6 the return reports success and the bank reports unpaid: nothing is credited, the payment stays open', async () => {
    const before = await balance();
    const { transaction_id: id } = await charge(gateway);
    const url = returnUrl({ vault: world.deps.vault, publicUrl: world.origin }, gateway, id);
    const { gateway_reference: authority } = await row(id);
    const words = {
      zarinpal: `Authority=${authority}&Status=OK`,
      idpay: `id=${authority}&status=10&track_id=1&order_id=${id}`,
      nextpay: `trans_id=${authority}&order_id=${id}&amount=50000`,
    };
    await visit(`${url}?${words[gateway]}`);
    await fetch(url, { method: 'POST', body: new URLSearchParams(words[gateway]), redirect: 'manual' });
    expect((await row(id)).state).toBe('redirected');
    expect(await balance()).toBe(before);
  });

  test.each([
    ['ten times', 'amount_rial = amount_rial * 10'],
    ['a tenth', 'amount_rial = amount_rial / 10'],
    ['one rial more', 'amount_rial = amount_rial + 1'],
    ['one rial less', 'amount_rial = amount_rial - 1'],
  ])('T-G7 the bank holds %s of the amount: left to the operator, never credited', async (_what, change) => {
    const before = await balance();
    const { transaction_id: id, payment_url } = await charge(gateway);
    const back = await atBank(payment_url, 'pay');
    await atSession(id, change);
    await visit(back);
    await expect(verify(id)).rejects.toMatchObject({ code: 'payment_pending' });
    expect((await row(id)).state).toBe('needs_review');
    expect(await balance()).toBe(before);
  });

  test('T-G8 a cheap payment’s gateway reference, one’s own or another user’s, is refused on a dear payment', async () => {
    const other = await world.user();
    const cheap = await charge(gateway, 10_000);
    const theirs = await charge(gateway, 500_000, other);
    const dear = await charge(gateway, 500_000);
    const before = [await balance(), await balance(other)];
    await atBank(cheap.payment_url, 'pay');
    await atBank(theirs.payment_url, 'pay');
    const url = returnUrl({ vault: world.deps.vault, publicUrl: world.origin }, gateway, dear.transaction_id);
    for (const paid of [cheap, theirs]) {
      const { gateway_reference: authority } = await row(paid.transaction_id);
      for (const name of ['Authority', 'trans_id', 'id'])
        await visit(`${url}?${name}=${authority}&Status=OK&status=10`);
      await expect(
        user.api.verifyCharge({ body: { transaction_id: dear.transaction_id, authority } }),
      ).rejects.toMatchObject({ code: 'payment_mismatch' });
    }
    await expect(verify(theirs.transaction_id)).rejects.toMatchObject({ code: 'not_found' });
    const forged = returnUrl({ vault: world.deps.vault, publicUrl: world.origin }, gateway, theirs.transaction_id);
    expect((await fetch(`${forged.slice(0, -2)}xx`, { redirect: 'manual' })).status).toBe(404);
    expect([await balance(), await balance(other)]).toEqual(before);
    await verify(cheap.transaction_id);
    await verify(theirs.transaction_id, other);
    expect([await balance(), await balance(other)]).toEqual([(before[0] ?? 0) + 10_000, (before[1] ?? 0) + 500_000]);
  });

  const faults: BankFault[] = ['cut', 'html-502', 'error-500', 'garbage', 'huge', 'redirect'];
  test.each(faults)(
    'T-G9 verify answers with %s: not credited, not failed, credited by the next query',
    async (fault) => {
      const before = await balance();
      const { transaction_id: id, payment_url } = await charge(gateway);
      const back = await atBank(payment_url, 'pay');
      world.deps.bankFaults.plan(gateway, 'verify', fault, 2);
      expect(await visit(back)).toContain('outcome=ok');
      await expect(verify(id)).rejects.toMatchObject({ code: 'payment_pending' });
      expect((await row(id)).state).toBe('redirected');
      expect(await balance()).toBe(before);
      expect(await verify(id)).toMatchObject({ status: 'completed' });
      expect(await balance()).toBe(before + 50_000);
    },
  );

  test.each(faults)('T-G9 the start answers with %s: the user gets an error, nothing is lost', async (fault) => {
    world.deps.bankFaults.plan(gateway, 'start', fault);
    await expect(charge(gateway)).rejects.toMatchObject({ code: 'gateway_unavailable', status: 503 });
  });

  test('the payer declines: cancelled, and queried until the last check', async () => {
    const before = await balance();
    const { transaction_id: id, payment_url } = await charge(gateway);
    expect(await visit(await atBank(payment_url, 'cancel'))).toContain('outcome=nok');
    expect((await row(id)).state).toBe('cancelled');
    expect((await row(id)).next_check_at).not.toBeNull();
    for (let times = 0; times < 8; times += 1) {
      clock.advance(86_400_000);
      await reconcilePayments(world.deps);
    }
    expect((await row(id)).next_check_at).toBeNull();
    expect(await balance()).toBe(before);
  });

  test('cancelled by the user, paid a minute later without a return: credited by the reconciler', async () => {
    const before = await balance();
    const { transaction_id: id, payment_url } = await charge(gateway);
    const { data } = await user.api.cancelPayment({ params: { id } });
    expect(data.payment).toMatchObject({ status: 'cancelled', cancellable: false });
    await atBank(payment_url, 'pay');
    clock.advance(61_000);
    await reconcilePayments(world.deps);
    expect(await balance()).toBe(before + 50_000);
    expect((await user.api.getPayment({ params: { id } })).data.payment.status).toBe('completed');
  });

  test('paid, then cancelled by the user before the return: the money is credited, cancelling is refused', async () => {
    const before = await balance();
    const { transaction_id: id, payment_url } = await charge(gateway);
    await atBank(payment_url, 'pay');
    await expect(user.api.cancelPayment({ params: { id } })).rejects.toMatchObject({
      code: 'payment_not_cancellable',
    });
    expect(await balance()).toBe(before + 50_000);
  });
});

test('a payment that needs review: credited or closed by the operator’s decision, once', async () => {
  const before = await balance();
  const ids: string[] = [];
  for (const amount of [50_000, 60_000]) {
    const { transaction_id: id, payment_url } = await charge('zarinpal', amount);
    const back = await atBank(payment_url, 'pay');
    await atSession(id, 'amount_rial = amount_rial * 10');
    await visit(back);
    ids.push(id);
  }
  const [right = '', wrong = ''] = ids;
  const waiting = async () => (await listPaymentsToReview(world.deps.db)).map(({ id }) => id);
  expect(await waiting()).toEqual(expect.arrayContaining(ids));
  const verdict = { actor, operator: 'sara', note: 'در پنل بانک دیده شد' };
  const credited = { ...verdict, paymentId: right, outcome: 'credited', refId: `by-hand-${right}` } as const;
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => reviewPayment(world.deps, credited)));
  expect(outcomes.filter(({ kind }) => kind === 'settled')).toHaveLength(1);
  const failed = { ...verdict, paymentId: wrong, outcome: 'failed' } as const;
  expect(await reviewPayment(world.deps, failed)).toMatchObject({ kind: 'settled' });
  expect(await balance()).toBe(before + 50_000);
  expect([(await row(right)).state, (await row(wrong)).state]).toEqual(['completed', 'failed']);
  expect(await waiting()).not.toContain(right);
});

describe('T-G7 currency', () => {
  test('an amount mistaken between rial and toman, either way, is never credited', async () => {
    for (const gateway of paymentGateways) {
      const before = await balance();
      const { transaction_id: id, payment_url } = await charge(gateway);
      // As if the bank had read the number in the other currency.
      await atSession(id, gateway === 'nextpay' ? 'amount_rial = amount_rial / 10' : 'amount_rial = amount_rial * 10');
      await visit(await atBank(payment_url, 'pay'));
      await expect(verify(id)).rejects.toMatchObject({ code: 'payment_pending' });
      expect(await balance()).toBe(before);
    }
  });
});

describe('NextPay and IDPay return money that is not verified within ten minutes', () => {
  test.each(['nextpay', 'idpay'] as const)('%s', async (gateway) => {
    const before = await balance();
    const { transaction_id: id, payment_url } = await charge(gateway);
    await atBank(payment_url, 'pay');
    clock.advance(11 * 60_000);
    await expect(verify(id)).rejects.toMatchObject({ code: 'payment_failed' });
    expect((await row(id)).state).toBe('failed');
    expect(await balance()).toBe(before);
  });
});

describe('switches and health', () => {
  test('the operator’s order and kill switch; payments already started are still confirmed', async () => {
    const before = await balance();
    const started = await charge('idpay');
    await setSettingByKey(world.deps.db, 'gateways.idpay', 'off', clock.now());
    await setSettingByKey(world.deps.db, 'gateways.order', '["nextpay"]', clock.now());
    const names = (await user.api.listPaymentGateways()).data.gateways.map(({ name }) => name);
    expect(names).toEqual(['nextpay', 'zarinpal']);
    expect((await user.api.listPaymentMethods()).data.methods.map(({ name }) => name)).toEqual(names);
    await expect(charge('idpay')).rejects.toMatchObject({ code: 'gateway_off', status: 422 });
    await visit(await atBank(started.payment_url, 'pay'));
    expect(await balance()).toBe(before + 50_000);
    await setSettingByKey(world.deps.db, 'gateways.idpay', 'auto', clock.now());
  });

  test('a gateway that does not answer is "off now", one that often fails "slow now", and both recover', async () => {
    const healthOf = async (gateway: GatewayName) =>
      (await describeGateways(world.deps, 'fa')).find(({ name }) => name === gateway)?.health;
    clock.advance(11 * 60_000);
    expect(await healthOf('nextpay')).toBe('good');
    for (let calls = 0; calls < 3; calls += 1) await charge('nextpay');
    world.deps.bankFaults.plan('nextpay', 'start', 'cut', 3);
    await expect(charge('nextpay')).rejects.toMatchObject({ code: 'gateway_unavailable' });
    expect(await healthOf('nextpay')).toBe('slow');
    for (let calls = 0; calls < 2; calls += 1) await charge('nextpay').catch(() => undefined);
    expect(await healthOf('nextpay')).toBe('off');
    expect(await healthOf('zarinpal')).toBe('good');
    clock.advance(11 * 60_000);
    expect(await healthOf('nextpay')).toBe('good');
  });
});

test('T-G10 the bank reverses a payment: before the money is spent, and after', async () => {
  const rich = await world.user({ usdCents: 100 });
  const [first, second] = [await charge('zarinpal', 50_000, rich), await charge('zarinpal', 60_000, rich)];
  const third = await charge('nextpay', 90_000, rich);
  await visit(await atBank(first.payment_url, 'pay'));
  await visit(await atBank(second.payment_url, 'pay'));
  expect(await balance(rich)).toBe(190_000);
  await atSession(first.transaction_id, "state = 'REVERSED'");
  clock.advance(3_601_000);
  await reconcilePayments(world.deps);
  expect(await balance(rich)).toBe(140_000);
  const shown = await describePayments(world.deps, rich.id, [first.transaction_id], 'fa');
  expect(shown.get(first.transaction_id)).toMatchObject({ status: 'refunded', refundable: false });
  await world.proveLedger();

  await transferMoney(world.deps, { fromUserId: rich.id, toEmail: user.email, amountToman: 120_000, ...confirmed });
  await atSession(second.transaction_id, "state = 'REVERSED'");
  clock.advance(6 * 3_600_000);
  for (let times = 0; times < 3; times += 1) await reconcilePayments(world.deps);
  expect(await balance(rich)).toBe(0);
  await world.proveLedger();

  // 40,000 are owed; the next charge pays them first.
  await sql`UPDATE test_bank_session SET state = 'PAID', paid_at = ${clock.now()} WHERE order_id = ${third.transaction_id}`.execute(
    world.deps.db,
  );
  await confirmPayment(world.deps, third.transaction_id);
  expect(await balance(rich)).toBe(50_000);
});

test.each([1, 100])(
  'T-G10 credited by the operator %d hours after the start, then reversed by the bank',
  async (hours) => {
    const before = await balance();
    const { transaction_id: id, payment_url } = await charge('zarinpal');
    await atSession(id, 'amount_rial = amount_rial * 10');
    await visit(await atBank(payment_url, 'pay'));
    clock.advance(hours * 3_600_000);
    const verdict = { actor, paymentId: id, outcome: 'credited', operator: 'sara', note: 'seen', refId: id } as const;
    expect(await reviewPayment(world.deps, verdict)).toMatchObject({ kind: 'settled' });
    expect(await balance()).toBe(before + 50_000);
    await atSession(id, "state = 'REVERSED'");
    clock.advance(86_400_000);
    await reconcilePayments(world.deps);
    expect(await balance()).toBe(before);
  },
);

test('two simultaneous starts of one payment: one gateway reference, one payment address', async () => {
  const headers = { 'idempotency-key': 'the same charge' };
  for (const gateway of paymentGateways) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        user.api.chargeWallet(
          { body: { amount: 20_000, payment_method: gateway } },
          { headers: { ...headers, 'idempotency-key': `charge by ${gateway}` } },
        ),
      ),
    );
    expect(new Set(answers.map((answer) => answer.payment_url)).size).toBe(1);
    const before = await balance();
    await visit(await atBank(answers[0]?.payment_url as string, 'pay'));
    expect(await balance()).toBe(before + 20_000);
  }
});
