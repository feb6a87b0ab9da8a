import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resendMessage } from '../../src/modules/profile/resend-message.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { actor, codeFor, eventually, openTestWorld, type TestUser, type TestWorld, textTo } from '../world.ts';

/** Sending a mail or text message again, for somebody who asks support: the limits are those of the user's own requests. */
let world: TestWorld;
let clock: ReturnType<typeof manualClock>;

beforeAll(async () => {
  clock = manualClock(new Date('2026-11-20T08:00:00Z'));
  world = await openTestWorld({ clock });
});
afterAll(() => world.close());

const deliveriesOf = async (userId: string, kind: string) =>
  (
    await sql<{ id: string; state: string }>`
      SELECT id, state FROM delivery WHERE user_id = ${userId} AND kind = ${kind} ORDER BY first_at DESC, id
    `.execute(world.deps.db)
  ).rows;
const firstOf = (user: TestUser, kind: string) => eventually(async () => (await deliveriesOf(user.id, kind))[0]?.id);
const resend = (id: string) => resendMessage(world.deps, { actor, id });
const entries = async (userId: string) =>
  (
    await sql<{ details: unknown }>`
      SELECT details FROM audit_entry WHERE action = 'deliveries.resend' AND target_id = ${userId} ORDER BY number
    `.execute(world.deps.db)
  ).rows;
const mailsTo = (email: string) => world.mails.filter(({ to }) => to === email);

/** Asks for a code in a browser of its own, whose cookie is the only one that can use it. */
async function askForCode(user: TestUser): Promise<(code: string) => Promise<Response>> {
  const post = (path: string, body: object, cookie = '') =>
    fetch(`${world.origin}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    });
  const sent = await post('/auth/send-verification-code', { email: user.email }, 'device=');
  const cookie = sent.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  return (code) => post('/auth/verify-code', { email: user.email, code }, cookie);
}

describe('a code', () => {
  test('is made anew for the browser that asked, once a minute; the older one stops working', async () => {
    const user = await world.user({ usdCents: 0 });
    clock.advance(61_000);
    const signIn = await askForCode(user);
    const first = await codeFor(world, user.email, 2);
    const id = await firstOf(user, 'sign_in_code');
    await expect(resend(id)).rejects.toMatchObject({ code: 'code_too_soon' });
    expect(await entries(user.id)).toEqual([]);
    clock.advance(61_000);
    await resend(id);
    const second = await codeFor(world, user.email, 3);
    expect(second).not.toBe(first);
    expect((await signIn(first)).status).not.toBe(200);
    expect((await signIn(second)).status).toBe(200);
    expect(await entries(user.id)).toEqual([{ details: { delivery: id, kind: 'sign_in_code', channel: 'mail' } }]);
  });

  test('no more of them in an hour than anybody may ask for', async () => {
    const user = await world.user({ usdCents: 0 });
    clock.advance(3_700_000);
    await askForCode(user);
    const id = await firstOf(user, 'sign_in_code');
    let sent = 0;
    for (let turn = 0; turn < 8; turn += 1) {
      clock.advance(61_000);
      sent += await resend(id).then(
        () => 1,
        () => 0,
      );
    }
    // Five in an hour from browsers that the account does not know.
    expect(sent).toBe(4);
    expect(await entries(user.id)).toHaveLength(4);
  });

  test('by text message has the limits of the number', async () => {
    const user = await world.user({ usdCents: 0 });
    await user.api.sendPhoneCode({ body: { phone: '09124440001' } });
    await textTo(world, '09124440001');
    const id = await firstOf(user, 'phone_code');
    await expect(resend(id)).rejects.toMatchObject({ code: 'code_too_soon' });
    clock.advance(61_000);
    await resend(id);
    await textTo(world, '09124440001', 2);
    expect(await entries(user.id)).toHaveLength(1);
  });

  test('that nobody waits for any more is not sent', async () => {
    const user = await world.user({ usdCents: 0 });
    const id = randomUUID();
    await sql`
      INSERT INTO delivery (id, user_id, channel, kind, state, attempts, first_at, at)
      VALUES (${id}, ${user.id}, 'mail', 'verify_email_code', 'sent', 1, now(), now())
    `.execute(world.deps.db);
    await expect(resend(id)).rejects.toMatchObject({ code: 'delivery_not_resendable' });
    expect(await entries(user.id)).toEqual([]);
  });
});

test('a password link is sent once a minute', async () => {
  const user = await world.user({ usdCents: 0 });
  await world.client().forgotPassword({ body: { email: user.email } });
  const id = await firstOf(user, 'password_link');
  await expect(resend(id)).rejects.toMatchObject({ code: 'code_too_soon' });
  clock.advance(61_000);
  const before = mailsTo(user.email).length;
  await resend(id);
  await eventually(() => mailsTo(user.email).length > before);
});

describe('a notification', () => {
  const notified = async () => {
    const user = await world.user();
    await user.api.updateNotificationChoices({ body: { mail: ['card_redeemed'] } });
    await user.api.processGiftCard({ body: { gift_card_code: await world.giftCard() } });
    return { user, id: await firstOf(user, 'card_redeemed') };
  };

  test('is composed anew, once a minute and five times a day, also by two members at once', async () => {
    const { user, id } = await notified();
    const both = await Promise.allSettled([resend(id), resend(id)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await eventually(async () => (await deliveriesOf(user.id, 'card_redeemed')).length === 2);
    // Whichever of its rows is pressed.
    const other = (await deliveriesOf(user.id, 'card_redeemed')).find((row) => row.id !== id)?.id as string;
    await expect(resend(other)).rejects.toMatchObject({ code: 'delivery_resent' });
    let sent = 1;
    for (let turn = 0; turn < 7; turn += 1) {
      clock.advance(61_000);
      sent += await resend(turn % 2 ? id : other).then(
        () => 1,
        () => 0,
      );
    }
    expect(sent).toBe(5);
    expect(await entries(user.id)).toHaveLength(5);
  });

  test('that its user does not want any more, or that is gone, is not sent', async () => {
    const { user, id } = await notified();
    await user.api.updateNotificationChoices({ body: { mail: [] } });
    await expect(resend(id)).rejects.toMatchObject({ code: 'delivery_not_resendable' });
    await user.api.updateNotificationChoices({ body: { mail: ['card_redeemed'] } });
    await user.api.deleteNotifications();
    await expect(resend(id)).rejects.toMatchObject({ code: 'delivery_not_resendable' });
    expect(await entries(user.id)).toEqual([]);
  });
});

test('what is still being tried, what has no content left, and what names nobody is not sent again', async () => {
  const user = await world.user({ usdCents: 0 });
  const add = async (userId: string | null, kind: string, state: string) => {
    const id = randomUUID();
    await sql`
      INSERT INTO delivery (id, user_id, channel, kind, state, attempts, reason, first_at, at)
      VALUES (${id}, ${userId}, 'mail', ${kind}, ${state}, 1, ${state === 'sent' ? null : 'busy'}, now(), now())
    `.execute(world.deps.db);
    return id;
  };
  await expect(resend(await add(user.id, 'sign_in_code', 'waiting'))).rejects.toMatchObject({
    code: 'delivery_waiting',
  });
  const gone = { code: 'delivery_not_resendable' };
  await expect(resend(await add(user.id, 'password_changed', 'given_up'))).rejects.toMatchObject(gone);
  await expect(resend(await add(null, 'sign_in_code', 'sent'))).rejects.toMatchObject(gone);
  await expect(resend(randomUUID())).rejects.toMatchObject({ code: 'not_found' });
});
