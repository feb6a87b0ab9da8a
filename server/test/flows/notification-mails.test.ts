import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forgetOldNotifications } from '../../src/modules/notifications/forget.ts';
import type { AnyEvent } from '../../src/modules/notifications/kinds.ts';
import { addDays } from '../../src/platform/clock.ts';
import { inTransaction } from '../../src/platform/database.ts';
import { codeFor, eventually, openTestWorld, type TestUser, type TestWorld, textTo } from '../world.ts';

/** Notifications by email or text message, as each user has chosen. */
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(async () => {
  await world.close();
});

const notify = (...events: AnyEvent[]) => inTransaction(world.deps.db, (tx) => world.deps.notifier.notify(tx, events));
let causes = 0;
const cut = (user: TestUser): AnyEvent => {
  causes += 1;
  return { userId: user.id, kind: 'service_cut', cause: `test ${causes}`, data: {} };
};
const low = (user: TestUser): AnyEvent => {
  causes += 1;
  return {
    userId: user.id,
    kind: 'low_balance',
    cause: `test ${causes}`,
    data: { percent: 20, balanceToman: 12_345 },
  };
};
const mailsTo = (user: TestUser, words: string) =>
  world.mails.filter(({ to, text }) => to === user.email && text.includes(words));
/** Waits until earlier notifications have been sent: jobs of one queue run in order. */
async function settled(): Promise<void> {
  const witness = await world.user({ usdCents: 0 });
  await notify(cut(witness));
  await eventually(() => mailsTo(witness, 'موجودی تمام شد')[0]);
}

test('the end of service is emailed by default, in the user’s language, once', async () => {
  const user = await world.user({ usdCents: 0 });
  const event = cut(user);
  await notify(event, event);
  await notify(event);
  const mail = await eventually(() => mailsTo(user, 'موجودی تمام شد')[0]);
  expect(mail.subject).toBe('اینترنت قطع است – رها');
  expect(mail.html).toContain('<html lang="fa" dir="rtl">');
  expect(mail.text).toContain('/user/wallet/charge');
  await user.api.updateSettings({ body: { language: 'en' } });
  await notify(cut(user));
  const english = await eventually(() => mailsTo(user, 'Your balance is used up')[0]);
  expect(english.subject).toBe('Internet is cut – Raha');
  expect(english.html).toContain('<html lang="en" dir="ltr">');
  await settled();
  expect(mailsTo(user, 'موجودی تمام شد')).toHaveLength(1);
});

test('each kind can be chosen, and all can be switched off; the panel still shows them', async () => {
  const user = await world.user({ usdCents: 0 });
  const { data } = await user.api.getNotificationChoices();
  const on = data.choices.filter(({ byMail }) => byMail).map(({ kind }) => kind);
  expect(on).toContain('low_balance');
  expect(on).not.toContain('config_live');
  expect(data.choices.map(({ kind }) => kind)).not.toContain('new_device');
  await user.api.updateNotificationChoices({ body: { mail: ['config_live', 'welcome', 'config_live'] } });
  expect((await user.api.getNotificationChoices()).data.choices.filter(({ byMail }) => byMail)).toMatchObject([
    { kind: 'config_live', title: 'کانفیگ آماده است' },
  ]);
  await notify(cut(user), { userId: user.id, kind: 'config_live', cause: 'a', data: { name: '<b>خانه</b>' } });
  const mail = await eventually(() => mailsTo(user, 'خانه')[0]);
  expect(mail.html).not.toContain('<b>خانه');
  await user.api.updateSettings({ body: { emailNotifications: false } });
  await notify({ userId: user.id, kind: 'config_live', cause: 'b', data: { name: 'دفتر' } });
  await settled();
  expect(mailsTo(user, 'دفتر')).toEqual([]);
  expect(mailsTo(user, 'موجودی تمام شد')).toEqual([]);
  const { notifications } = (await user.api.listNotifications()).data;
  expect(notifications.filter(({ kind }) => kind === 'service_cut' || kind === 'config_live')).toHaveLength(3);
  await expect(user.api.updateNotificationChoices({ body: { mail: ['nonsense' as 'welcome'] } })).rejects.toMatchObject(
    { code: 'invalid_input' },
  );
});

test('an unproved address gets no notifications', async () => {
  const [email, password] = ['nobody@mail.example', 'Correct-horse-7'];
  const body = { name: 'کسی', email, password, password_confirmation: password };
  const { user } = await world.client().register({ body });
  await notify({ userId: user.id, kind: 'service_cut', cause: 'x', data: {} });
  await settled();
  expect(world.mails.filter(({ to, text }) => to === email && text.includes('موجودی تمام شد'))).toEqual([]);
});

test('one click unsubscribes from that kind only; opening the link changes nothing', async () => {
  const user = await world.user({ usdCents: 0 });
  await notify(cut(user));
  const mail = await eventually(() => mailsTo(user, 'موجودی تمام شد')[0]);
  const url = mail.unsubscribeUrl ?? '';
  expect(mail.text).toContain(url);
  const isOn = async () =>
    (await user.api.getNotificationChoices()).data.choices.find(({ kind }) => kind === 'service_cut')?.byMail;
  const page = await fetch(url);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await page.text()).toContain('«اینترنت قطع است» دیگر برای شما فرستاده نشود؟');
  expect(await isOn()).toBe(true);
  // As an email program does it (RFC 8058): a form, from another site, without cookies.
  const press = () =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
      body: 'List-Unsubscribe=One-Click',
    });
  expect((await press()).status).toBe(200);
  expect((await press()).status).toBe(200);
  expect(await isOn()).toBe(false);
  const { choices } = (await user.api.getNotificationChoices()).data;
  expect(choices.find(({ kind }) => kind === 'low_balance')?.byMail).toBe(true);
  const forged = await fetch(`${world.origin}${API_BASE}/notifications/unsubscribe?token=v1.forged`, {
    method: 'POST',
  });
  expect(forged.status).toBe(404);
});

test('by text message only to a proved number, only on request, and only about the end of service', async () => {
  const user = await world.user({ usdCents: 0 });
  const phone = '09351112233';
  await user.api.updateSettings({ body: { smsNotifications: true } });
  await notify(cut(user));
  await user.api.sendPhoneCode({ body: { phone } });
  const code = /\d{6}/.exec(await textTo(world, phone))?.[0] ?? '';
  await user.api.verifyPhoneCode({ body: { phone, code } });
  await notify(low(user), { userId: user.id, kind: 'card_redeemed', cause: 'c', data: { amountToman: 1 } });
  expect(await textTo(world, phone, 2)).toContain('12345 تومان');
  await notify(cut(user));
  expect(await textTo(world, phone, 3)).toContain(new URL(world.origin).host);
  await user.api.updateSettings({ body: { smsNotifications: false } });
  await notify(cut(user));
  await user.api.updateSettings({ body: { smsNotifications: true } });
  await notify(low(user));
  expect(await textTo(world, phone, 4)).toContain('12345 تومان');
});

test('after 180 days they are deleted, and a cause that can recur is not notified twice', async () => {
  const user = await world.user();
  await notify(low(user), { userId: user.id, kind: 'config_live', cause: 'kept', data: { name: 'قدیمی' } });
  const fresh = cut(user);
  const age = (days: number) =>
    sql`
    UPDATE notification SET created_at = now() - make_interval(days => ${days}) WHERE user_id = ${user.id}
  `.execute(world.deps.db);
  const now = world.deps.clock.now();
  await age(179);
  await notify(fresh);
  await forgetOldNotifications(world.deps.db, now);
  const kinds = async () => (await user.api.listNotifications()).data.notifications.map(({ kind }) => kind).sort();
  expect(await kinds()).toEqual(['account_activated', 'config_live', 'low_balance', 'service_cut', 'welcome']);
  await forgetOldNotifications(world.deps.db, addDays(now, 2));
  expect(await kinds()).toEqual(['service_cut']);
  const { rows } = await sql<{ data: object; kind: string }>`
    SELECT kind, data FROM notification WHERE user_id = ${user.id} AND deleted_at IS NOT NULL ORDER BY kind
  `.execute(world.deps.db);
  expect(rows).toEqual([
    { kind: 'account_activated', data: {} },
    { kind: 'config_live', data: {} },
    { kind: 'welcome', data: {} },
  ]);
  await notify({ userId: user.id, kind: 'config_live', cause: 'kept', data: { name: 'قدیمی' } });
  expect(await kinds()).toEqual(['service_cut']);
});

test('codes are never mixed up with notifications', async () => {
  const user = await world.user({ usdCents: 0 });
  await notify(cut(user));
  await eventually(() => mailsTo(user, 'موجودی تمام شد')[0]);
  expect(await codeFor(world, user.email)).toMatch(/^\d{6}$/);
});
