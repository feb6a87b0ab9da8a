import { randomUUID } from 'node:crypto';
import type { StoreLine } from '@raha/contract/admin/gift-cards.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signWebhook } from '../../src/adapters/stores/standard-webhook.ts';
import { openStores, testStoreKeys } from '../../src/app/stores.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { readConfig } from '../../src/platform/config.ts';
import { openColleague, openStaffSession } from '../staff.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** To the store and back: signed addresses, cool-downs, webhooks, the built-in test store. */
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;
let user: TestUser;

beforeAll(async () => {
  world = await openTestWorld({ clock, connections: 1 });
  user = await world.user({ usdCents: 0 });
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

const post = (url: string) => fetch(url, { method: 'POST', redirect: 'manual' });
const buy = (url: string, cents: number) => post(url.replace('?', `/buy/${cents}?`));

async function visit(slug = 'card2gift') {
  clock.advance(10_000);
  return await user.api.redirectToStore({ params: { store: slug }, body: {} });
}

function webhook(
  slug: string,
  data: object,
  change: { id?: string | undefined; secondsAgo?: number; secret?: Buffer } = {},
) {
  const body = JSON.stringify({ type: 'order.paid', data });
  const timestamp = String(Math.floor(clock.now().getTime() / 1000) - (change.secondsAgo ?? 0));
  const message = { id: change.id ?? `msg_${Math.random()}`, timestamp, body };
  const secret = change.secret ?? testStoreKeys(world.deps.vault, slug).webhookSecret;
  return fetch(`${world.origin}/api/v1/giftcards/webhooks/${slug}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': message.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signWebhook(secret, message),
    },
    body,
  });
}

async function answerTo(...sent: Parameters<typeof webhook>) {
  const answer = await webhook(...sent);
  return { status: answer.status, code: ((await answer.json()) as { code?: string }).code };
}

describe('visits to a store', () => {
  test('the stores are listed, marked as tests', async () => {
    const { data } = await user.api.listStores();
    expect(data.stores.map(({ slug, test: isTest }) => [slug, isTest])).toEqual([
      ['card2gift', true],
      ['cardplus', true],
    ]);
  });

  test('one visit per store in ten seconds; the same request is the same visit; another store is free', async () => {
    const params = { store: 'card2gift' };
    const first = await user.api.redirectToStore({ params, body: { request_id: 'one-request' } });
    expect(await user.api.redirectToStore({ params, body: { request_id: 'one-request' } })).toEqual(first);
    await expect(user.api.redirectToStore({ params, body: {} })).rejects.toMatchObject({
      code: 'store_too_soon',
      status: 429,
      retryAfterSeconds: 10,
      message: 'درخواست‌های زیاد. لطفاً ۱۰ ثانیه صبر کنید.',
    });
    // A client that got no answer requests the address again without an id: it gets the same one.
    expect(await user.api.getStoreUrl({ params, query: {} })).toEqual(first);
    await user.api.redirectToStore({ params: { store: 'cardplus' }, body: {} });
    clock.advance(10_000);
    const next = await user.api.redirectToStore({ params });
    expect(next.redirect_url).not.toBe(first.redirect_url);
  });

  test('twenty clicks at once are one visit', async () => {
    clock.advance(10_000);
    const clicks = Array.from({ length: 20 }, () => user.api.redirectToStore({ params: { store: 'cardplus' } }));
    const outcomes = await Promise.allSettled(clicks);
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
  });

  test('an unknown store, another user, a foreign return address: refused', async () => {
    clock.advance(10_000);
    const params = { store: 'card2gift' };
    const other = await world.user({ usdCents: 0 });
    await expect(user.api.redirectToStore({ params: { store: 'nowhere' } })).rejects.toMatchObject({
      code: 'store_not_found',
      message: 'فروشگاه مورد نظر یافت نشد.',
    });
    await expect(user.api.getStoreUrl({ params, query: { user_id: other.id } })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(user.api.getStoreUrl({ params, query: { user_email: other.email } })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(
      user.api.redirectToStore({ params, body: { return_url: 'https://evil.example/user/x' } }),
    ).rejects.toMatchObject({ fields: { return_url: expect.any(String) } });
    const mine = { user_id: user.id, user_email: user.email, return_url: '/user/subscriptions' };
    const { redirect_id: id } = await user.api.getStoreUrl({ params, query: mine });
    await expect(other.api.getStoreRedirect({ params: { id } })).rejects.toMatchObject({ code: 'not_found' });
    await expect(fetch(`${world.origin}/api/v1/giftcards/stores`).then(({ status }) => status)).resolves.toBe(401);
  });
});

describe('the test store', () => {
  test('a user buys a card, comes back with its code, and redeems it', async () => {
    const { redirect_url: url, redirect_id: id } = await visit();
    const page = await fetch(url);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('فروشگاه آزمایشی');
    expect((await user.api.getStoreRedirect({ params: { id } })).data).toMatchObject({
      status: 'open',
      gift_code: null,
      redirect_url: url,
    });
    const back = await buy(url, 500);
    expect(back.status).toBe(303);
    const location = new URL(back.headers.get('location') as string);
    expect(location.pathname).toBe('/user/subscriptions');
    expect(location.searchParams.get('payment_success')).toBe('1');
    expect(location.searchParams.get('store')).toBe('card2gift');
    const code = location.searchParams.get('gift_code') as string;
    // The browser need not return: the store's webhook brought the code as well.
    expect((await user.api.getStoreRedirect({ params: { id } })).data).toMatchObject({
      status: 'paid',
      gift_code: code,
      redirect_url: null,
    });
    const redeemed = await user.api.processGiftCard({ body: { gift_card_code: code } });
    expect(redeemed.data).toMatchObject({ usd_cents: 500, activated: true });
    expect((await user.api.getStoreRedirect({ params: { id } })).data).toMatchObject({
      status: 'redeemed',
      gift_code: null,
    });
  });

  test('an address buys once, even if it is used a hundred times at once', async () => {
    const { redirect_url: url } = await visit();
    const answers = await Promise.all(Array.from({ length: 100 }, () => buy(url, 200)));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(99);
  });

  test('a changed or expired address, or a card that is not on offer, buys nothing', async () => {
    const { redirect_url: url, redirect_id: id } = await visit();
    expect((await buy(url.replace(user.id, world.deps.vault.derive('x').toString('hex')), 500)).status).toBe(400);
    expect((await buy(url.replace('card2gift?', 'cardplus?'), 500)).status).toBe(400);
    expect((await buy(url, 501)).status).toBe(404);
    clock.advance(600_000);
    expect((await fetch(url)).status).toBe(400);
    expect((await buy(url, 500)).status).toBe(400);
    expect((await user.api.getStoreRedirect({ params: { id } })).data).toMatchObject({ status: 'expired' });
  });
});

describe('webhooks', () => {
  const refusals = async () => {
    const { rows } = await sql<{ row: string; store: string; reason: string; count: bigint }>`
      SELECT to_jsonb(r)::text AS row, store, reason, count FROM refused_webhook r
    `.execute(world.deps.db);
    return rows;
  };
  const countOf = async (store: string, reason: string) =>
    (await refusals())
      .filter((row) => row.store === store && row.reason === reason)
      .reduce((sum, { count }) => sum + Number(count), 0);

  test('that are refused are counted by reason and hour, and nothing of them is kept', async () => {
    const { redirect_id: ref } = await visit();
    const gift_code = await world.giftCard(100);
    const data = { ref, order_id: 'canary-order', gift_code };
    const other = testStoreKeys(world.deps.vault, 'cardplus').webhookSecret;
    const url = `${world.origin}/api/v1/giftcards/webhooks/card2gift`;
    const headers = { 'content-type': 'application/json' };
    const unsigned = () => fetch(url, { method: 'POST', headers, body: JSON.stringify({ type: 'order.paid', data }) });
    const before = await Promise.all(
      (['unsigned', 'wrong_signature', 'too_old', 'unknown_visit', 'unusable_code', 'repeated'] as const).map(
        async (reason) => [reason, await countOf('card2gift', reason)] as const,
      ),
    );
    await Promise.all(Array.from({ length: 40 }, () => unsigned()));
    await webhook('card2gift', data, { secret: other });
    await webhook('card2gift', data, { secondsAgo: 301 });
    await webhook('card2gift', { ...data, ref: randomUUID() });
    await webhook('card2gift', { ...data, gift_code: '7K3M-9QXW-2R5T-8VB3' });
    await webhook('card2gift', data);
    await webhook('card2gift', data);
    const after = Object.fromEntries(
      await Promise.all(
        before.map(async ([reason, earlier]) => [reason, (await countOf('card2gift', reason)) - earlier]),
      ),
    );
    expect(after).toEqual({
      ...{ unsigned: 40, wrong_signature: 1, too_old: 1 },
      ...{ unknown_visit: 1, unusable_code: 1, repeated: 1 },
    });
    // However many come, a row for each store, reason and hour; a store that there is not has none.
    await fetch(`${world.origin}/api/v1/giftcards/webhooks/nobody`, { method: 'POST', headers, body: '{}' });
    const rows = await refusals();
    expect(rows.filter(({ store }) => store === 'nobody')).toEqual([]);
    expect(rows.length).toBeLessThanOrEqual(2 * 6 * 2);
    const kept = rows.map(({ row }) => row).join();
    for (const canary of ['canary-order', gift_code, ref]) expect(kept).not.toContain(canary);
  });

  test('without a valid signature, or more than five minutes off, change nothing', async () => {
    const { redirect_id: ref } = await visit();
    const data = { ref, order_id: '1', gift_code: await world.giftCard(100) };
    const other = testStoreKeys(world.deps.vault, 'cardplus').webhookSecret;
    expect((await webhook('card2gift', data, { secret: other })).status).toBe(401);
    expect((await webhook('card2gift', data, { secondsAgo: 301 })).status).toBe(401);
    expect((await webhook('card2gift', data, { secondsAgo: -301 })).status).toBe(401);
    expect((await user.api.getStoreRedirect({ params: { id: ref } })).data.status).toBe('open');
    expect((await webhook('card2gift', data, { secondsAgo: 299 })).status).toBe(200);
    expect((await user.api.getStoreRedirect({ params: { id: ref } })).data.status).toBe('paid');
  });

  test('arrive in any number and order: the first one counts', async () => {
    const { redirect_id: ref } = await visit();
    const first = await world.giftCard(100);
    const data = { ref, order_id: '1', gift_code: first };
    const answers = await Promise.all(Array.from({ length: 20 }, () => webhook('card2gift', data, { id: 'msg_same' })));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    await webhook('card2gift', { ...data, order_id: '2', gift_code: await world.giftCard(100) });
    expect((await user.api.getStoreRedirect({ params: { id: ref } })).data.gift_code).toBe(first);
  });

  test('for another store’s visit, an unknown visit, or a code that is not ours, give nobody a code', async () => {
    const { redirect_id: ref } = await visit();
    const gift_code = await world.giftCard(100);
    const refused = { status: 422, code: 'webhook_unusable' };
    expect(await answerTo('cardplus', { ref, order_id: '1', gift_code })).toEqual(refused);
    expect(await answerTo('card2gift', { ref: 'unknown', order_id: '1', gift_code })).toEqual(refused);
    expect(await answerTo('card2gift', { ref: randomUUID(), order_id: '1', gift_code })).toEqual(refused);
    expect((await user.api.getStoreRedirect({ params: { id: ref } })).data.status).toBe('open');
    expect(await answerTo('card2gift', { ref, order_id: '1', gift_code: '7K3M-9QXW-2R5T-8VB3' })).toEqual(refused);
    const { data } = await user.api.getStoreRedirect({ params: { id: ref } });
    expect(data).toMatchObject({ status: 'paid', gift_code: null });
  });

  test('with a good code deliver it although one with a bad code came before, under the same id or another', async () => {
    for (const ids of [{ bad: 'msg_again', good: 'msg_again' }, {}]) {
      const { redirect_id: ref } = await visit();
      const order = { ref, order_id: '1' };
      await webhook('card2gift', { ...order, gift_code: '7K3M-9QXW-2R5T-8VB3' }, { id: ids.bad });
      const code = await world.giftCard(100);
      expect((await webhook('card2gift', { ...order, gift_code: code }, { id: ids.good })).status).toBe(200);
      const { data } = await user.api.getStoreRedirect({ params: { id: ref } });
      expect(data).toMatchObject({ status: 'paid', gift_code: code });
    }
  });

  test('that arrive after the code was redeemed are accepted if the buyer redeemed it', async () => {
    const { redirect_id: ref } = await visit();
    const [mine, theirs] = [await world.giftCard(100), await world.giftCard(100)];
    const other = await world.user({ usdCents: 0 });
    await other.api.processGiftCard({ body: { gift_card_code: theirs } });
    expect((await webhook('card2gift', { ref, order_id: '1', gift_code: theirs })).status).toBe(422);
    await user.api.processGiftCard({ body: { gift_card_code: mine } });
    expect((await webhook('card2gift', { ref, order_id: '1', gift_code: mine })).status).toBe(200);
    const { data } = await user.api.getStoreRedirect({ params: { id: ref } });
    expect(data).toMatchObject({ status: 'redeemed', gift_code: null });
  });
});

describe('in the console', () => {
  test('who was sent to a store, paid and redeemed, and who paid for nothing, as long as visits are kept', async () => {
    clock.advance(40 * 86_400_000);
    const buyer = await world.user({ usdCents: 0 });
    const { userId } = await openColleague(world, 'finance');
    const read = async () => {
      const cookie = await openStaffSession(world, userId);
      const answer = await fetch(`${world.origin}/api/v1/admin/gift-card-stores`, { headers: { cookie } });
      const { data } = (await answer.json()) as { data: { days: number; stores: StoreLine[] } };
      expect(data.days).toBe(30);
      return data.stores.find(({ name }) => name === 'کارت‌پلاس');
    };
    const nothing = { test: true, visits: 0, paid: 0, redeemed: 0, without_card: 0, last_paid_at: null };
    expect(await read()).toMatchObject(nothing);
    const sendTo = async () => {
      clock.advance(120_000);
      return (await buyer.api.redirectToStore({ params: { store: 'cardplus' }, body: {} })).redirect_id;
    };
    const [redeemed, missing] = [await sendTo(), await sendTo()];
    await sendTo();
    const code = await world.giftCard(100);
    expect((await webhook('cardplus', { ref: redeemed, order_id: '1', gift_code: code })).status).toBe(200);
    await buyer.api.processGiftCard({ body: { gift_card_code: code } });
    expect((await webhook('cardplus', { ref: missing, order_id: '2', gift_code: 'no-such-code' })).status).toBe(422);
    const at = clock.now().toISOString();
    const some = { test: true, visits: 3, paid: 2, redeemed: 1, without_card: 1, last_paid_at: at };
    expect(await read()).toMatchObject(some);
    clock.advance(31 * 86_400_000);
    expect(await read()).toMatchObject(nothing);
  });
});

describe('with real stores', () => {
  const environment = {
    NODE_ENV: 'production',
    CARD2GIFT_URL: 'https://store.example/raha',
    CARD2GIFT_KEY: 'k'.repeat(32),
    CARD2GIFT_WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    CARDPLUS_URL: 'https://plus.example/',
  };
  const open = (more: Record<string, string> = {}) =>
    openStores(readConfig({ ...environment, ...more }), world.deps.vault, () => 'https://raha.example');

  test('only those with a complete agreement are there, and no test store beside them', () => {
    const stores = [...open().values()];
    expect(stores.map(({ slug, test: isTest }) => [slug, isTest])).toEqual([['card2gift', false]]);
    expect([...open({ NODE_ENV: 'development' }).keys()]).toEqual(['card2gift']);
  });

  test('in production there is never a test store, unless it is a demonstration', () => {
    const none = { CARD2GIFT_URL: '' };
    expect([...open(none).keys()]).toEqual([]);
    expect([...open({ ...none, DEMO: 'on' }).values()].every((store) => store.test)).toBe(true);
  });

  test('an invalid secret stops the start with a sentence', () => {
    expect(() => open({ CARD2GIFT_WEBHOOK_SECRET: 'whsec_short' })).toThrow('CARD2GIFT_WEBHOOK_SECRET');
  });
});
