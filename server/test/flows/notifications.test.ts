import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bookAndWarn } from '../../src/modules/billing/book-usage.ts';
import { restoreService } from '../../src/modules/billing/restore-service.ts';
import { notificationsChanged } from '../../src/modules/notifications/signals.ts';
import { reconcilePayments } from '../../src/modules/payments/reconcile-payments.ts';
import { sendRefund } from '../../src/modules/payments/send-refund.ts';
import { warnOfEndingPlans } from '../../src/modules/plan-sales/warn-ending.ts';
import { sessionEnded } from '../../src/modules/sessions/signals.ts';
import { inTransaction } from '../../src/platform/database.ts';
import { payAtBank } from '../bank.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { codeFor, eventually, openTestWorld, PASSWORD, type TestUser, type TestWorld, withPassword } from '../world.ts';

/** Every kind of notification from its real cause, once each; reading, deleting, and access. */
let world: TestWorld;
let node: FakeNode;

beforeAll(async () => {
  world = await openTestWorld();
  node = await enrolFakeNode(world);
});
afterEach(() => world.proveLedger());
afterAll(() => world.close());

const listOf = async (user: TestUser) => (await user.api.listNotifications()).data.notifications;
const kindsOf = async (user: TestUser) => (await listOf(user)).map(({ kind }) => kind).reverse();
const unread = async (user: TestUser) => (await user.api.countUnreadNotifications()).data.count;

async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(`${world.origin}${API_BASE}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

async function paid(user: TestUser, method: GatewayName = 'nextpay'): Promise<string> {
  const id = await payAtBank(user, method);
  // Confirmed several times at once, as by a return, a click and the reconciler.
  await Promise.all(Array.from({ length: 4 }, () => user.api.verifyPayment({ params: { id } })));
  return id;
}

async function device(user: TestUser, name = 'گوشی'): Promise<string> {
  const { data } = await user.api.createConfig({ body: { name, serverId: node.id } });
  await node.settle();
  return data.config.id;
}

/** Books what the node has reported, as the schedule does after the hour. */
async function book(): Promise<void> {
  const later = new Date(Date.now() + 3_600_000);
  await bookAndWarn({ ...world.deps, clock: { now: () => later } });
}

/** Uses a config step by step until a reply does not raise its lease; returns the number of bytes. */
async function useUp(config: string, from = 0): Promise<number> {
  for (let used = from; ; ) {
    used = Math.min(used + 25_000_000, node.limitOf(config));
    const reply = await node.report([{ config, down: used }]);
    if (used === node.limitOf(config) && reply.leases.some((lease) => lease.config === config)) return used;
    await book();
  }
}

describe('causes', () => {
  test('an account and its activation; a second card is notified as a card', async () => {
    const user = await world.user({ usdCents: 500 });
    await user.api.activateAccount({ body: { giftCardCode: await world.giftCard(100) } });
    expect(await listOf(user)).toMatchObject([
      { kind: 'card_redeemed', type: 'success', message: '۸۰٬۰۰۰ تومان به کیف پول شما افزوده شد.' },
      { kind: 'account_activated', title: 'حساب فعال شد', type: 'success', read: false },
      { kind: 'welcome', title: 'خوش آمدید' },
    ]);
    expect(await unread(user)).toBe(3);
  });

  test('a proved address, and an unknown device', async () => {
    const credentials = { email: 'prover@mail.example', password: 'Correct-horse-7' };
    const response = await post('/auth/register', {
      ...credentials,
      name: 'نام',
      password_confirmation: credentials.password,
    });
    const { token } = (await response.json()) as { token: string };
    const api = world.client(token);
    await api.verifyEmail({ body: { email: credentials.email, code: await codeFor(world, credentials.email) } });
    const device = response.headers
      .getSetCookie()
      .find((cookie) => cookie.startsWith('device='))
      ?.split(';')[0];
    // The same browser is no new device; another one is, once, however often it returns with its own cookie.
    await post('/auth/login', credentials, { cookie: device ?? '' });
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const strange = await post('/auth/login', credentials, { 'user-agent': agent });
    const cookie =
      strange.headers
        .getSetCookie()
        .find((line) => line.startsWith('device='))
        ?.split(';')[0] ?? '';
    await post('/auth/login', credentials, { 'user-agent': agent, cookie });
    const { notifications } = (await api.listNotifications()).data;
    expect(notifications.map(({ kind }) => kind)).toEqual(['new_device', 'address_verified', 'welcome']);
    expect(notifications[0]?.message).toContain('\u2068Firefox · Linux\u2069');
    // The record of sent notifications keeps no address.
    const { rows } = await sql`SELECT id FROM notification WHERE cause LIKE '%@%'`.execute(world.deps.db);
    expect(rows).toEqual([]);
  });

  test('a payment confirmed several times at once is notified once', async () => {
    const user = await world.user();
    await paid(user);
    await reconcilePayments(world.deps);
    expect(await kindsOf(user)).toEqual(['welcome', 'account_activated', 'payment_completed']);
    expect((await listOf(user))[0]?.message).toBe('کیف پول شما ۵۰٬۰۰۰ تومان شارژ شد.');
  });

  test('a refund that arrives, and one that the bank refuses', async () => {
    const user = await world.user();
    for (const fails of [false, true]) {
      const id = await paid(user);
      await user.api.refundPayment({ params: { id } });
      if (fails) {
        await sql`UPDATE test_bank_session SET state = 'FAILED' WHERE order_id = ${id}`.execute(world.deps.db);
      }
      const { rows } = await sql<{ id: string }>`SELECT id FROM refund WHERE payment_id = ${id}`.execute(world.deps.db);
      await Promise.all([1, 2, 3].map(() => sendRefund(world.deps, rows[0]?.id ?? '')));
    }
    expect((await kindsOf(user)).slice(3)).toEqual(['refund_confirmed', 'payment_completed', 'refund_failed']);
  });

  test('a payment reversed by the bank', async () => {
    const user = await world.user();
    const id = await paid(user, 'zarinpal');
    await sql`UPDATE test_bank_session SET state = 'REVERSED' WHERE order_id = ${id}`.execute(world.deps.db);
    await sql`UPDATE payment SET next_check_at = now() - interval '1 second' WHERE id = ${id}`.execute(world.deps.db);
    await reconcilePayments(world.deps);
    await reconcilePayments(world.deps);
    expect((await kindsOf(user)).slice(3)).toEqual(['payment_reversed']);
  });

  test('money from another user', async () => {
    const [from, to] = [await withPassword(await world.user()), await world.user()];
    await from.api.transferMoney({ body: { to: to.email, amount: 20_000, password: PASSWORD } });
    expect((await kindsOf(to)).at(-1)).toBe('transfer_received');
    expect((await kindsOf(from)).at(-1)).toBe('transfer_sent');
    expect(await kindsOf(from)).not.toContain('transfer_received');
  });

  test('a plan that ends within a week', async () => {
    const user = await world.user({ usdCents: 1000 });
    await user.api.purchaseSubscription({ body: { plan_id: 'basic' } });
    await sql`
      UPDATE subscription SET starts_at = starts_at - interval '24 days', ends_at = ends_at - interval '24 days'
      WHERE user_id = ${user.id}
    `.execute(world.deps.db);
    await Promise.all([1, 2, 3].map(() => warnOfEndingPlans(world.deps)));
    expect((await kindsOf(user)).filter((kind) => kind === 'plan_ending')).toHaveLength(1);
    expect((await listOf(user))[0]?.message).toMatch(/^پلن «\u2068پایه\u2069» در .* تمام می‌شود/);
  });

  test('a config that its node takes at once was seen to become ready, and needs no notification', async () => {
    const user = await world.user();
    await user.api.createConfig({ body: { name: 'گوشی', serverId: node.id } });
    await node.settle();
    expect((await user.api.listConfigs()).data.configs[0]?.applied).toBe(true);
    expect(await kindsOf(user)).not.toContain('config_live');
  });

  test('after a long wait a config is live when its node has it for the first time, not at each change', async () => {
    const user = await world.user();
    const { data } = await user.api.createConfig({ body: { name: 'لپ‌تاپ', serverId: node.id } });
    await sql`UPDATE config SET created_at = created_at - interval '61 seconds' WHERE id = ${data.config.id}`.execute(
      world.deps.db,
    );
    await node.sync();
    expect(await kindsOf(user)).not.toContain('config_live');
    await node.sync();
    expect((await listOf(user))[0]).toMatchObject({ kind: 'config_live', type: 'info' });
    await user.api.resetConfig({ params: { id: data.config.id }, body: {} });
    await node.settle();
    // The node starts from nothing and receives everything again.
    node.applied = 0;
    await node.settle();
    expect((await kindsOf(user)).filter((kind) => kind === 'config_live')).toHaveLength(1);
  });

  test('a config deleted before its node receives it never was live', async () => {
    const user = await world.user();
    const { data } = await user.api.createConfig({ body: { name: 'زودگذر', serverId: node.id } });
    await user.api.deleteConfig({ params: { id: data.config.id } });
    await node.settle();
    expect(await kindsOf(user)).not.toContain('config_live');
  });
});

describe('the wallet runs out', () => {
  const money = ['low_balance', 'service_cut', 'service_restored'] as const;
  const moneyOf = async (user: TestUser) =>
    (await listOf(user)).filter(({ kind }) => money.some((one) => one === kind)).reverse();

  test('by the hours that are left, at five percent of the last top-up, at the end, and when restored; a new top-up begins anew', async () => {
    // 1,600 toman: two thirds of a GB.
    const user = await world.user({ usdCents: 2 });
    const config = await device(user);
    const used = await useUp(config);
    const listed = await moneyOf(user);
    expect(listed.map(({ kind }) => kind)).toEqual(['low_balance', 'low_balance', 'service_cut']);
    // All of it was used today: at this pace it lasts for hours before it is at twenty percent.
    expect(listed[0]?.message).toContain('ساعت دیگر بس است');
    expect(listed[1]?.message).toContain('۵٪');
    // The node keeps requesting; no further notification follows.
    await node.report([{ config, down: node.limitOf(config) }]);
    expect(await moneyOf(user)).toHaveLength(3);

    await user.api.activateAccount({ body: { giftCardCode: await world.giftCard(2) } });
    await eventually(async () => (await moneyOf(user)).length === 4 || undefined);
    await Promise.all([1, 2, 3].map(() => restoreService(world.deps, user.id)));
    await node.settle();
    await useUp(config, used);
    expect((await moneyOf(user)).map(({ kind }) => kind)).toEqual([
      ...['low_balance', 'low_balance', 'service_cut', 'service_restored'],
      ...['low_balance', 'low_balance', 'service_cut'],
    ]);
  });

  test('two nodes that find the same wallet empty at once notify once', async () => {
    const other = await enrolFakeNode(world);
    const user = await world.user({ usdCents: 2 });
    const config = await device(user);
    const { data } = await user.api.createConfig({ body: { name: 'دیگر', serverId: other.id } });
    await other.settle();
    for (let round = 0; round < 60; round += 1) {
      const replies = await Promise.all([
        node.report([{ config, down: node.limitOf(config) }]),
        other.report([{ config: data.config.id, down: other.limitOf(data.config.id) }]),
      ]);
      if (replies.every(({ leases }) => leases.every(({ refillDenied }) => refillDenied) && leases.length > 0)) break;
    }
    const listed = (await moneyOf(user)).map(({ kind }) => kind);
    expect(listed.filter((kind) => kind === 'service_cut')).toHaveLength(1);
    expect(listed.filter((kind) => kind === 'low_balance').length).toBeLessThanOrEqual(2);
  });

  test('without an exchange rate no user is notified that the money has run out', async () => {
    const user = await world.user({ usdCents: 2 });
    const config = await device(user);
    const rate = world.deps.exchangeRate.current;
    Object.assign(world.deps.exchangeRate, { current: async () => undefined });
    try {
      await useUp(config);
    } finally {
      Object.assign(world.deps.exchangeRate, { current: rate });
    }
    expect((await moneyOf(user)).map(({ kind }) => kind)).not.toContain('service_cut');
  });
});

describe('once per cause', () => {
  test('of many simultaneous transactions one notifies; a transaction that fails notifies nothing', async () => {
    const user = await world.user({ usdCents: 0 });
    const event = { userId: user.id, kind: 'config_live', cause: 'race', data: { name: 'x' } } as const;
    await Promise.all(
      Array.from({ length: 8 }, () => inTransaction(world.deps.db, (tx) => world.deps.notifier.notify(tx, [event]))),
    );
    const failing = inTransaction(world.deps.db, async (tx) => {
      await world.deps.notifier.notify(tx, [{ ...event, cause: 'rolled back' }]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await kindsOf(user)).toEqual(['welcome', 'config_live']);
  });

  test('a deleted notification does not come back', async () => {
    const user = await world.user({ usdCents: 0 });
    const event = { userId: user.id, kind: 'config_live', cause: 'again', data: { name: 'x' } } as const;
    const notify = () => inTransaction(world.deps.db, (tx) => world.deps.notifier.notify(tx, [event]));
    await notify();
    await user.api.deleteNotifications();
    await notify();
    expect(await listOf(user)).toEqual([]);
  });
});

describe('the calls', () => {
  test('read one, read all, delete one, delete all', async () => {
    const user = await world.user();
    const [activated, welcome] = await listOf(user);
    const first = { params: { id: activated?.id ?? '' } };
    await user.api.readNotification(first);
    await user.api.readNotification(first);
    expect((await listOf(user)).map(({ read }) => read)).toEqual([true, false]);
    expect(await unread(user)).toBe(1);
    await user.api.readAllNotifications();
    expect(await unread(user)).toBe(0);
    await user.api.deleteNotification(first);
    expect((await listOf(user)).map(({ id }) => id)).toEqual([welcome?.id]);
    await expect(user.api.deleteNotification(first)).rejects.toMatchObject({ status: 404 });
    await expect(user.api.readNotification(first)).rejects.toMatchObject({ status: 404 });
    await user.api.deleteNotifications();
    expect((await user.api.listNotifications()).data).toEqual({ notifications: [], unreadCount: 0 });
  });

  test('the unread are counted beyond the twenty that are listed', async () => {
    const user = await world.user({ usdCents: 0 });
    const many = Array.from({ length: 30 }, (_, n) => ({
      ...{ userId: user.id, kind: 'config_live' as const, cause: String(n), data: { name: `n${n}` } },
    }));
    await inTransaction(world.deps.db, (tx) => world.deps.notifier.notify(tx, many));
    const { data } = await user.api.listNotifications();
    expect(data.notifications).toHaveLength(20);
    expect(data.unreadCount).toBe(31);
    expect((await user.api.listNotifications({ query: { limit: 100 } })).data.notifications).toHaveLength(31);
    await expect(user.api.listNotifications({ query: { limit: 101 } })).rejects.toMatchObject({ status: 422 });
  });

  test('notifications of another user are not found and not changed', async () => {
    const [owner, stranger] = [await world.user(), await world.user()];
    const id = (await listOf(owner))[0]?.id ?? '';
    await expect(stranger.api.readNotification({ params: { id } })).rejects.toMatchObject({ status: 404 });
    await expect(stranger.api.deleteNotification({ params: { id } })).rejects.toMatchObject({ status: 404 });
    await stranger.api.readAllNotifications();
    await stranger.api.deleteNotifications();
    expect(await unread(owner)).toBe(2);
    for (const [method, path] of [
      ['GET', '/notifications'],
      ['GET', '/notifications/unread-count'],
      ['PUT', '/notifications/read-all'],
      ['PUT', `/notifications/${id}/read`],
      ['DELETE', `/notifications/${id}`],
      ['DELETE', '/user/notifications'],
    ] as const) {
      expect((await fetch(`${world.origin}${API_BASE}${path}`, { method })).status, `${method} ${path}`).toBe(401);
    }
  });

  test('the same list under each of its paths, in the requested language', async () => {
    const user = await world.user({ usdCents: 0 });
    for (const path of ['/notifications', '/user/notifications', '/dashboard/notifications']) {
      const headers = { authorization: `Bearer ${user.token}`, 'accept-language': 'en' };
      const response = await fetch(`${world.origin}${API_BASE}${path}`, { headers });
      expect(await response.json(), path).toMatchObject({
        data: { notifications: [{ title: 'Welcome', read: false }], unreadCount: 1 },
      });
    }
  });

  test('a user whose address is not proved has notifications, too', async () => {
    const password = 'Correct-horse-9';
    const body = { name: 'بی تأیید', email: 'unproved-bell@mail.example', password, password_confirmation: password };
    const own = world.client((await world.client().register({ body })).token ?? undefined);
    const { notifications, unreadCount } = (await own.listNotifications({ query: {} })).data;
    expect(unreadCount).toBe(notifications.filter(({ read }) => !read).length);
    await own.readAllNotifications();
    expect((await own.countUnreadNotifications()).data.count).toBe(0);
  });

  test('open panels get a signal for each', async () => {
    const signals: { userId: string; type: string }[] = [];
    const { bus } = world.deps;
    const stops = [
      bus.subscribe(notificationsChanged, ({ userId }) => signals.push({ userId, type: 'notification' })),
      bus.subscribe(sessionEnded, ({ userId }) => signals.push({ userId, type: 'session-ended' })),
    ];
    try {
      const user = await world.user({ usdCents: 0 });
      const event = { userId: user.id, kind: 'config_live', cause: 'signal', data: { name: 'x' } } as const;
      for (const _ of [1, 2]) await inTransaction(world.deps.db, (tx) => world.deps.notifier.notify(tx, [event]));
      await user.api.readAllNotifications();
      await world.deps.bus.announce(world.deps.db, sessionEnded, { userId: user.id, sessionId: 'the last signal' });
      const mine = () => signals.filter(({ userId }) => userId === user.id).map(({ type }) => type);
      await eventually(() => mine().includes('session-ended') || undefined);
      // Welcome, the config once, and that all are read.
      expect(mine().filter((type) => type === 'notification')).toHaveLength(3);
    } finally {
      for (const stop of stops) stop();
    }
  });
});
