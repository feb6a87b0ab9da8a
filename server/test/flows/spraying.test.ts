import { limits } from '@raha/contract/limits.ts';
import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { WRONG_PASSWORD } from '../../src/modules/sessions/try-login.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { BrowserClient } from '../browser-client.ts';
import { codeFor, openTestWorld, PASSWORD, type TestWorld } from '../world.ts';

/** Audit S7: guesses of codes and passwords spread over many addresses and networks, and mails to the many spellings of one mailbox. */
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
const worlds: TestWorld[] = [];
let world: TestWorld;
let made = 0;

beforeEach(async () => {
  world = await openTestWorld({ clock });
  worlds.push(world);
});
afterAll(async () => {
  for (const each of worlds) await each.close();
});

const from = (network: string) => new BrowserClient(world, { 'x-forwarded-for': network });

/** The owner of an account, in the browser in which they signed up. */
async function openOwner(network: string): Promise<{ email: string; browser: BrowserClient }> {
  made += 1;
  const email = `owner-of-spray${made}@mail.example`;
  const browser = from(network);
  await browser.post('/auth/send-verification-code', { email });
  const verificationCode = await codeFor(world, email);
  await browser.post('/auth/complete-registration', { email, fullName: 'سارا احمدی', verificationCode });
  clock.advance(61_000);
  return { email, browser };
}

async function expectSignIn({ email, browser }: { email: string; browser: BrowserClient }): Promise<void> {
  const before = world.mails.filter(({ to }) => to === email).length;
  const sent = await browser.post('/auth/send-verification-code', { email });
  expect(sent.status).toBe(200);
  expect(sent.body).not.toHaveProperty('code_length');
  const code = await codeFor(world, email, before + 1);
  expect(code).toHaveLength(6);
  const wrong = await browser.post('/auth/verify-code', { email, code: code === '111111' ? '222222' : '111111' });
  expect(wrong.body).toMatchObject({ code: 'code_invalid' });
  expect(await browser.post('/auth/verify-code', { email, code })).toMatchObject({ status: 200 });
}

/** Asks for a code and guesses five times; returns how many guesses were refused unread. */
async function spray(email: string, network: string): Promise<number> {
  const browser = from(network);
  await browser.post('/auth/send-verification-code', { email });
  let refused = 0;
  for (let guess = 0; guess < 5; guess++) {
    const answer = await browser.post('/auth/verify-code', { email, code: String(100_000 + guess) });
    if (answer.body.code === 'too_many_requests') refused += 1;
    else expect(answer.body.code).toMatch(/^code_(invalid|burnt)$/);
  }
  return refused;
}

test('200 wrong codes over 40 addresses from one network are refused; the owner’s known browser is not slowed', async () => {
  const owner = await openOwner('203.0.113.7');
  let refused = 0;
  for (let address = 0; address < 40; address++)
    refused += await spray(`sprayed${address}@mail.example`, '203.0.113.7');
  expect(200 - refused).toBe(limits.verificationCode.wrongPerNetworkPerHour);
  await expectSignIn(owner);
  // Elsewhere, and in the next hour, a newcomer's code is read.
  expect(await spray('elsewhere@mail.example', '198.51.100.1')).toBe(0);
  clock.advance(3_600_000);
  expect(await spray('later@mail.example', '203.0.113.7')).toBe(0);
});

test('after wrong codes from many networks, newcomers get eight digits, and the owner’s known browser six', async () => {
  const owner = await openOwner('198.51.100.200');
  const enough = limits.verificationCode.longFromWrongPerHour / 5;
  for (let at = 0; at < enough; at++) expect(await spray(`wide${at}@mail.example`, `198.51.100.${at}`)).toBe(0);
  const email = 'newcomer@mail.example';
  const newcomer = from('198.51.100.201');
  const sent = await newcomer.post('/auth/send-verification-code', { email });
  expect(sent.body).toMatchObject({ code_length: 8 });
  const code = await codeFor(world, email);
  expect(code).toMatch(/^\d{8}$/);
  expect(await newcomer.post('/auth/verify-code', { email, code })).toMatchObject({ status: 200 });
  await expectSignIn(owner);
  clock.advance(3_600_001);
  const later = await from('198.51.100.202').post('/auth/send-verification-code', { email: 'later2@mail.example' });
  expect(later.body).not.toHaveProperty('code_length');
});

test('beyond that, unknown browsers pause for the hour, and the owner’s known browser and session go on', async () => {
  const owner = await openOwner('198.51.100.200');
  await spray('first@mail.example', '198.51.100.1');
  const waiting = from('198.51.100.3');
  await waiting.post('/auth/send-verification-code', { email: 'waiting@mail.example' });
  const code = await codeFor(world, 'waiting@mail.example');
  const many = limits.verificationCode.pauseFromWrongPerHour;
  await sql`UPDATE email_challenge SET attempts = ${many} WHERE attempts > 0`.execute(world.deps.db);
  const paused = { status: 429, body: { code: 'too_many_requests' } };
  const email = 'second@mail.example';
  expect(await from('198.51.100.2').post('/auth/send-verification-code', { email })).toMatchObject(paused);
  const body = { email: 'waiting@mail.example', code };
  expect(await waiting.post('/auth/verify-code', body)).toMatchObject(paused);
  await expectSignIn(owner);
  clock.advance(61_000);
  expect(await owner.browser.post('/user/confirmation', undefined)).toMatchObject({ status: 200 });
  clock.advance(3_600_001);
  expect(await from('198.51.100.2').post('/auth/send-verification-code', { email })).toMatchObject({ status: 200 });
});

describe('wrong passwords', () => {
  const wrongPassword = (email: string, network: string) =>
    from(network).post('/auth/login', { email, password: 'Wrong-horse-1' });
  const throttled = { status: 429, body: { code: 'login_throttled' } };

  /** An owner with a password, in the browser in which they signed up, and a newcomer's code that is read as ever. */
  async function openPasswordOwner(network: string) {
    const owner = await openOwner(network);
    const body = { password: PASSWORD, password_confirmation: PASSWORD };
    expect((await owner.browser.call('PUT', '/auth/change-password', body)).status).toBe(200);
    return owner;
  }

  test('over many addresses from one network are refused uncompared; the owner’s known browser is not slowed', async () => {
    const network = '203.0.113.7';
    const { email, browser } = await openPasswordOwner(network);
    const most = limits.password.wrongPerNetworkPerHour;
    const request = { ip: network } as FastifyRequest;
    for (let wrong = 0; wrong < most - 3; wrong += 1) world.deps.networkLimit.take(request, WRONG_PASSWORD);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => wrongPassword(`tried${at}@mail.example`, network)),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
    // In an unknown browser of that network even the right one waits, and says that a code is the way.
    expect(await from(network).post('/auth/login', { email, password: PASSWORD })).toMatchObject(throttled);
    expect(await browser.post('/auth/login', { email, password: 'Wrong-horse-1' })).toMatchObject({ status: 401 });
    expect(await browser.post('/auth/login', { email, password: PASSWORD })).toMatchObject({ status: 200 });
    expect((await wrongPassword('tried@mail.example', '198.51.100.9')).status).toBe(401);
    expect(await spray('with-a-code@mail.example', network)).toBe(0);
  });

  test('mistakes before the right password do not count', async () => {
    const network = '203.0.113.8';
    const { email } = await openPasswordOwner('198.51.100.7');
    for (let mistake = 0; mistake < 3; mistake += 1) await wrongPassword(email, network);
    const { status } = await from(network).post('/auth/login', { email, password: PASSWORD });
    expect(status).toBe(200);
    const request = { ip: network } as FastifyRequest;
    const most = limits.password.wrongPerNetworkPerHour;
    for (let wrong = 0; wrong < most; wrong += 1)
      expect(world.deps.networkLimit.tryTake(request, WRONG_PASSWORD, most)).toBeDefined();
  });

  test('on the whole site let unknown browsers sign in by code only, and the owner’s known browser as ever', async () => {
    const { email, browser } = await openPasswordOwner('198.51.100.7');
    await sql`
      INSERT INTO failed_login (email, bucket, at)
      SELECT 'sprayed' || n || '@mail.example', 'stranger', ${clock.now()}
      FROM generate_series(1, ${limits.password.pauseFromWrongPerHour}) n
    `.execute(world.deps.db);
    expect(await wrongPassword('somebody@mail.example', '198.51.100.8')).toMatchObject(throttled);
    expect(await browser.post('/auth/login', { email, password: PASSWORD })).toMatchObject({ status: 200 });
    expect(await spray('by-code@mail.example', '198.51.100.8')).toBe(0);
    clock.advance(3_600_001);
    expect((await wrongPassword('somebody@mail.example', '198.51.100.8')).status).toBe(401);
  });
});

test('the spellings of one mailbox share one allowance of mails, and remain different accounts', async () => {
  const spellings = Array.from({ length: 40 }, (_, at) => [`name+${at}@mail.example`, `n.a.m.e+${at}@googlemail.com`]);
  for (const [at, pair] of spellings.entries())
    for (const email of pair) await from(`192.0.2.${at}`).post('/auth/send-verification-code', { email });
  await codeFor(world, 'name+4@mail.example');
  await codeFor(world, 'n.a.m.e+4@googlemail.com');
  for (const host of ['mail.example', 'googlemail.com'])
    expect(world.mails.filter(({ to }) => to.endsWith(host))).toHaveLength(limits.verificationCode.perAddressPerHour);

  clock.advance(86_400_001);
  const ids = [];
  for (const email of ['name@gmail.com', 'n.ame@gmail.com']) {
    ids.push((await world.user({ email, usdCents: 0 })).id);
    clock.advance(61_000);
  }
  expect(new Set(ids).size).toBe(2);
});
