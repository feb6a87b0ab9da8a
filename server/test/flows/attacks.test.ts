import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manualClock } from '../../src/platform/clock.ts';
import { BrowserClient } from '../browser-client.ts';
import { codeFor, openTestWorld, PASSWORD, type TestWorld } from '../world.ts';

/**
 * An attacker has neither the owner's mailbox nor the owner's device and attacks the address. Whatever they do, the owner
 * can sign in, change the password and use the panel (audit S3, S4).
 */
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
const WRONG = 'Wrong-horse-1';
let world: TestWorld;
let made = 0;

beforeAll(async () => {
  world = await openTestWorld({ clock });
});
afterAll(() => world.close());

/** An owner with a password, in the browser in which they signed up. */
async function openOwner(): Promise<{ email: string; browser: BrowserClient }> {
  made += 1;
  const email = `owner${made}@mail.example`;
  const browser = new BrowserClient(world);
  await browser.post('/auth/send-verification-code', { email });
  const verificationCode = await codeFor(world, email);
  await browser.post('/auth/complete-registration', { email, fullName: 'سارا احمدی', verificationCode });
  const body = { password: PASSWORD, password_confirmation: PASSWORD };
  expect((await browser.call('PUT', '/auth/change-password', body)).status).toBe(200);
  return { email, browser };
}

/** The link in the mail with the code for signing in. */
async function linkFor(email: string): Promise<string> {
  await codeFor(world, email);
  return /\S+#link=\S+/.exec(world.mails.findLast(({ to }) => to === email)?.text ?? '')?.[0] ?? '';
}

/** A browser that has asked for a code of its own before, for another address. */
async function strangerWithCookie(): Promise<BrowserClient> {
  const browser = new BrowserClient(world);
  await browser.post('/auth/send-verification-code', { email: 'another@mail.example' });
  return browser;
}

/** Enters wrong passwords from browsers that the account does not know until all of them are refused. */
async function lockOut(email: string): Promise<void> {
  for (let attempt = 1; attempt <= 12; attempt++) {
    const stranger = new BrowserClient(world);
    const { status } = await stranger.post('/auth/login', { email, password: WRONG });
    expect([401, 429]).toContain(status);
  }
  const last = await new BrowserClient(world).post('/auth/login', { email, password: WRONG });
  expect(last.body).toMatchObject({ code: 'login_throttled' });
}

describe('S4 wrong passwords from unknown browsers', () => {
  test('the owner signs in from a known browser', async () => {
    const { email, browser } = await openOwner();
    await lockOut(email);
    expect(await browser.post('/auth/login', { email, password: PASSWORD })).toMatchObject({ status: 200 });
  });

  test('the owner changes the password in a live session', async () => {
    const { email, browser } = await openOwner();
    await lockOut(email);
    const next = 'Other-horse-8';
    const body = { current_password: PASSWORD, password: next, password_confirmation: next };
    expect(await browser.call('PUT', '/auth/change-password', body)).toMatchObject({ status: 200 });
    expect(await browser.post('/auth/login', { email, password: next })).toMatchObject({ status: 200 });
  });

  test('a fresh cookie for every attempt gains nothing, nor does a cookie that belongs to another account', async () => {
    const { email } = await openOwner();
    const other = await openOwner();
    await lockOut(email);
    const answer = await other.browser.post('/auth/login', { email, password: WRONG });
    expect(answer.body).toMatchObject({ code: 'login_throttled' });
  });

  test('a known browser has ten attempts of its own; signing in there does not reset those of unknown browsers', async () => {
    const { email, browser } = await openOwner();
    await lockOut(email);
    for (let attempt = 1; attempt <= 9; attempt++) {
      expect((await browser.post('/auth/login', { email, password: WRONG })).status).toBe(401);
    }
    expect(await browser.post('/auth/login', { email, password: PASSWORD })).toMatchObject({ status: 200 });
    const stranger = await new BrowserClient(world).post('/auth/login', { email, password: WRONG });
    expect(stranger.body).toMatchObject({ code: 'login_throttled' });
    for (let attempt = 1; attempt <= 10; attempt++) await browser.post('/auth/login', { email, password: WRONG });
    const eleventh = await browser.post('/auth/login', { email, password: PASSWORD });
    expect(eleventh.body).toMatchObject({ code: 'login_throttled' });
  });
});

describe('S4 codes', () => {
  test('a code works only in the browser that requested it', async () => {
    const { email, browser } = await openOwner();
    clock.advance(3_700_000);
    await browser.post('/auth/send-verification-code', { email });
    const code = await codeFor(world, email, 2);
    const thief = new BrowserClient(world);
    const stolen = await thief.post('/auth/verify-code', { email, code });
    expect(stolen.body).toMatchObject({ code: 'code_invalid' });
    const program = await world
      .client()
      .verifyCode({ body: { email, code } })
      .catch((error: unknown) => error);
    expect(program).toMatchObject({ code: 'code_invalid' });
    expect(await browser.post('/auth/verify-code', { email, code })).toMatchObject({ status: 200 });
  });

  test('a link works only in the browser that asked, once, and opening it anywhere uses nothing up', async () => {
    const email = 'link@mail.example';
    const browser = new BrowserClient(world);
    await browser.post('/auth/send-verification-code', { email });
    const link = await linkFor(email);
    // What looks at every link of a mail fetches the address; the token behind the `#` is not even sent.
    await fetch(world.origin + new URL(link).pathname);
    const token = new URL(link).hash.replace('#link=', '');
    for (const other of [new BrowserClient(world), await strangerWithCookie()]) {
      expect((await other.post('/auth/verify-code', { token })).body).toMatchObject({ code: 'code_invalid' });
    }
    // The first character: the last ones hold bits that base64url ignores, so another one may mean the same token.
    const forged = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
    expect((await browser.post('/auth/verify-code', { token: forged })).body).toMatchObject({ code: 'code_invalid' });
    expect(await browser.post('/auth/verify-code', { token })).toMatchObject({
      status: 200,
      body: { userExists: false },
    });
    expect((await browser.post('/auth/verify-code', { token })).body).toMatchObject({ code: 'code_invalid' });
  });

  test('no link is mailed to a program without cookies, and the code goes on working beside a link', async () => {
    const [program, user] = ['program@mail.example', 'user@mail.example'];
    await world.client().sendVerificationCode({ body: { email: program } });
    await codeFor(world, program);
    expect(world.mails.find(({ to }) => to === program)?.text).not.toContain('#link=');
    const browser = new BrowserClient(world);
    await browser.post('/auth/send-verification-code', { email: user });
    const [code, link] = [await codeFor(world, user), await linkFor(user)];
    expect(await browser.post('/auth/verify-code', { email: user, code })).toMatchObject({ status: 200 });
    const token = new URL(link).hash.replace('#link=', '');
    expect((await browser.post('/auth/verify-code', { token })).body).toMatchObject({ code: 'code_invalid' });
  });

  test('an attacker who requests codes and uses up their attempts neither replaces nor burns the owner’s code', async () => {
    const { email, browser } = await openOwner();
    clock.advance(3_700_000);
    await browser.post('/auth/send-verification-code', { email });
    const code = await codeFor(world, email, 2);
    const stranger = new BrowserClient(world);
    expect((await stranger.post('/auth/send-verification-code', { email })).status).toBe(200);
    for (let attempt = 1; attempt <= 8; attempt++) {
      await stranger.post('/auth/verify-code', { email, code: String(100_000 + attempt) });
      await new BrowserClient(world).post('/auth/verify-code', { email, code: String(200_000 + attempt) });
    }
    expect(await browser.post('/auth/verify-code', { email, code })).toMatchObject({ status: 200 });
  });

  test('attackers who use up an address’s daily codes leave the known browser its own', async () => {
    const { email, browser } = await openOwner();
    for (let hour = 1; hour <= 4; hour++) {
      clock.advance(3_700_000);
      for (let sent = 1; sent <= 6; sent++) {
        clock.advance(61_000);
        await new BrowserClient(world).post('/auth/send-verification-code', { email });
      }
    }
    const refused = await new BrowserClient(world).post('/auth/send-verification-code', { email });
    expect(refused.body).toMatchObject({ code: 'code_too_soon' });
    expect((await browser.post('/auth/send-verification-code', { email })).status).toBe(200);
  });
});

describe('S3 invalid tokens for a new password', () => {
  test('are refused before anything is hashed, so sign-ins continue', async () => {
    const owners = await Promise.all(Array.from({ length: 4 }, openOwner));
    const junk = Array.from({ length: 200 }, (_, index) =>
      new BrowserClient(world).post('/auth/reset-password', {
        token: `${index}`.padStart(43, 'x'),
        password: PASSWORD,
      }),
    );
    const signIns = owners.map(({ email, browser }) => browser.post('/auth/login', { email, password: PASSWORD }));
    expect((await Promise.all(signIns)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const answers = await Promise.all(junk);
    expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set(['reset_token_invalid']));
  });
});
