import { permissions } from '@raha/contract/admin/roles.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { suspendAccount } from '../../src/modules/profile/suspend-account.ts';
import { addMember } from '../../src/modules/staff/add-member.ts';
import { disableMember } from '../../src/modules/staff/disable-member.ts';
import { resetFactors } from '../../src/modules/staff/reset-factors.ts';
import { manualClock } from '../../src/platform/clock.ts';
import type { BrowserClient } from '../browser-client.ts';
import { SoftwareAuthenticator } from '../software-authenticator.ts';
import {
  addFirstPasskey,
  type Colleague,
  codeAfter,
  consoleBrowser,
  enterMailedCode,
  openColleague,
  signatureFor,
  signFor,
} from '../staff.ts';
import { actor, openTestWorld, type TestWorld, unlimited } from '../world.ts';

/** Signing in to the console, and its sessions apart from those of the panel. */

const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
const MINUTE = 60_000;
let world: TestWorld;
let boss: Colleague;

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false, overrides: { minuteLimit: unlimited } });
  boss = await openColleague(world, 'super_admin');
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

const me = (browser: BrowserClient) => browser.call('GET', '/admin/me');
const codeOf = async (given: ReturnType<BrowserClient['call']>) => (await given).body.code;
const later = (minutes: number) => clock.advance(minutes * MINUTE);
const newMember = async (email: string) => await addMember(world.deps, { actor, email, role: 'support' });

describe('signing in', () => {
  test('the first time sets up a passkey, gives recovery codes, and the session says who it is', async () => {
    expect(boss.recoveryCodes).toHaveLength(10);
    expect(await me(boss.browser)).toMatchObject({
      status: 200,
      body: {
        data: { email: boss.email, role: 'super_admin', permissions: [...permissions] },
      },
    });
  });

  test('later takes the code and the passkey, or a recovery code once', async () => {
    later(2);
    const browser = consoleBrowser(world);
    expect(await enterMailedCode(world, browser, boss.email)).toMatchObject({
      status: 200,
      body: { data: { totp: false, passkey: true, recovery_code: true, enrol: false } },
    });
    expect(await codeOf(me(browser))).toBe('unauthenticated');
    expect(await codeOf(addFirst(browser))).toBe('staff_enrolled');
    expect(await signFor(browser, boss.device, '/admin/sign-in/passkey', '/admin/sign-in/factor')).toMatchObject({
      status: 200,
    });
    expect((await me(browser)).status).toBe(200);
    later(2);
    const [recovery_code] = boss.recoveryCodes;
    for (const status of [200, 400]) {
      const other = consoleBrowser(world);
      await enterMailedCode(world, other, boss.email);
      expect(await other.post('/admin/sign-in/factor', { recovery_code })).toMatchObject({ status });
      later(2);
    }
  });

  test('the first time may set up an app instead; its code counts once', async () => {
    const email = 'app@staff.example';
    await newMember(email);
    const browser = consoleBrowser(world);
    expect((await enterMailedCode(world, browser, email)).body).toMatchObject({ data: { enrol: true } });
    const { secret } = (await browser.post('/admin/sign-in/first-app', undefined)).body.data as { secret: string };
    const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() });
    const wrong = code() === '000000' ? '000001' : '000000';
    expect(await codeOf(browser.post('/admin/sign-in/first-app/confirm', { code: wrong }))).toBe('totp_wrong');
    const used = code();
    expect(await browser.post('/admin/sign-in/first-app/confirm', { code: used })).toMatchObject({ status: 200 });
    expect(await codeOf(browser.post('/admin/proof', { totp: used }))).toBe('totp_wrong');
    later(1);
    expect((await browser.post('/admin/proof', { totp: code() })).status).toBe(200);
  });

  test('lists the own open sessions, and ends all but one', async () => {
    const one = await openColleague(world, 'support');
    later(2);
    const second = consoleBrowser(world);
    await enterMailedCode(world, second, one.email);
    await signFor(second, one.device, '/admin/sign-in/passkey', '/admin/sign-in/factor');
    const list = async () =>
      (await second.call('GET', '/admin/me/sessions')).body.data as { sessions: { id: string; is_this: boolean }[] };
    expect((await list()).sessions.map(({ is_this }) => is_this)).toEqual([true, false]);
    expect((await second.post('/admin/me/sessions/end-others', undefined)).status).toBe(200);
    expect((await list()).sessions.map(({ is_this }) => is_this)).toEqual([true]);
    expect(await codeOf(me(one.browser))).toBe('unauthenticated');
    expect((await me(boss.browser)).status).toBe(200);
  });

  test('answers the same for every address, and mails members only', async () => {
    const stranger = 'nobody@staff.example';
    const user = (await world.user({ usdCents: 0 })).email;
    const send = (email: string) => consoleBrowser(world).post('/admin/sign-in/code', { email });
    later(2);
    const before = world.mails.length;
    const answers = [await send(stranger), await send(user)];
    // Mails go out in the order in which they were asked for.
    await codeAfter(world, boss.email, async () => answers.push(await send(boss.email)));
    expect(world.mails.slice(before).map(({ to }) => to)).toEqual([boss.email]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const guess = consoleBrowser(world).post('/admin/sign-in', { email: stranger, code: '123456' });
    expect(await codeOf(guess)).toBe('code_invalid');
  });

  test('after a day without a factor the mailbox leads nowhere, until the machine opens the hours again', async () => {
    const email = 'late@staff.example';
    const { userId } = await newMember(email);
    later(25 * 60);
    expect((await enterMailedCode(world, consoleBrowser(world), email)).body.code).toBe('staff_enrolment_over');
    await resetFactors(world.deps, { actor, userId });
    later(2);
    const browser = consoleBrowser(world);
    expect((await enterMailedCode(world, browser, email)).status).toBe(200);
    expect((await addFirst(browser)).status).toBe(201);
  });

  test('a sign-in is completed once, within ten minutes', async () => {
    const { browser } = await halfWay();
    later(11);
    const over = await browser.call('GET', '/admin/sign-in');
    expect(over.body.code).toBe('second_step_expired');
    const again = await halfWay();
    const once = { credential: await signatureFor(again.browser, again.device, '/admin/sign-in/passkey') };
    const answers = await Promise.all([1, 2].map(() => again.browser.post('/admin/sign-in/factor', once)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});

describe('a session', () => {
  test('ends after half an hour of rest, after twelve hours, and when its member signs out', async () => {
    const { browser } = await openColleague(world, 'support');
    later(29);
    expect((await me(browser)).status).toBe(200);
    later(31);
    expect(await codeOf(me(browser))).toBe('unauthenticated');
    const busy = (await openColleague(world, 'support')).browser;
    for (let half = 0; half < 28; half += 1) {
      later(25);
      expect((await me(busy)).status).toBe(200);
    }
    later(25);
    expect(await codeOf(me(busy))).toBe('unauthenticated');
    const leaver = (await openColleague(world, 'support')).browser;
    expect((await leaver.post('/admin/sign-out', {})).status).toBe(200);
    expect(await codeOf(me(leaver))).toBe('unauthenticated');
  });

  test('ends when its member is disabled, loses the factors, or the account is suspended', async () => {
    const [one, two, three] = [
      await openColleague(world, 'support'),
      await openColleague(world, 'support'),
      await openColleague(world, 'support'),
    ];
    await disableMember(world.deps, { actor, userId: one.userId });
    await resetFactors(world.deps, { actor, userId: two.userId });
    await suspendAccount(world.deps, { actor, email: three.email });
    for (const { browser } of [one, two, three]) expect(await codeOf(me(browser))).toBe('unauthenticated');
    later(2);
    const sent = world.mails.length;
    await one.browser.post('/admin/sign-in/code', { email: one.email });
    expect(world.mails.slice(sent).filter(({ to }) => to === one.email)).toEqual([]);
  });

  test('of disabling and signing in at once, no session is left', async () => {
    for (let round = 0; round < 8; round += 1) {
      later(2);
      const { userId, email, device } = await openColleague(world, 'support');
      later(2);
      const browser = consoleBrowser(world);
      await enterMailedCode(world, browser, email);
      const credential = await signatureFor(browser, device, '/admin/sign-in/passkey');
      await Promise.all([
        browser.post('/admin/sign-in/factor', { credential }),
        disableMember(world.deps, { actor, userId }),
      ]);
      expect(await codeOf(me(browser))).toBe('unauthenticated');
      const { rows } = await sql`SELECT 1 FROM staff_session WHERE user_id = ${userId}`.execute(world.deps.db);
      expect(rows).toEqual([]);
    }
  });

  test('its cookie is out of reach of scripts, other sites and other calls', async () => {
    later(2);
    const { browser, device } = await halfWay();
    const credential = await signatureFor(browser, device, '/admin/sign-in/passkey');
    const cookies: string[] = [];
    const { fetch } = globalThis;
    globalThis.fetch = async (...request) => {
      const response = await fetch(...request);
      cookies.push(...response.headers.getSetCookie());
      return response;
    };
    await browser.post('/admin/sign-in/factor', { credential });
    globalThis.fetch = fetch;
    const [session] = cookies.filter((cookie) => cookie.startsWith('staff_session='));
    expect(session).toMatch(/Max-Age=43200; Path=\/api\/v1\/admin; HttpOnly; Secure; SameSite=Strict$/);
  });
});

describe('apart from the panel', () => {
  const get = async (path: string, headers: Record<string, string>) =>
    (await fetch(`${world.origin}${API_BASE}${path}`, { headers })).status;

  test('no token of the panel opens a call of the console, however it is sent', async () => {
    const user = await world.user({ usdCents: 0 });
    await addMember(world.deps, { actor, email: user.email, role: 'super_admin' });
    for (const headers of [
      { authorization: `Bearer ${user.token}` },
      { cookie: `auth_token=${user.token}` },
      { cookie: `staff_session=${user.token}` },
    ])
      expect(await get('/admin/me', headers as never)).toBe(401);
    expect(await get('/auth/me', { authorization: `Bearer ${user.token}` })).toBe(200);
  });

  test('no cookie of the console opens a call of the panel', async () => {
    expect((await boss.browser.call('GET', '/auth/me')).status).toBe(401);
    const colleague = await openColleague(world, 'support');
    expect((await colleague.browser.call('GET', '/user/profile')).status).toBe(401);
    expect((await colleague.browser.call('GET', '/admin/me')).status).toBe(200);
  });

  test('no code for one signs in to the other', async () => {
    const email = 'codes@staff.example';
    await newMember(email);
    const browser = consoleBrowser(world);
    const code = await codeAfter(world, email, () => browser.post('/admin/sign-in/code', { email }));
    expect(await codeOf(browser.post('/auth/verify-code', { email, code }))).toBe('code_invalid');
    expect((await browser.post('/admin/sign-in', { email, code })).status).toBe(200);
  });

  test('a change without the header of the console is refused, whatever the cookie', async () => {
    const colleague = await openColleague(world, 'support');
    const { browser } = colleague;
    const bare = browser.without('x-raha-console');
    expect(await codeOf(bare.post('/admin/sign-out', {}))).toBe('cross_site');
    expect((await me(browser)).status).toBe(200);
  });

  test('in the panel, a mailed code or a password is not enough to add a factor to a member', async () => {
    const user = await world.user({ usdCents: 0 });
    await addMember(world.deps, { actor, email: user.email, role: 'support' });
    const code = async () => {
      later(2);
      return await codeAfter(world, user.email, () => user.api.sendConfirmation());
    };
    await expect(user.api.startPasskey({ body: { code: await code() } })).rejects.toMatchObject({
      code: 'staff_first_factor',
    });
    const browser = consoleBrowser(world);
    later(2);
    await enterMailedCode(world, browser, user.email);
    expect((await addFirst(browser)).status).toBe(201);
    await expect(user.api.startPasskey({ body: { code: await code() } })).rejects.toMatchObject({
      code: 'staff_factor_needed',
    });
  });
});

const addFirst = (browser: BrowserClient) => addFirstPasskey(browser, new SoftwareAuthenticator(world.origin));

/** A new browser of a member, after the mailed code. */
async function halfWay(): Promise<{ browser: BrowserClient; device: SoftwareAuthenticator }> {
  later(2);
  const { email, device } = await openColleague(world, 'support');
  later(2);
  const browser = consoleBrowser(world);
  await enterMailedCode(world, browser, email);
  return { browser, device };
}
