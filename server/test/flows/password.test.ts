import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { eraseUser, findOrCreateByProvedEmail, lockUser } from '../../src/modules/accounts/users.ts';
import { mailResetLink } from '../../src/modules/sessions/change-password.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { inTransaction } from '../../src/platform/database.ts';
import { codeFor, eventually, openTestWorld, PASSWORD, type TestWorld } from '../world.ts';

const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld({ clock });
});
afterAll(() => world.close());

let visitors = 0;

async function register(wanted?: string) {
  visitors += 1;
  const email = wanted ?? `reg${visitors}@mail.example`;
  const answer = await world
    .client()
    .register({ body: { name: 'نیلوفر', email, password: PASSWORD, password_confirmation: PASSWORD } });
  return { email, token: answer.token as string, user: answer.user, api: world.client(answer.token as string) };
}

const login = (email: string, password = PASSWORD, remember_me = false) =>
  world.client().login({ body: { email, password, remember_me } });
const mailTo = (email: string, subject: RegExp) =>
  eventually(() => world.mails.findLast((mail) => mail.to === email && subject.test(mail.subject)));

describe('registering', () => {
  test('signs in at once, with a trial of seven days and an unproved address', async () => {
    const { user, api } = await register();
    expect(user).toMatchObject({ status: 'active', profileCompleted: true, isEmailVerified: false });
    const giftCardCode = await world.giftCard();
    for (const refused of [
      () => api.activateAccount({ body: { giftCardCode } }),
      () => api.chargeWallet({ body: { amount: 50_000, payment_method: 'zarinpal' } }),
      () => api.listConfigs(),
    ]) {
      await expect(refused()).rejects.toMatchObject({ code: 'email_unverified', status: 403 });
    }
  });

  test.each([
    [{ name: '' }, 'name'],
    [{ name: 'ن' }, 'name'],
    [{ email: 'x' }, 'email'],
    [{ password: 'short-1' }, 'password'],
    [{ password: 'alllowercase' }, 'password'],
    [{ password: 'password1' }, 'password'],
    [{ password: 'abcd1234' }, 'password'],
    [{ password_confirmation: 'another' }, 'password_confirmation'],
  ])('%o is refused in its field', async (change, field) => {
    const body = {
      name: 'نام',
      email: 'f@mail.example',
      password: PASSWORD,
      password_confirmation: PASSWORD,
      ...change,
    };
    const complete = 'password' in change ? { ...body, password_confirmation: change.password } : body;
    const response = await fetch(`${world.origin}${API_BASE}/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(complete),
    });
    expect(response.status).toBe(422);
    expect(Object.keys(((await response.json()) as { errors: object }).errors)).toEqual([field]);
  });
});

describe('proving the address', () => {
  test('by the code, within the session of the registration', async () => {
    const { email, api } = await register();
    const code = await codeFor(world, email);
    const other = await register();
    await expect(other.api.verifyEmail({ body: { email, code } })).rejects.toMatchObject({ code: 'code_invalid' });
    expect((await api.verifyEmail({ body: { email, code } })).user.isEmailVerified).toBe(true);
    expect((await api.activateAccount({ body: { giftCardCode: await world.giftCard() } })).data.activated).toBe(true);
  });

  test('by the link of the mail', async () => {
    const { email, api } = await register();
    const mail = await mailTo(email, /تأیید ایمیل/);
    const token = /verify-email\?token=(\S+)/.exec(mail.text)?.[1] as string;
    expect((await api.verifyEmail({ body: { token } })).user.isEmailVerified).toBe(true);
    await expect(api.verifyEmail({ body: { token } })).rejects.toMatchObject({ code: 'code_invalid' });
  });

  test('after the next log-in, which gives only a token for that', async () => {
    const { email } = await register();
    const answer = await login(email);
    expect(answer).toMatchObject({
      requires_verification: true,
      token: null,
      user: { status: 'pending_verification' },
    });
    const limited = world.client(answer.temp_token as string);
    await expect(limited.me()).rejects.toMatchObject({ code: 'unauthenticated' });
    const proved = await limited.verifyEmail({ body: { email, code: await codeFor(world, email) } });
    expect((await world.client(proved.token as string).me()).user).toMatchObject({
      status: 'active',
      isEmailVerified: true,
    });
  });

  test('remember-me is kept, even if the address had to be proved in between', async () => {
    const { email } = await register();
    const { temp_token } = await login(email, PASSWORD, true);
    const response = await fetch(`${world.origin}${API_BASE}/auth/verify-email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${temp_token}` },
      body: JSON.stringify({ email, code: await codeFor(world, email) }),
    });
    const cookie = response.headers.getSetCookie().find((line) => line.startsWith('refreshToken='));
    expect(cookie).toContain(`Max-Age=${30 * 86_400}`);
  });

  test('a new code after a minute for any address, emailed only to one that awaits its proof', async () => {
    const { email } = await register();
    await codeFor(world, email);
    clock.advance(60_000);
    const before = world.mails.length;
    const waiting = await world.client().resendVerification({ body: { email } });
    const unknown = await world.client().resendVerification({ body: { email: 'nobody@mail.example' } });
    expect(unknown).toEqual(waiting);
    await codeFor(world, email, 2);
    expect(world.mails.slice(before).map((mail) => mail.to)).toEqual([email]);
  });
});

describe('signing in with a password', () => {
  test('one answer for a wrong password and an unknown address; ten failures make the address wait', async () => {
    const { email } = await register();
    const wrong = await login(email, 'Wrong-horse-7').catch(
      (error: unknown) => error as { message: string; code: string },
    );
    const unknown = await login('unknown@mail.example').catch(
      (error: unknown) => error as { message: string; code: string },
    );
    expect([wrong, unknown]).toMatchObject([
      { code: 'login_failed' },
      { code: 'login_failed', message: (wrong as { message: string }).message },
    ]);
    for (let tries = 0; tries < 9; tries += 1) await login(email, 'Wrong-horse-7').catch(() => undefined);
    await expect(login(email)).rejects.toMatchObject({ code: 'login_throttled', status: 429, retryAfterSeconds: 900 });
    await world.client().sendVerificationCode({ body: { email: 'other@mail.example' } });
    clock.advance(15 * 60_000);
    expect((await login(email)).requires_verification).toBe(true);
  });

  test('of sixty simultaneous guesses ten are compared, on every call and whether or not the address is known', async () => {
    const { email, api } = await register();
    await api.verifyEmail({ body: { email, code: await codeFor(world, email) } });
    const burst = async (guess: () => Promise<unknown>) => {
      const codes = await Promise.all(
        Array.from({ length: 60 }, () => guess().catch((error: unknown) => (error as { code: string }).code)),
      );
      return Object.fromEntries(
        Map.groupBy(codes, String)
          .entries()
          .map(([code, all]) => [code, all.length]),
      );
    };
    const later = async () => {
      clock.advance(15 * 60_000);
      return world.client((await login(email)).token as string);
    };
    const wrong = 'Wrong-horse-7';
    const next = { password: 'Another-horse-8', password_confirmation: 'Another-horse-8' };
    const change = async (inside: typeof api, current_password: string) =>
      await inside.changePassword({ body: { current_password, ...next } });
    expect(await burst(() => login(email, wrong))).toEqual({ login_failed: 10, login_throttled: 50 });
    expect(await burst(() => login('nobody60@mail.example'))).toEqual({ login_failed: 10, login_throttled: 50 });
    const changing = await later();
    expect(await burst(() => change(changing, wrong))).toEqual({ password_wrong: 10, login_throttled: 50 });
    await expect(change(changing, PASSWORD)).rejects.toMatchObject({ code: 'login_throttled' });
    // Each session has attempts of its own (audit S4).
    const closing = await later();
    const close = () => closing.deleteAccount({ body: { password: wrong } });
    expect(await burst(close)).toEqual({ password_wrong: 10, login_throttled: 50 });
    await change(await later(), PASSWORD);
  });

  test('correct passwords are no failures, however many', async () => {
    const { email, api } = await register();
    for (let times = 0; times < 12; times += 1) await login(email);
    await api.verifyEmail({ body: { email, code: await codeFor(world, email) } });
    for (let times = 0; times < 12; times += 1) {
      const same = { password: PASSWORD, password_confirmation: PASSWORD };
      await api.changePassword({ body: { current_password: PASSWORD, ...same } });
    }
    await expect(login(email, 'Wrong-horse-7')).rejects.toMatchObject({ code: 'login_failed' });
    expect((await login(email)).requires_verification).toBe(false);
  });

  test('a day, or thirty with remember-me', async () => {
    const { email, api } = await register();
    await api.verifyEmail({ body: { email, code: await codeFor(world, email) } });
    for (const [remember, days] of [
      [false, 1],
      [true, 30],
    ] as const) {
      const response = await fetch(`${world.origin}${API_BASE}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: PASSWORD, remember_me: remember }),
      });
      const cookie = response.headers.getSetCookie().find((line) => line.startsWith('refreshToken='));
      expect(cookie).toContain(`Max-Age=${days * 86_400}`);
    }
  });
});

describe('forgotten and changed passwords', () => {
  test('the link works once for 15 minutes, ends every session, and every address gets the same answer', async () => {
    const { email, api } = await register();
    const answer = await world.client().forgotPassword({ body: { email } });
    expect(await world.client().forgotPassword({ body: { email: 'nobody2@mail.example' } })).toEqual(answer);
    const mail = await mailTo(email, /گذرواژهٔ تازه/);
    const token = /reset-password\?token=(\S+)/.exec(mail.text)?.[1] as string;
    await expect(world.client().resetPassword({ body: { token, password: 'weak' } })).rejects.toMatchObject({
      status: 422,
    });
    await world.client().resetPassword({ body: { token, password: 'Another-horse-8' } });
    await expect(api.me()).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(world.client().resetPassword({ body: { token, password: 'Third-horse-9' } })).rejects.toMatchObject({
      code: 'reset_token_invalid',
    });
    expect((await login(email, 'Another-horse-8')).requires_verification).toBe(false);
    expect(world.mails.some((sent) => sent.to === 'nobody2@mail.example')).toBe(false);
    clock.advance(61_000);
    await world.client().forgotPassword({ body: { email } });
    const late = await eventually(async () => {
      const found = /reset-password\?token=(\S+)/.exec((await mailTo(email, /گذرواژهٔ تازه/)).text)?.[1];
      return found === token ? undefined : found;
    });
    clock.advance(15 * 60_000);
    await expect(
      world.client().resetPassword({ body: { token: late, password: 'Third-horse-9' } }),
    ).rejects.toMatchObject({ code: 'reset_token_invalid' });
  });

  test('no link is mailed to an account that is deleted while the mail is written', async () => {
    const { email, user } = await register();
    const { db, vault } = world.deps;
    let writing: Promise<void> | undefined;
    await inTransaction(db, async (tx) => {
      const locked = await lockUser(tx, user.id);
      writing = mailResetLink(world.deps, email);
      await eventually(async () => {
        const { rows } =
          await sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`.execute(
            db,
          );
        return rows.length > 0 ? true : undefined;
      });
      await eraseUser(tx, vault, locked, clock.now());
    });
    await writing;
    const { rows } = await sql`SELECT FROM password_reset WHERE user_id = ${user.id}`.execute(db);
    expect(rows).toEqual([]);
  });

  test('changing requires the old one, keeps this session and ends the others', async () => {
    const { email, api } = await register();
    await api.verifyEmail({ body: { email, code: await codeFor(world, email) } });
    const elsewhere = world.client((await login(email)).token as string);
    const change = (current_password: string) =>
      api.changePassword({
        body: { current_password, password: 'Another-horse-8', password_confirmation: 'Another-horse-8' },
      });
    await expect(change('Wrong-horse-7')).rejects.toMatchObject({ code: 'password_wrong', status: 403 });
    await change(PASSWORD);
    expect((await api.me()).success).toBe(true);
    await expect(elsewhere.me()).rejects.toMatchObject({ code: 'unauthenticated' });
    await mailTo(email, /عوض شد/);
  });

  test('a user who signs in by code can set a first password right after it', async () => {
    const user = await world.user({ usdCents: 0 });
    const set = () => user.api.changePassword({ body: { password: PASSWORD, password_confirmation: PASSWORD } });
    await set();
    expect((await login(user.email)).requires_verification).toBe(false);
    const other = await world.user({ usdCents: 0 });
    clock.advance(11 * 60_000);
    await expect(
      other.api.changePassword({ body: { password: PASSWORD, password_confirmation: PASSWORD } }),
    ).rejects.toMatchObject({ code: 'password_needs_fresh_sign_in' });
  });
});

describe('pre-hijacking', () => {
  test('proving an address takes it from an account that had only registered it: password and sessions are gone', async () => {
    const { email, api } = await register();
    clock.advance(61_000);
    await world.client().sendVerificationCode({ body: { email } });
    const code = await eventually(() => {
      const mail = world.mails.findLast((sent) => sent.to === email && /کد ورود/.test(sent.subject));
      return mail && /^\d{6}$/m.exec(mail.text)?.[0];
    });
    const owner = await world.client().verifyCode({ body: { email, code } });
    expect(owner.user).toMatchObject({ status: 'incomplete', name: '', isEmailVerified: true });
    await expect(api.me()).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(login(email)).rejects.toMatchObject({ code: 'login_failed' });
  });

  test('the owner gets the trial of a new user, and no mention of one if there is none', async () => {
    const enter = async (email: string) => {
      await world.client().sendVerificationCode({ body: { email } });
      const code = await eventually(() => {
        const mail = world.mails.findLast((sent) => sent.to === email && /کد ورود/.test(sent.subject));
        return mail && /^\d{6}$/m.exec(mail.text)?.[0];
      });
      const { token } = await world.client().verifyCode({ body: { email, code } });
      return world.client(token as string);
    };
    const { email, user } = await register();
    expect(user.trialEndsAt).not.toBeNull();
    clock.advance(8 * 86_400_000);
    const owner = await enter(email);
    expect((await owner.me()).user.trialEndsAt).toBeNull();
    await setSettingByKey(world.deps.db, 'trial.passwordlessDays', '14', clock.now());
    const begun = await owner.completeProfile({ body: { name: 'نیلوفر' } });
    expect(Date.parse(begun.user.trialEndsAt ?? '') - clock.now().getTime()).toBe(14 * 86_400_000);
    expect(begun.message).toBe('پروفایل شما تکمیل شد و دورهٔ آزمایشی رایگان فعال است.');
    await setSettingByKey(world.deps.db, 'trial.passwordlessDays', '0', clock.now());
    const without = await (await enter('no-trial@mail.example')).completeProfile({ body: { name: 'نیلوفر' } });
    expect(without.message).toBe('پروفایل شما تکمیل شد.');
  });

  test('a log-in that passed with the previous password and then had to wait is refused', async () => {
    const { email, user } = await register();
    const { db } = world.deps;
    const { late } = await inTransaction(db, async (tx) => {
      await lockUser(tx, user.id);
      // Wrapped in an object, because a returned promise would be awaited here.
      const late = { answer: login(email).catch((error: unknown) => error) };
      await eventually(async () => {
        const { rows } = await sql`
          SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
        `.execute(db);
        return rows.length > 0;
      });
      await findOrCreateByProvedEmail(tx, email, clock.now());
      return { late };
    });
    expect(await late.answer).toMatchObject({ code: 'login_failed' });
  });
});

describe('devices and sessions', () => {
  test('are listed and can be ended; a new device causes an email, a known one does not', async () => {
    const { email, api } = await register();
    await api.verifyEmail({ body: { email, code: await codeFor(world, email) } });
    const enter = (headers: Record<string, string>) =>
      fetch(`${world.origin}${API_BASE}/auth/login`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Mozilla/5.0 (Linux; Android 14) Firefox/140.0',
          ...headers,
        },
        body: JSON.stringify({ email, password: PASSWORD }),
      });
    const first = await enter({});
    await mailTo(email, /دستگاهی تازه/);
    const device = first.headers
      .getSetCookie()
      .find((line) => line.startsWith('device='))
      ?.split(';')[0] as string;
    const before = world.mails.length;
    await enter({ cookie: device });
    const { data } = await api.listSessions();
    expect(data.sessions).toHaveLength(3);
    expect(data.sessions.filter((session) => session.current)).toHaveLength(1);
    expect(data.sessions.map((session) => session.device)).toContain('Firefox · Android');
    const token = ((await first.json()) as { token: string }).token;
    const victim = data.sessions.find((session) => !session.current);
    const stranger = await world.user({ usdCents: 0 });
    await expect(stranger.api.endSession({ params: { id: victim?.id as string } })).rejects.toMatchObject({
      status: 404,
    });
    await api.endOtherSessions();
    expect((await api.listSessions()).data.sessions).toHaveLength(1);
    await expect(world.client(token).me()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(world.mails.slice(before).filter((mail) => /دستگاهی تازه/.test(mail.subject))).toEqual([]);
  });
});
