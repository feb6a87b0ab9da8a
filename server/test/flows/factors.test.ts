import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeFactors } from '../../src/modules/factors/remove-factors.ts';
import { signInSocially } from '../../src/modules/sessions/social.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { BrowserClient } from '../browser-client.ts';
import { addPasskey, complete, givePassword, markSecondStep, optionsOf } from '../passkeys.ts';
import {
  actor,
  codeFor,
  eventually,
  openTestWorld,
  PASSWORD,
  type TestUser,
  type TestWorld,
  withPassword,
} from '../world.ts';

const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld({ clock });
});
afterAll(() => world.close());

const owner = async () => await withPassword(await world.user({ usdCents: 0 }));
const passwordGiven = (user: TestUser, browser?: BrowserClient) => givePassword(world, user, browser);
/** The app of a user: the code that it shows now. */
const codeOf = (secret: string) => () =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() });

/** Sets up an authenticator app; the clock goes on, so that the first code is not needed again. */
async function addApp({ api }: TestUser) {
  const { data } = await api.startTotp({ body: { password: PASSWORD } });
  const app = codeOf(data.secret);
  const confirmed = await api.confirmTotp({ body: { code: app() } });
  clock.advance(30_000);
  return { app, recoveryCodes: confirmed.data.recovery_codes ?? [], uri: data.uri };
}

const mailsOf = ({ email }: TestUser) =>
  world.mails.filter(({ to, subject }) => to === email && subject.includes('راه‌های ورود')).map(({ text }) => text);

describe('an authenticator app', () => {
  test('counts once a code of it was entered, and gives ten recovery codes', async () => {
    const user = await owner();
    const { data } = await user.api.startTotp({ body: { password: PASSWORD } });
    expect(data.uri).toMatch(/^otpauth:\/\/totp\/.*secret=/);
    const login = () => world.client().login({ body: { email: user.email, password: PASSWORD } });
    expect((await login()).token).not.toBeNull();
    await expect(user.api.confirmTotp({ body: { code: '000000' } })).rejects.toMatchObject({ code: 'totp_wrong' });
    const confirmed = await user.api.confirmTotp({ body: { code: codeOf(data.secret)() } });
    expect(new Set(confirmed.data.recovery_codes).size).toBe(10);
    await expect(login()).rejects.toMatchObject({ code: 'second_step_required' });
    expect((await user.api.listFactors()).data).toMatchObject({ recovery_codes_left: 10, passkeys: [] });
    await expect(user.api.startTotp({ body: { password: PASSWORD } })).rejects.toMatchObject({ code: 'totp_exists' });
  });

  test('its secret expires if no code confirms it', async () => {
    const user = await owner();
    const { data } = await user.api.startTotp({ body: { password: PASSWORD } });
    clock.advance(601_000);
    const late = user.api.confirmTotp({ body: { code: codeOf(data.secret)() } });
    await expect(late).rejects.toMatchObject({ code: 'totp_not_started' });
  });

  test('one code lets in once; the code before it never again', async () => {
    const user = await owner();
    const { app } = await addApp(user);
    const before = app();
    clock.advance(30_000);
    const code = app();
    expect(await complete(await passwordGiven(user), { totp: code })).toMatchObject({ status: 200 });
    for (const old of [code, before]) {
      const again = await complete(await passwordGiven(user), { totp: old });
      expect(again).toMatchObject({ status: 400, body: { code: 'totp_wrong' } });
    }
    clock.advance(30_000);
    expect(await complete(await passwordGiven(user), { totp: app() })).toMatchObject({ status: 200 });
  });

  test('of many uses of one code at once, one succeeds', async () => {
    const user = await owner();
    const { app } = await addApp(user);
    const browsers = await Promise.all([1, 2, 3, 4].map(() => passwordGiven(user)));
    const answers = await Promise.all(browsers.map((browser) => complete(browser, { totp: app() })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  });

  test('is asked for after a code by e-mail, too', async () => {
    const user = await owner();
    const { app } = await addApp(user);
    clock.advance(61_000);
    const browser = new BrowserClient(world);
    await browser.post('/auth/send-verification-code', { email: user.email });
    const code = await codeFor(world, user.email, 2);
    const first = await browser.post('/auth/verify-code', { email: user.email, code });
    expect(first.body).toMatchObject({ code: 'second_step_required' });
    expect((await browser.call('GET', '/auth/second-step')).body.data).toMatchObject({ totp: true, passkey: false });
    const second = await complete(browser, { totp: app() });
    expect(second.body).toMatchObject({ success: true, user: { email: user.email } });
    expect(await browser.call('GET', '/auth/me')).toMatchObject({ status: 200 });
  });
});

test('an authenticator app is asked for after Google, too', async () => {
  const user = await owner();
  await addApp(user);
  const profile = { subject: user.email, email: user.email, emailVerified: true, authoritative: true, name: '' };
  const device = { cookie: undefined, label: '' };
  const signIn = signInSocially(world.deps, { name: 'google', title: 'Google' }, profile, device);
  await expect(signIn).rejects.toMatchObject({ code: 'second_step_required' });
});

describe('a pending sign-in', () => {
  test('is good in its browser only, once, and for ten minutes', async () => {
    const user = await owner();
    const { app } = await addApp(user);
    const stranger = await complete(new BrowserClient(world), { totp: app() });
    expect(stranger.body).toMatchObject({ code: 'second_step_expired' });
    const late = await passwordGiven(user);
    clock.advance(601_000);
    expect((await complete(late, { totp: app() })).body).toMatchObject({ code: 'second_step_expired' });
    const browser = await passwordGiven(user);
    expect(await complete(browser, { totp: app() })).toMatchObject({ status: 200 });
    clock.advance(30_000);
    expect((await complete(browser, { totp: app() })).body).toMatchObject({ code: 'second_step_expired' });
  });

  test('ends when the password is changed', async () => {
    const user = await owner();
    const { app } = await addApp(user);
    const thief = await passwordGiven(user);
    const body = { current_password: PASSWORD, password: 'Other-horse-8', password_confirmation: 'Other-horse-8' };
    await user.api.changePassword({ body });
    expect((await complete(thief, { totp: app() })).body).toMatchObject({ code: 'second_step_expired' });
  });

  test('gives no session: neither token nor data of the account', async () => {
    const user = await owner();
    await addApp(user);
    const answer = await new BrowserClient(world).post('/auth/login', { email: user.email, password: PASSWORD });
    expect(Object.keys(answer.body).sort()).toEqual(['code', 'message', 'request_id', 'success']);
  });

  test('wrong codes are limited per requester; the owner’s known browser and passkey are not', async () => {
    const user = await owner();
    const { app } = await addApp(user);
    const { device } = await addPasskey(world, user);
    const known = await passwordGiven(user);
    expect(await complete(known, { totp: app() })).toMatchObject({ status: 200 });
    clock.advance(30_000);
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const wrong = await complete(await passwordGiven(user), { totp: '000000' });
      expect(wrong.body).toMatchObject({ code: 'totp_wrong' });
    }
    const thief = await passwordGiven(user);
    expect(await complete(thief, { totp: app() })).toMatchObject({ status: 429, body: { code: 'factor_throttled' } });
    const recovery = await complete(thief, { recovery_code: '00000-00000' });
    expect(recovery.body).toMatchObject({ code: 'factor_throttled' });
    expect(await complete(await passwordGiven(user, known), { totp: app() })).toMatchObject({ status: 200 });
    const elsewhere = await passwordGiven(user);
    const credential = device.get(await optionsOf(elsewhere, '/auth/second-step/passkey'));
    expect(await complete(elsewhere, { credential })).toMatchObject({ status: 200 });
  });

  test('twenty wrong codes a day are the end for unknown browsers, however slowly they come', async () => {
    const user = await owner();
    const { app } = await addApp(user);
    for (let attempt = 1; attempt <= 20; attempt += 1) {
      if (attempt % 5 === 1) clock.advance(16 * 60_000);
      await complete(await passwordGiven(user), { totp: '000000' });
    }
    // Somebody knows the password: the owner hears of it, once.
    const warnings = () =>
      world.mails.filter(({ to, subject }) => to === user.email && subject.startsWith('تلاش ناموفق برای ورود'));
    expect((await eventually(() => warnings()[0])).text).toContain('با گذرواژهٔ درست شما');
    clock.advance(16 * 60_000);
    expect((await complete(await passwordGiven(user), { totp: app() })).body).toMatchObject({
      code: 'factor_throttled',
    });
    clock.advance(86_400_000);
    expect(await complete(await passwordGiven(user), { totp: app() })).toMatchObject({ status: 200 });
    expect(warnings()).toHaveLength(1);
  });
});

describe('recovery codes', () => {
  test('each lets in once, and the owner is told; new codes end the old ones', async () => {
    const user = await owner();
    const { recoveryCodes } = await addApp(user);
    const [first = '', second = ''] = recoveryCodes;
    const misread = first.toUpperCase().replaceAll('0', 'O');
    expect(await complete(await passwordGiven(user), { recovery_code: misread })).toMatchObject({ status: 200 });
    const again = await complete(await passwordGiven(user), { recovery_code: first });
    expect(again.body).toMatchObject({ code: 'recovery_code_wrong' });
    expect((await user.api.listFactors()).data.recovery_codes_left).toBe(9);
    await eventually(() => mailsOf(user).find((text) => text.includes('با یکی از کدهای بازیابی')));
    const renewed = await user.api.renewRecoveryCodes({ body: { password: PASSWORD } });
    expect(renewed.data.recovery_codes).toHaveLength(10);
    const old = await complete(await passwordGiven(user), { recovery_code: second });
    expect(old.body).toMatchObject({ code: 'recovery_code_wrong' });
  });

  test('another user’s code is wrong; without a second step there are none', async () => {
    const [user, other] = [await owner(), await owner()];
    await addApp(user);
    const { recoveryCodes } = await addApp(other);
    const answer = await complete(await passwordGiven(user), { recovery_code: recoveryCodes[0] });
    expect(answer.body).toMatchObject({ code: 'recovery_code_wrong' });
    const bare = (await owner()).api.renewRecoveryCodes({ body: { password: PASSWORD } });
    await expect(bare).rejects.toMatchObject({ code: 'recovery_codes_unused' });
  });
});

describe('the owner', () => {
  test('confirms by code of the app or by passkey instead of the password', async () => {
    const user = await owner();
    const { app } = await addApp(user);
    const { id, device } = await addPasskey(world, user);
    const attempts = [{}, { totp: '000000' }, { password: 'Wrong-horse-1' }];
    const codes = ['confirmation_needed', 'totp_wrong', 'password_wrong'];
    for (const [index, body] of attempts.entries()) {
      await expect(user.api.startPasskey({ body })).rejects.toMatchObject({ code: codes[index] });
    }
    expect((await user.api.startPasskey({ body: { totp: app() } })).data.options.rp.id).toBe('localhost');
    const { data } = await user.api.startConfirmationByPasskey();
    const passkey = device.get(data.options);
    await user.api.setPasskeySecondStep({ params: { id }, body: { enabled: true, passkey } });
    const reused = user.api.removePasskey({ params: { id }, body: { passkey } });
    await expect(reused).rejects.toMatchObject({ code: 'passkey_refused' });
  });

  test('removes factors, after which the password alone signs in; every change is told by mail and notification', async () => {
    const user = await owner();
    await addApp(user);
    const { id } = await addPasskey(world, user, { name: 'کلید خانه' });
    await markSecondStep(user, id);
    await user.api.removeTotp({ body: { password: PASSWORD } });
    expect((await user.api.listFactors()).data).toMatchObject({ totp: null, recovery_codes_left: 10 });
    await passwordGiven(user);
    await user.api.removePasskey({ params: { id }, body: { password: PASSWORD } });
    expect((await user.api.listFactors()).data).toMatchObject({ passkeys: [], recovery_codes_left: 0 });
    const login = await world.client().login({ body: { email: user.email, password: PASSWORD } });
    expect(login.token).not.toBeNull();
    await eventually(() => mailsOf(user).length === 5);
    const { data } = await user.api.listNotifications({ query: {} });
    const changes = data.notifications.filter(({ kind }) => kind === 'factors_changed').map(({ message }) => message);
    expect(changes).toHaveLength(5);
    expect(changes.filter((message) => message.includes('کلید خانه'))).toHaveLength(3);
  });

  test('names a passkey; another user cannot', async () => {
    const [user, other] = [await owner(), await owner()];
    const { id } = await addPasskey(world, user);
    const body = { name: '  یوبی‌کی   آبی ' };
    expect((await user.api.renamePasskey({ params: { id }, body })).data.passkey.name).toBe('یوبی‌کی آبی');
    await expect(other.api.renamePasskey({ params: { id }, body })).rejects.toMatchObject({ code: 'not_found' });
    const remove = other.api.removePasskey({ params: { id }, body: { password: PASSWORD } });
    await expect(remove).rejects.toMatchObject({ code: 'not_found' });
  });

  test('exports the factors without their secrets, and deleting the account deletes them', async () => {
    const user = await owner();
    const { data } = await user.api.startTotp({ body: { password: PASSWORD } });
    await user.api.confirmTotp({ body: { code: codeOf(data.secret)() } });
    await addPasskey(world, user, { name: 'کلید خانه' });
    const text = await user.api.exportAccount();
    expect(JSON.parse(text).sign_in.factors).toMatchObject({
      passkeys: [{ name: 'کلید خانه' }],
      totp: {},
      recovery_codes_left: 10,
    });
    expect(text).not.toContain(data.secret);
    await user.api.deleteAccount({ body: { password: PASSWORD } });
    for (const table of ['passkey', 'totp_secret', 'recovery_code', 'passkey_challenge', 'pending_sign_in']) {
      const rows = await sql`SELECT FROM ${sql.table(table)} WHERE user_id = ${user.id}`.execute(world.deps.db);
      expect([table, rows.rows.length]).toEqual([table, 0]);
    }
  });

  test('nobody reads a secret of an app or a recovery code in the database', async () => {
    const user = await owner();
    const { data } = await user.api.startTotp({ body: { password: PASSWORD } });
    const confirmed = await user.api.confirmTotp({ body: { code: codeOf(data.secret)() } });
    const rows = await sql<{ row: string }>`
      SELECT totp_secret::text AS row FROM totp_secret UNION ALL SELECT recovery_code::text FROM recovery_code
    `.execute(world.deps.db);
    const dump = rows.rows.map(({ row }) => row).join('\n');
    expect(dump).not.toContain(data.secret);
    const [code = ''] = confirmed.data.recovery_codes ?? [];
    expect(dump).not.toContain(Buffer.from(code.replace('-', '')).toString('hex'));
  });

  test('who lost every factor gets the account back through the operator, and is told', async () => {
    const user = await owner();
    await addApp(user);
    await addPasskey(world, user);
    await removeFactors(world.deps, { actor, email: user.email });
    const login = await world.client().login({ body: { email: user.email, password: PASSWORD } });
    expect(login.token).not.toBeNull();
    await eventually(() => mailsOf(user).find((text) => text.includes('پشتیبانی همهٔ گذرکلیدها')));
    const again = removeFactors(world.deps, { actor, email: user.email });
    await expect(again).rejects.toMatchObject({ kind: 'not-found' });
  });

  test('a suspended account is refused before and after the second step', async () => {
    const user = await owner();
    const { app } = await addApp(user);
    const { device } = await addPasskey(world, user);
    const browser = await passwordGiven(user);
    await sql`UPDATE users SET status = 'suspended' WHERE id = ${user.id}`.execute(world.deps.db);
    expect((await complete(browser, { totp: app() })).body).toMatchObject({ code: 'account_suspended' });
    const visitor = new BrowserClient(world);
    const login = await visitor.post('/auth/login', { email: user.email, password: PASSWORD });
    expect(login.body).toMatchObject({ code: 'account_suspended' });
    const credential = device.get(await optionsOf(visitor, '/auth/passkey/options'));
    expect((await visitor.post('/auth/passkey', { credential })).body).toMatchObject({ code: 'account_suspended' });
  });
});
