import { limits } from '@raha/contract/limits.ts';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { manualClock } from '../../src/platform/clock.ts';
import { BrowserClient } from '../browser-client.ts';
import { codeFor, openTestWorld, type TestWorld } from '../world.ts';

/** Audit S7: guesses spread over many addresses and networks, and mails to the many spellings of one mailbox. */
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
