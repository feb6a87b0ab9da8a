import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sendMail } from '../../src/modules/notifications/channels/mail.ts';
import { sendSms } from '../../src/modules/notifications/channels/sms.ts';
import { deleteAccount } from '../../src/modules/profile/close-account.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { inTransaction } from '../../src/platform/database.ts';
import { sendEmail } from '../../src/platform/email.ts';
import { createLog } from '../../src/platform/log.ts';
import type { SmsResult } from '../../src/platform/sms.ts';
import { eventually, openTestWorld, type TestWorld, textTo } from '../world.ts';

/** What became of each mail and text message is written down by the worker that tries it, without address or content (decision 121). */
interface Row {
  readonly user_id: string | null;
  readonly channel: string;
  readonly kind: string;
  readonly notification_id: string | null;
  readonly state: string;
  readonly attempts: number;
  readonly reason: string | null;
  readonly code: number | null;
}

let world: TestWorld;
const lines: string[] = [];
let failure: Error | undefined;
let whileSending: () => Promise<unknown> = async () => undefined;

beforeAll(async () => {
  world = await openTestWorld({
    log: createLog('debug', { write: (line: string) => void lines.push(line) }),
    overrides: {
      mailer: {
        send: async (mail) => {
          await whileSending();
          if (failure) throw failure;
          world.mails.push(mail);
        },
      },
    },
  });
});
beforeEach(() => {
  failure = undefined;
  whileSending = async () => undefined;
});
afterAll(() => world.close());

const mailFailure = (code: string, responseCode?: number) =>
  Object.assign(new Error(`550 no mailbox canary-delivery@mail.example`), { code, responseCode });

async function rows(where = sql`true`): Promise<Row[]> {
  const found = await sql<Row>`
    SELECT user_id, channel, kind, notification_id, state, attempts, reason, code FROM delivery WHERE ${where} ORDER BY first_at, id
  `.execute(world.deps.db);
  return found.rows;
}

const ofUser = (userId: string, kind: string) => rows(sql`user_id = ${userId} AND kind = ${kind}`);

describe('a mail', () => {
  test('that was taken has one row, of the user it is about', async () => {
    const user = await world.user({ usdCents: 0 });
    await world.client().forgotPassword({ body: { email: user.email } });
    const found = await eventually(async () => (await ofUser(user.id, 'password_link'))[0]);
    expect(found).toEqual({
      ...{ user_id: user.id, channel: 'mail', kind: 'password_link', notification_id: null },
      ...{ state: 'sent', attempts: 1, reason: null, code: null },
    });
  });

  test('to an address without an account names nobody', async () => {
    await world.client().sendVerificationCode({ body: { email: 'canary-delivery@mail.example' } });
    const [found] = await eventually(async () => {
      const nobody = await rows(sql`user_id IS NULL AND kind = 'sign_in_code'`);
      return nobody.length > 0 ? nobody : undefined;
    });
    expect(found).toMatchObject({ state: 'sent', user_id: null });
  });

  test('of a notification can be found by it', async () => {
    const user = await world.user();
    await user.api.updateNotificationChoices({ body: { mail: ['card_redeemed'] } });
    await user.api.processGiftCard({ body: { gift_card_code: await world.giftCard() } });
    const found = await eventually(async () => (await ofUser(user.id, 'card_redeemed'))[0]);
    const { rows: stored } = await sql<{ id: string }>`
      SELECT id FROM notification WHERE user_id = ${user.id} AND kind = 'card_redeemed'
    `.execute(world.deps.db);
    expect(found.notification_id).toBe(stored[0]?.id);
  });

  test('that is refused waits with the class and number of the answer, keeps its row, and is sent later', async () => {
    const user = await world.user({ usdCents: 0 });
    failure = mailFailure('EENVELOPE', 550);
    await world.client().forgotPassword({ body: { email: user.email } });
    const waiting = await eventually(async () => (await ofUser(user.id, 'password_link'))[0]);
    expect(waiting).toMatchObject({ state: 'waiting', reason: 'refused', code: 550 });
    failure = undefined;
    const sent = await eventually(async () => {
      const found = await ofUser(user.id, 'password_link');
      return found[0]?.state === 'sent' ? found : undefined;
    });
    expect(sent).toEqual([expect.objectContaining({ reason: null, code: null })]);
    expect(sent[0]?.attempts).toBeGreaterThan(1);
  });

  test('whose last attempt fails is given up', async () => {
    const user = await world.user({ usdCents: 0 });
    failure = mailFailure('ECONNECTION');
    await world.client().forgotPassword({ body: { email: user.email } });
    await eventually(async () => (await ofUser(user.id, 'password_link'))[0]);
    await eventually(async () => {
      await sql`
        UPDATE pgboss.job SET retry_limit = 1, start_after = now() WHERE name = 'mail.send' AND state = 'retry'
      `.execute(world.deps.db);
      return (await ofUser(user.id, 'password_link'))[0]?.state === 'given_up';
    });
    expect((await ofUser(user.id, 'password_link'))[0]).toMatchObject({ reason: 'unreachable', code: null });
    await sql`DELETE FROM pgboss.job WHERE name = 'mail.send'`.execute(world.deps.db);
  });

  test('that nobody wants leaves no trace', async () => {
    const mail = { to: 'x@mail.example', subject: 's', text: 't', html: 'h', isWanted: false as const };
    const jobId = randomUUID();
    await sendMail(world.deps, { ...mail, about: { kind: 'console_code' } }, { jobId, number: 1, isLast: false });
    expect(await rows(sql`id = ${jobId}`)).toEqual([]);
  });

  test('is not sent twice because it could not be written down', async () => {
    const before = world.mails.length;
    const mail = { to: 'x@mail.example', subject: 's', text: 't', html: 'h', about: { kind: 'other' } as const };
    await sendMail(world.deps, mail, { jobId: 'no uuid', number: 1, isLast: false });
    expect(world.mails.length).toBe(before + 1);
  });

  test('of an earlier release, which says nothing about itself, is of another kind', async () => {
    const jobId = randomUUID();
    const mail = { to: 'x@mail.example', subject: 's', text: 't', html: 'h' };
    await sendMail(world.deps, mail as never, { jobId, number: 1, isLast: false });
    expect(await rows(sql`id = ${jobId}`)).toMatchObject([{ kind: 'other', state: 'sent', user_id: null }]);
  });
});

describe('a text message', () => {
  const send = async (result: SmsResult | undefined, options: { until?: string; isLast?: boolean } = {}) => {
    const jobId = randomUUID();
    const sms = result && { test: true, send: async () => result };
    const until = options.until === undefined ? {} : { until: options.until };
    const message = {
      to: '09121234567',
      purpose: 'code',
      token: '135791',
      about: { kind: 'phone_code' },
      ...until,
    } as const;
    await sendSms({ ...world.deps, sms }, message, { jobId, number: 1, isLast: options.isLast ?? false }).catch(
      () => undefined,
    );
    return (await rows(sql`id = ${jobId}`))[0];
  };

  test('of a code is of the account that asked for it', async () => {
    const user = await world.user({ usdCents: 0 });
    await user.api.sendPhoneCode({ body: { phone: '09123330001' } });
    await textTo(world, '09123330001');
    const found = await eventually(async () => (await ofUser(user.id, 'phone_code'))[0]);
    expect(found).toMatchObject({ channel: 'sms', state: 'sent', attempts: 1 });
  });

  test('has the outcome that the provider gave', async () => {
    const reason = 'x';
    expect(await send({ kind: 'refused', reason, code: 411 })).toMatchObject({
      state: 'failed',
      reason: 'refused',
      code: 411,
    });
    expect(await send({ kind: 'busy', reason, code: 429 })).toMatchObject({
      state: 'waiting',
      reason: 'busy',
      code: 429,
    });
    expect(await send({ kind: 'busy', reason }, { isLast: true })).toMatchObject({ state: 'given_up', reason: 'busy' });
    expect(await send({ kind: 'unknown', reason })).toMatchObject({ state: 'uncertain', reason: 'no_answer' });
    const until = new Date(0).toISOString();
    expect(await send({ kind: 'sent' }, { until })).toMatchObject({ state: 'failed', reason: 'too_late' });
    expect(await send(undefined)).toMatchObject({ state: 'failed', reason: 'switched_off' });
  });
});

describe('an erased account', () => {
  test('takes its rows along', async () => {
    const user = await world.user({ usdCents: 0 });
    await world.client().forgotPassword({ body: { email: user.email } });
    await eventually(async () => (await ofUser(user.id, 'password_link'))[0]);
    await deleteAccount(world.deps, user.id);
    expect(await rows(sql`user_id = ${user.id}`)).toEqual([]);
  });

  test('is not named by a mail that was being sent at that moment', async () => {
    const user = await world.user({ usdCents: 0 });
    const jobId = randomUUID();
    whileSending = async () => {
      whileSending = async () => undefined;
      await deleteAccount(world.deps, user.id);
    };
    const about = { kind: 'password_changed', userId: user.id } as const;
    await sendMail(
      world.deps,
      { to: user.email, subject: 's', text: 't', html: 'h', about },
      { jobId, number: 1, isLast: false },
    );
    expect(await rows(sql`id = ${jobId}`)).toMatchObject([{ user_id: null, state: 'sent' }]);
    expect(await rows(sql`user_id = ${user.id}`)).toEqual([]);
  });

  test('nor by one that is written down while the account is being erased', async () => {
    const user = await world.user({ usdCents: 0 });
    const jobId = randomUUID();
    const about = { kind: 'password_changed', userId: user.id } as const;
    const mail = { to: user.email, subject: 's', text: 't', html: 'h', about };
    let noting: Promise<unknown> = Promise.resolve();
    await inTransaction(world.deps.db, async (tx) => {
      await sql`UPDATE users SET status = 'deleted' WHERE id = ${user.id}`.execute(tx);
      noting = sendMail(world.deps, mail, { jobId, number: 1, isLast: false });
      await eventually(async () => {
        const waiting = await sql`
          SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INSERT INTO delivery%'
            AND datname = current_database()
        `.execute(world.deps.db);
        return waiting.rows.length > 0;
      });
    });
    await noting;
    expect(await rows(sql`id = ${jobId}`)).toMatchObject([{ user_id: null }]);
  });
});

test('no row and no line of the log has an address, a number or anything that was sent', async () => {
  const { rows: stored } = await sql<{ row: string }>`SELECT to_jsonb(d)::text AS row FROM delivery d`.execute(
    world.deps.db,
  );
  expect(stored.length).toBeGreaterThan(8);
  expect(stored.filter(({ row }) => /@|mail\.example|0912|135791|canary/.test(row))).toEqual([]);
  // A failed attempt is logged without what the server said of the address.
  expect(lines.filter((line) => /mail\.example|0912333/.test(line))).toEqual([]);
});

test('a job is noted again at each attempt, once', async () => {
  const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
  const jobId = randomUUID();
  const mail = { to: 'x@mail.example', subject: 's', text: 't', html: 'h', about: { kind: 'other' } as const };
  failure = mailFailure('ETIMEDOUT');
  for (let number = 1; number <= 3; number += 1) {
    await sendMail({ ...world.deps, clock }, mail, { jobId, number, isLast: false }).catch(() => undefined);
    clock.advance(60_000);
  }
  const found = await sql<{ attempts: number; first_at: Date; at: Date }>`
    SELECT attempts, first_at, at FROM delivery WHERE id = ${jobId}
  `.execute(world.deps.db);
  expect(found.rows).toEqual([
    { attempts: 3, first_at: new Date('2026-11-20T08:00:00Z'), at: new Date('2026-11-20T08:02:00Z') },
  ]);
});

test('the queue still keeps neither address nor content', async () => {
  failure = mailFailure('ECONNECTION');
  const mail = { to: 'canary-delivery@mail.example', subject: 's', text: 'secret words', html: 'h' };
  await inTransaction(world.deps.db, (tx) =>
    world.deps.jobs.send(tx, sendEmail, { ...mail, about: { kind: 'other', userId: randomUUID() } }),
  );
  const { rows: stored } = await sql<{ row: string }>`SELECT to_jsonb(j)::text AS row FROM pgboss.job j`.execute(
    world.deps.db,
  );
  expect(stored.length).toBeGreaterThan(0);
  expect(stored.filter(({ row }) => /canary-delivery|secret words/.test(row))).toEqual([]);
});
