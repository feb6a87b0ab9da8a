import { limits } from '@raha/contract/limits.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manualClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/random.ts';
import { BrowserClient } from '../browser-client.ts';
import { codeFor, eventually, openTestWorld, PASSWORD, type TestWorld } from '../world.ts';

/** Audit S6: whether an address has an account is said a few times per network, and after that only by mail. */
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
const NETWORK = { 'x-forwarded-for': '203.0.113.7' };
let world: TestWorld;
let made = 0;

beforeAll(async () => {
  world = await openTestWorld({ clock });
  const now = clock.now();
  for (let index = 0; index < 46; index += 1)
    await sql`
      INSERT INTO users (id, email, name, role, status, profile_completed, email_verified_at, created_at)
      VALUES (${newId(now)}, ${taken(index)}, 'آشنا', 'user', 'active', true, ${now}, ${now})
    `.execute(world.deps.db);
});
afterAll(() => world.close());

const taken = (index: number) => `taken${index}@mail.example`;
const free = () => {
  made += 1;
  return `free${made}@mail.example`;
};
const newcomer = () => new BrowserClient(world, NETWORK);
const register = (browser: BrowserClient, email: string, password = PASSWORD) =>
  browser.post('/auth/register', { name: 'نیلوفر', email, password, password_confirmation: password });
const codesOf = (answers: readonly { body: Record<string, unknown> }[]) => answers.map(({ body }) => body.code);

/** Registers a new address in that network, with the code if it is asked for, and comes into the panel. */
async function expectRegistration(): Promise<void> {
  const email = free();
  const browser = newcomer();
  const answer = await register(browser, email);
  expect(answer).toMatchObject({ status: 201, body: { success: true } });
  if (answer.body.requires_verification) {
    browser.token = answer.body.temp_token as string;
    const proved = await browser.post('/auth/verify-email', { email, code: await codeFor(world, email) });
    expect(proved).toMatchObject({ status: 200, body: { user: { status: 'active', email, name: 'نیلوفر' } } });
  }
  expect((await browser.call('GET', '/auth/me')).body).toMatchObject({ user: { email } });
  expect(await browser.post('/auth/login', { email, password: PASSWORD })).toMatchObject({ status: 200 });
}

// One hour: the first test uses up the plain answers of the network.
describe('S6 taken addresses', () => {
  test('of many simultaneous registrations twenty are told; free addresses do not use up the answers', async () => {
    for (let tries = 0; tries <= limits.registrationTakenPerHour; tries += 1)
      expect((await register(newcomer(), free())).body).toMatchObject({ requires_verification: false });
    const answers = await Promise.all(Array.from({ length: 25 }, (_, index) => register(newcomer(), taken(index))));
    expect(codesOf(answers).filter((code) => code === 'email_taken')).toHaveLength(limits.registrationTakenPerHour);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  });

  test('20 and 200 of them do not keep anybody else in the network from registering', async () => {
    await expectRegistration();
    for (let round = 0; round < 18; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => register(newcomer(), taken(index + 30))),
      );
      // An address that was mailed a moment ago is told to wait.
      for (const { status, body } of answers)
        expect([status, body.code]).toBeOneOf([
          [201, undefined],
          [429, 'code_too_soon'],
        ]);
    }
    await expectRegistration();
  });

  test('after them a free and a taken address get one answer, and only the mailbox learns which it is', async () => {
    const addresses = [taken(45), free()];
    const browsers = addresses.map(() => newcomer());
    const answers = await Promise.all(addresses.map((email, at) => register(browsers[at] as BrowserClient, email)));
    const shown = answers.map(({ status, body: { temp_token, user, ...others } }) => {
      const { id: _id, email: _email, ...rest } = user as Record<string, unknown>;
      expect(temp_token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
      return { status, ...others, rest };
    });
    expect(shown[0]).toEqual(shown[1]);
    expect(shown[0]).toMatchObject({ status: 201, requires_verification: true, token: null });
    const mailed = await eventually(() => world.mails.find(({ to }) => to === addresses[0]));
    expect(mailed.subject).toMatch(/شما در .* حساب دارید/);
    expect(mailed.text).toContain('/auth/forgot-password');
    expect(mailed.text).not.toMatch(/^\d{6,8}$/m);
    await codeFor(world, addresses[1] as string);
    // Nothing was created: neither a code nor the password tells them apart.
    for (const [at, email] of addresses.entries()) {
      const browser = browsers[at] as BrowserClient;
      expect(codesOf([await newcomer().post('/auth/login', { email, password: PASSWORD })])).toEqual(['login_failed']);
      browser.token = answers[at]?.body.temp_token as string;
      expect(codesOf([await browser.call('GET', '/auth/me')])).toEqual(['unauthenticated']);
      const wrong = await browser.post('/auth/verify-email', { email, code: '000000' });
      expect(codesOf([wrong])).toEqual(['code_invalid']);
    }
  });

  test('the code works only in the browser that registered, once, and is sent again on request', async () => {
    const email = free();
    const [browser, thief] = [newcomer(), newcomer()];
    const { body } = await register(browser, email);
    const code = await codeFor(world, email);
    thief.token = body.temp_token as string;
    expect(codesOf([await thief.post('/auth/verify-email', { email, code })])).toEqual(['code_invalid']);
    clock.advance(61_000);
    browser.token = body.temp_token as string;
    expect((await browser.post('/auth/resend-verification', { email })).status).toBe(200);
    const again = await codeFor(world, email, 2);
    expect((await browser.post('/auth/verify-email', { email, code: again })).status).toBe(200);
    browser.token = body.temp_token as string;
    expect(codesOf([await browser.post('/auth/verify-email', { email, code: again })])).toEqual(['code_invalid']);
  });
});
