import { connect, createServer, type Server } from 'node:net';
import { ApiError, createClient } from '@raha/contract/client.ts';
import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { getUserAccounts } from '../../src/modules/ledger/user-accounts.ts';
import { transferMoney } from '../../src/modules/wallet/transfer-money.ts';
import type { Refusal } from '../../src/platform/refusal.ts';
import { payAndVerify, payAtBank } from '../bank.ts';
import { confirmed } from '../money/bench.ts';
import { openTestWorld, PASSWORD, type TestUser, type TestWorld, withPassword } from '../world.ts';

/** Every call of the wallet and of payments over HTTP: repeated, interrupted, listed, counted. */
let world: TestWorld;
let user: TestUser;
let friend: TestUser;

beforeAll(async () => {
  world = await openTestWorld();
});
beforeEach(async () => {
  user = await world.user();
  friend = await world.user();
});
afterEach(() => world.proveLedger());
afterAll(() => world.close());

type Api = TestUser['api'];
type Call = (api: Api, headers: Record<string, string>) => Promise<unknown>;

const balance = async (of = user) => Number((await getUserAccounts(world.deps.db, of.id)).walletToman);

const paid = (amount?: number, gateway: GatewayName = 'zarinpal', of = user) => payAndVerify(of, gateway, amount);

const transfer = (from: TestUser, to: TestUser, amountToman: number) =>
  transferMoney(world.deps, { fromUserId: from.id, toEmail: to.email, amountToman, ...confirmed });

/** Each money call, with the expected change of the wallet, and a call with the same key and another body. */
interface MoneyCall {
  readonly name: string;
  prepare(): Promise<{ call: Call; other: Call; change: number }>;
}

const moneyCalls: MoneyCall[] = [
  {
    name: 'charge',
    async prepare() {
      const call =
        (amount: number): Call =>
        (api, headers) =>
          api.chargeWallet({ body: { amount, payment_method: 'nextpay' } }, { headers });
      return { call: call(40_000), other: call(41_000), change: 0 };
    },
  },
  {
    name: 'create',
    async prepare() {
      const call =
        (amount: number): Call =>
        (api, headers) =>
          api.createPayment({ body: { amount, gateway: 'idpay' } }, { headers });
      return { call: call(40_000), other: call(41_000), change: 0 };
    },
  },
  {
    name: 'transfer',
    async prepare() {
      // The next transfer to the same user needs no proof.
      await transfer(user, friend, 1_000);
      const call =
        (amount: number): Call =>
        (api, headers) =>
          api.transferMoney({ body: { to: friend.email, amount } }, { headers });
      return { call: call(12_000), other: call(13_000), change: -12_000 };
    },
  },
  {
    name: 'refund',
    async prepare() {
      const id = await paid();
      const call =
        (amount: number): Call =>
        (api, headers) =>
          api.refundPayment({ params: { id }, body: { amount } }, { headers });
      return { call: call(20_000), other: call(21_000), change: -20_000 };
    },
  },
  {
    name: 'cancel',
    async prepare() {
      const ids = [];
      for (let made = 0; made < 2; made += 1)
        ids.push(
          (await user.api.chargeWallet({ body: { amount: 30_000, payment_method: 'zarinpal' } })).transaction_id,
        );
      const call =
        (id: string | undefined): Call =>
        (api, headers) =>
          api.cancelPayment({ params: { id: id as string } }, { headers });
      return { call: call(ids[0]), other: call(ids[1]), change: 0 };
    },
  },
  {
    name: 'verify',
    async prepare() {
      const ids: string[] = [];
      for (let made = 0; made < 2; made += 1) {
        ids.push(await payAtBank(user, 'idpay', 30_000));
      }
      const call =
        (id: string | undefined): Call =>
        (api, headers) =>
          api.verifyCharge({ body: { transaction_id: id as string } }, { headers });
      return { call: call(ids[0]), other: call(ids[1]), change: 30_000 };
    },
  },
  {
    name: 'redeem',
    async prepare() {
      const [card, another] = [await world.giftCard(100), await world.giftCard(100)];
      const call =
        (gift_card_code: string): Call =>
        (api, headers) =>
          api.processGiftCard({ body: { gift_card_code } }, { headers });
      return { call: call(card), other: call(another), change: 80_000 };
    },
  },
];

describe.each(moneyCalls)('T-I1 $name', ({ prepare }) => {
  test('twenty at once with one key: one effect, one answer; the key with another body is refused', async () => {
    const { call, other, change } = await prepare();
    const before = await balance();
    const headers = { 'Idempotency-Key': 'one-and-the-same' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(user.api, headers)));
    expect(new Set(answers.map(essence)).size).toBe(1);
    expect(await balance()).toBe(before + change);
    await expect(other(user.api, headers)).rejects.toMatchObject({ code: 'idempotency_key_reused', status: 422 });
    expect(await balance()).toBe(before + change);
  });

  test('T-C5 the connection is lost after the commit, before the answer: the retry gets the effect, once', async () => {
    const { call, change } = await prepare();
    const before = await balance();
    const proxy = await cuttingProxy(world.origin);
    try {
      const api = apiAt(proxy.origin, user);
      const headers = { 'Idempotency-Key': 'cut' };
      proxy.cut = true;
      await expect(call(api, headers)).rejects.toBeInstanceOf(ApiError);
      proxy.cut = false;
      const answer = await call(api, headers);
      expect(essence(await call(api, headers))).toBe(essence(answer));
      expect(await balance()).toBe(before + change);
    } finally {
      proxy.close();
    }
  });
});

test('T-I1 one key used by two users is two keys', async () => {
  const headers = { 'Idempotency-Key': 'mine' };
  const body = { amount: 20_000, payment_method: 'zarinpal' } as const;
  const mine = await user.api.chargeWallet({ body }, { headers });
  const theirs = await friend.api.chargeWallet({ body: { ...body, amount: 30_000 } }, { headers });
  expect(mine.transaction_id).not.toBe(theirs.transaction_id);
});

test('both paths of a call share one key', async () => {
  const send = async (path: string) => {
    const response = await fetch(`${world.origin}${API_BASE}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${user.token}`,
        'content-type': 'application/json',
        'idempotency-key': 'two spellings',
      },
      body: JSON.stringify({ amount: 20_000, payment_method: 'zarinpal' }),
    });
    return ((await response.json()) as { transaction_id: string }).transaction_id;
  };
  expect(await send('/wallet/charge')).toBe(await send('/user/wallet/charge'));
});

/** An answer without the parts that change with time, such as the current balance. */
function essence(answer: unknown): string {
  return JSON.stringify(answer, (key, value: unknown) =>
    ['balance', 'updated_at', 'user', 'refundable_amount', 'refundable'].includes(key) ? undefined : value,
  );
}

function apiAt(origin: string, of: TestUser): Api {
  return createClient(publicEndpoints, {
    baseUrl: origin + API_BASE,
    timeoutMs: 20_000,
    headers: () => ({ authorization: `Bearer ${of.token}` }),
  });
}

/** Forwards everything to the server; while `cut`, it closes the client's connection before the answer. */
async function cuttingProxy(target: string): Promise<{ origin: string; cut: boolean; close(): void }> {
  const { hostname, port } = new URL(target);
  const state = { cut: false };
  const server: Server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    client.pipe(upstream);
    upstream.on('data', (data) => (state.cut ? client.destroy() : client.write(data)));
    upstream.on('end', () => client.end());
    client.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  return Object.assign(state, { origin, close: () => void server.close() });
}

describe('transfer between users', () => {
  test('moves free money, both see it in their wallets', async () => {
    await withPassword(user);
    const [mine, theirs] = [await balance(), await balance(friend)];
    const { data, message } = await user.api.transferMoney({
      body: { to: ` ${friend.email.toUpperCase()} `, amount: '۲۵٬۰۰۰', note: 'سهم شام', password: PASSWORD },
    });
    expect(message).toBe('انتقال با موفقیت انجام شد');
    expect(data).toMatchObject({ amount: 25_000, balance: mine - 25_000 });
    expect([await balance(), await balance(friend)]).toEqual([mine - 25_000, theirs + 25_000]);
    const line = (api: Api) => api.listWalletTransactions().then(({ data: page }) => page.transactions[0]);
    expect(await line(user.api)).toMatchObject({ type: 'transfer', amount: -25_000, status: 'completed' });
    expect(await line(friend.api)).toMatchObject({ type: 'transfer', amount: 25_000 });
  });

  test('not to oneself, not to an unknown address, not more than the balance, not too little, not too much', async () => {
    const send = (to: string, amount: number) => user.api.transferMoney({ body: { to, amount } });
    await expect(send(user.email, 10_000)).rejects.toMatchObject({ code: 'transfer_to_self' });
    await expect(send('nobody@mail.example', 10_000)).rejects.toMatchObject({ code: 'transfer_recipient_unknown' });
    await expect(send(friend.email, 4_999_999)).rejects.toMatchObject({ code: 'insufficient_balance' });
    for (const amount of [999, 5_000_001, 0, -5_000, 1_000.5])
      await expect(send(friend.email, amount)).rejects.toMatchObject({ code: 'invalid_input' });
    const fresh = await world.user({ usdCents: 0 });
    await expect(fresh.api.transferMoney({ body: { to: friend.email, amount: 10_000 } })).rejects.toMatchObject({
      code: 'activation_required',
    });
  });

  test('a day has its limit in toman, even for a hundred at once', async () => {
    await paid(12_000_000);
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => transfer(user, friend, 1_500_000)));
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(6);
    const codes = outcomes.flatMap((o) => (o.status === 'rejected' ? [(o.reason as Refusal).code] : []));
    expect(new Set(codes)).toEqual(new Set(['transfer_limit_reached']));
  });

  test('two users pay each other a hundred times at once: nothing lost, nothing created, nothing waits for ever', async () => {
    const sum = (await balance()) + (await balance(friend));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) =>
        index % 2 ? transfer(user, friend, 5_000) : transfer(friend, user, 5_000),
      ),
    );
    const codes = outcomes.flatMap((o) => (o.status === 'rejected' ? [(o.reason as Refusal).code] : []));
    expect(codes.filter((code) => code !== 'transfer_limit_reached')).toEqual([]);
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(40);
    expect((await balance()) + (await balance(friend))).toBe(sum);
  });

  test('addresses cannot be probed', async () => {
    const guess = (name: number) =>
      user.api.transferMoney({ body: { to: `guess${name}@mail.example`, amount: 5_000 } });
    for (let tries = 0; tries < 10; tries += 1)
      await expect(guess(tries)).rejects.toMatchObject({ code: 'transfer_recipient_unknown' });
    await expect(guess(11)).rejects.toMatchObject({ code: 'too_many_requests', retryAfterSeconds: 3600 });
  });
});

describe('lists, counts and charts', () => {
  test('payments: every field, newest first, filtered, searched, paged, and only one’s own', async () => {
    const done = await paid(50_000, 'zarinpal');
    const open = (await user.api.chargeWallet({ body: { amount: 60_000, payment_method: 'nextpay' } })).transaction_id;
    const off = (await user.api.chargeWallet({ body: { amount: 70_000, payment_method: 'idpay' } })).transaction_id;
    await user.api.cancelPayment({ params: { id: off } });
    const { data } = await user.api.listPayments();
    expect(data.pagination).toEqual({ page: 1, total_pages: 1, total: 4 });
    expect(data.payments.map(({ type, status, amount }) => [type, status, amount])).toEqual([
      ['wallet_charge', 'cancelled', 70_000],
      ['wallet_charge', 'pending', 60_000],
      ['wallet_charge', 'completed', 50_000],
      ['gift_card', 'completed', 400_000],
    ]);
    for (const payment of data.payments) {
      expect((await user.api.getPayment({ params: { id: payment.id } })).data.payment).toEqual(payment);
    }
    const [first] = data.payments.filter(({ id }) => id === done);
    expect(first).toMatchObject({
      paymentId: done,
      purpose: 'wallet_charge',
      gateway: 'zarinpal',
      paymentMethod: { provider: 'zarinpal', title: 'زرین‌پال' },
      description: 'شارژ کیف پول با زرین‌پال',
      refundable: true,
      refundable_amount: 50_000,
      cancellable: false,
      receipt_url: `/api/v1/payments/${done}/receipt`,
    });
    expect(first?.reference_id).toMatch(/^\d+$/);
    expect(first?.tracking_code).toMatch(/^S/);
    const ids = async (query: Parameters<Api['listPayments']>[0]) =>
      (await user.api.listPayments(query)).data.payments.map(({ id }) => id);
    expect(await ids({ query: { status: 'pending' } })).toEqual([open]);
    expect(await ids({ query: { gateway: 'idpay' } })).toEqual([off]);
    expect(await ids({ query: { type: 'wallet_charge', per_page: 2, page: 2 } })).toEqual([done]);
    const search = async (q: string) =>
      (await user.api.searchPayments({ query: { q } })).data.payments.map(({ id }) => id);
    expect(await search('نکست')).toEqual([open]);
    expect(await search(done.slice(0, 18).toUpperCase())).toContain(done);
    expect(await search('no such thing')).toEqual([]);
    expect((await friend.api.listPayments()).data.payments.map(({ id }) => id)).not.toContain(done);
    for (const { id } of data.payments) {
      await expect(friend.api.getPayment({ params: { id } })).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(friend.api.cancelPayment({ params: { id: open } })).rejects.toMatchObject({ code: 'not_found' });
    await expect(friend.api.verifyPayment({ params: { id: open } })).rejects.toMatchObject({ code: 'not_found' });
  });

  test('both paths, and statistics', async () => {
    await paid(50_000);
    await transfer(user, friend, 20_000);
    const get = async (path: string) => {
      const response = await fetch(`${world.origin}${API_BASE}${path}`, {
        headers: { authorization: `Bearer ${user.token}` },
      });
      return { status: response.status, ...((await response.json()) as { data: Record<string, unknown> }) };
    };
    for (const path of ['/wallet', '/wallet/transactions', '/wallet/stats', '/wallet/chart'])
      expect(await get(path), path).toEqual(await get(`/user${path}`));
    expect((await get('/payments')).data.pagination).toEqual((await get('/user/payments')).data.pagination);
    expect((await user.api.getPaymentStats()).data).toEqual({
      successfulPayments: 2,
      pendingPayments: 0,
      failedPayments: 0,
      cancelledPayments: 0,
      refundedPayments: 0,
      totalAmount: 450_000,
      totalPurchases: 0,
    });
    expect((await user.api.getWalletStats({ query: { period: 'all' } })).data).toMatchObject({
      balance: 430_000,
      totalDeposits: 450_000,
      totalWithdrawals: 20_000,
      totalTransactions: 3,
    });
    const { data } = await user.api.getWalletChart({ query: { period: '7d' } });
    expect(data.labels).toHaveLength(7);
    expect([data.deposits.at(-1), data.withdrawals.at(-1)]).toEqual([450_000, 20_000]);
    expect(data.deposits.slice(0, 6)).toEqual([0, 0, 0, 0, 0, 0]);
    await user.api.purchaseSubscription({ body: { plan_id: 'basic', expected_due: 99_000 } });
    // A plan is paid with money that was counted when it came in (audit M12).
    const { data: sums } = await user.api.getPaymentStats();
    expect(sums).toMatchObject({ successfulPayments: 3, totalAmount: 450_000, totalPurchases: 99_000 });
    expect((await get('/wallet/stats?period=forever')).status).toBe(422);
    expect((await get('/payments/methods')).data.methods).toHaveLength(3);
  });
});
