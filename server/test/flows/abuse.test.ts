import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errors } from '@raha/contract/errors.ts';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMailer } from '../../src/adapters/mail/mail.ts';
import { signInWithCode } from '../../src/modules/sessions/sign-in.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { codeFor, eventually, openTestWorld, PASSWORD, type TestWorld } from '../world.ts';

/** What attackers try before they have an account (must show 3 of the sign-in issue), beside the tests of each call. */
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld({ clock });
});
afterAll(() => world.close());

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${world.origin}${API_BASE}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

const cookiesOf = (response: Response) =>
  Object.fromEntries(response.headers.getSetCookie().map((line) => [line.split('=')[0], line])) as Record<
    string,
    string
  >;
const valueIn = (cookie: string | undefined) => cookie?.split(';')[0]?.split('=')[1] as string;

let people = 0;
async function register() {
  people += 1;
  const email = `abuse${people}@mail.example`;
  const body = { name: 'نیلوفر', email, password: PASSWORD, password_confirmation: PASSWORD };
  return { email, response: await post('/auth/register', body) };
}

/** At each address, and as many users: `npm run test:long` makes it a thousand. */
const GUESSES = Number(process.env.ABUSE_GUESSES ?? 100);

describe('guessing codes', () => {
  // Guesses make codes longer for an hour.
  afterAll(() => clock.advance(3_600_001));

  test('random guesses over 100 addresses never get in, the right codes among them', async () => {
    const addresses = Array.from({ length: 100 }, (_, index) => `guessed${index}@mail.example`);
    await Promise.all(addresses.map((email) => world.client().sendVerificationCode({ body: { email } })));
    const codes = new Map<string, string>();
    for (const email of addresses) codes.set(email, await codeFor(world, email));
    const outcomes: Record<string, number> = {};
    const guess = async (email: string, code: string) => {
      const device = { cookie: undefined, label: '' };
      const outcome = await signInWithCode(world.deps, { email, code, device }).then(
        () => 'IN',
        (error: { code: string }) => error.code,
      );
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    };
    // Five guesses in a million may succeed by chance; the test is about the others, so its first five are all wrong.
    await Promise.all(
      addresses.map(async (email) => {
        const right = codes.get(email) as string;
        for (let round = 0; round < GUESSES; round += 1) {
          const random = String(Math.floor(Math.random() * 1e6)).padStart(6, '0');
          const wrong = random === right ? String((Number(right) + 1) % 1e6).padStart(6, '0') : random;
          await guess(email, round < 5 ? wrong : round % 50 === 25 ? right : random);
        }
      }),
    );
    expect(outcomes).toEqual({ code_invalid: 400, code_burnt: 100 * GUESSES - 400 });
  }, 300_000);

  test('many simultaneous guesses share the limit of five', async () => {
    const email = 'guessed-at-once@mail.example';
    await world.client().sendVerificationCode({ body: { email } });
    const right = await codeFor(world, email);
    const codes = Array.from({ length: 40 }, (_, index) => String((Number(right) + 1 + index) % 1e6).padStart(6, '0'));
    const answers = await Promise.all(
      codes.map((code) =>
        world
          .client()
          .verifyCode({ body: { email, code } })
          .catch((error: { code: string }) => error.code),
      ),
    );
    expect(answers.filter((answer) => answer === 'code_invalid')).toHaveLength(4);
    await expect(world.client().verifyCode({ body: { email, code: right } })).rejects.toMatchObject({
      code: 'code_burnt',
    });
  });
});

test('many users behind one network address all get in', async () => {
  const emails = Array.from({ length: GUESSES }, (_, index) => `shared${index}@mail.example`);
  const enter = async (email: string) => {
    await world.client().sendVerificationCode({ body: { email } });
    const code = await codeFor(world, email);
    const wrong = String((Number(code) + 1) % 1e6).padStart(6, '0');
    await world
      .client()
      .verifyCode({ body: { email, code: wrong } })
      .catch(() => undefined);
    return (await world.client().verifyCode({ body: { email, code } })).success;
  };
  const entered: boolean[] = [];
  for (let from = 0; from < emails.length; from += 50) {
    entered.push(...(await Promise.all(emails.slice(from, from + 50).map(enter))));
  }
  expect(entered.filter(Boolean)).toHaveLength(GUESSES);
}, 300_000);

describe('sessions prepared by somebody else', () => {
  test('cookies planted in a browser are replaced by its own sign-in, never taken over', async () => {
    const planted = (await register()).response;
    const attacker = cookiesOf(planted);
    const { email } = await register();
    await post('/auth/send-verification-code', { email });
    const cookie = `auth_token=${valueIn(attacker.auth_token)}; refreshToken=${valueIn(attacker.refreshToken)}`;
    const response = await post('/auth/login', { email, password: PASSWORD }, { cookie });
    expect(response.status).toBe(200);
    const proved = await post(
      '/auth/verify-email',
      { email, code: await mailedProof(email) },
      {
        cookie,
        authorization: `Bearer ${((await response.json()) as { temp_token: string }).temp_token}`,
      },
    );
    const own = cookiesOf(proved);
    expect(valueIn(own.refreshToken)).not.toBe(valueIn(attacker.refreshToken));
    expect(sessionOf(valueIn(own.auth_token))).not.toBe(sessionOf(valueIn(attacker.auth_token)));
    // The planted session still belongs to the attacker alone.
    const refreshed = await post('/auth/refresh', {}, { cookie: `refreshToken=${valueIn(attacker.refreshToken)}` });
    expect(((await refreshed.json()) as { user: { email: string } }).user.email).not.toBe(email);
  });

  test('a cookie is no bearer token: without the header the caller is not signed in', async () => {
    const cookies = cookiesOf((await register()).response);
    const response = await fetch(`${world.origin}${API_BASE}/auth/me`, {
      headers: { cookie: `auth_token=${valueIn(cookies.auth_token)}` },
    });
    expect(response.status).toBe(401);
  });
});

async function mailedProof(email: string): Promise<string> {
  const mail = await eventually(() =>
    world.mails.find((sent) => sent.to === email && /تأیید ایمیل/.test(sent.subject)),
  );
  return /^\d{6}$/m.exec(mail.text)?.[0] as string;
}

const sessionOf = (token: string) =>
  (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sid: string }).sid;

test('every sign-in sets the same cookies: strict, secure over https, the refresh token for the server alone', async () => {
  const { email, response } = await register();
  const code = await mailedProof(email);
  const login = (await (await post('/auth/login', { email, password: PASSWORD })).json()) as { temp_token: string };
  const proved = await post('/auth/verify-email', { email, code }, { authorization: `Bearer ${login.temp_token}` });
  const entered = await post('/auth/login', { email, password: PASSWORD });
  for (const cookies of [response, proved, entered].map(cookiesOf)) {
    expect(Object.keys(cookies).sort()).toEqual(['auth_token', 'device', 'refreshToken', 'user_data']);
    for (const [name, line] of Object.entries(cookies)) {
      expect(line).toContain('Secure');
      expect(line).toContain(name === 'device' ? 'SameSite=Lax' : 'SameSite=Strict');
      expect(line.includes('HttpOnly')).toBe(name === 'refreshToken' || name === 'device');
      expect(line).toContain(name === 'refreshToken' || name === 'device' ? 'Path=/api/v1/auth' : 'Path=/;');
      expect(line).not.toContain('Domain=');
      expect(line).toMatch(name === 'device' ? /Max-Age=34560000/ : /Max-Age=86400/);
    }
  }
});

describe('requests that another site makes a browser send', () => {
  // Banks and stores send users back from their own sites; such a return proves nothing by itself.
  const writing = Object.entries(publicEndpoints).filter(
    ([, { method, caller }]) => method !== 'GET' && caller !== 'callback',
  );

  test.each(writing)('%s', async (_name, { method, path }) => {
    const url = `${world.origin}${API_BASE}${path.replace(/\{\w+\}/g, 'google')}`;
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      const body = method === 'DELETE' ? {} : { body: '{}' };
      const type = method === 'DELETE' ? {} : { 'content-type': 'application/json' };
      const response = await fetch(url, {
        method,
        headers: { ...type, ...headers } as Record<string, string>,
        ...body,
      });
      expect({ headers, status: response.status }).toEqual({ headers, status: errors.cross_site.status });
      expect((await response.json()) as object).toMatchObject({ code: 'cross_site' });
    }
  });

  test('a request that a plain form can send is refused', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const response = await fetch(`${world.origin}${API_BASE}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: '{"email":"a@b.example","password":"x"}',
      });
      expect(response.status).toBe(415);
    }
  });
});

test('no redirect of ours leads to another site', async () => {
  const evil = [
    '//evil.example',
    '//evil.example/%2e%2e',
    '/\\evil.example',
    '/%5cevil.example/',
    '/en//evil.example/',
    '/auth/callback?success=true&redirect=https://evil.example',
    `${API_BASE}/auth/social/google?redirectUri=https://evil.example`,
    `${API_BASE}/auth/social/github/callback?code=x&state=y&redirect_uri=https://evil.example`,
    '/user/dashboard?next=//evil.example',
  ];
  for (const path of evil) {
    // The path as it stands: a URL object would normalise it.
    const { statusCode, location } = await raw(path);
    const target = location === undefined ? undefined : new URL(location, world.origin).origin;
    expect({ path, statusCode, target }).toEqual({
      path,
      statusCode,
      target: statusCode >= 300 && statusCode < 400 ? world.origin : undefined,
    });
  }
});

async function raw(path: string): Promise<{ statusCode: number; location: string | undefined }> {
  const { request } = await import('node:http');
  const { hostname, port } = new URL(world.origin);
  return await new Promise((done, fail) => {
    request({ hostname, port, path }, (response) => {
      response.resume();
      done({ statusCode: response.statusCode ?? 0, location: response.headers.location });
    })
      .on('error', fail)
      .end();
  });
}

describe('headers of emails', () => {
  const inject = 'x\r\nBcc: victim@evil.example\r\n\r\nbody';

  test('addresses with line breaks are refused, names with line breaks become one line', async () => {
    for (const path of ['/auth/send-verification-code', '/auth/forgot-password', '/auth/resend-verification']) {
      expect((await post(path, { email: `a@mail.example\r\nBcc: victim@evil.example` })).status).toBe(422);
    }
    const email = 'injected@mail.example';
    const body = { name: inject, email, password: PASSWORD, password_confirmation: PASSWORD };
    const { user } = (await (await post('/auth/register', body)).json()) as { user: { name: string } };
    expect(user.name).toBe('x Bcc: victim@evil.example body');
    await mailedProof(email);
    await world.client().sendVerificationCode({ body: { email: 'injected2@mail.example' } });
    const fullName = inject;
    const verificationCode = await codeFor(world, 'injected2@mail.example');
    await post('/auth/complete-registration', { email: 'injected2@mail.example', fullName, verificationCode });
    for (const mail of world.mails) {
      expect(mail.to).toMatch(/^[^\s,<>]+@[^\s,<>]+$/);
      expect(mail.subject).not.toMatch(/[\r\n]/);
      expect(mail.to).not.toContain('evil.example');
    }
  });

  test('even if a line break reached the mailer, it would stay inside its header', async () => {
    const outboxDir = mkdtempSync(join(tmpdir(), 'raha-mail-'));
    try {
      const from = { name: async () => inject, address: 'support@raha.example' };
      const mailer = createMailer({ smtpUrl: undefined, outboxDir, from, clock });
      await mailer.send({ to: 'a@mail.example', subject: inject, text: 'text', html: '<p>html</p>' });
      const [file] = readdirSync(outboxDir);
      const [head = ''] = readFileSync(join(outboxDir, file as string), 'utf8').split('\n\n');
      // A folded line begins with a blank; every other line begins a header.
      const names = head
        .split('\n')
        .filter((line) => !/^\s/.test(line))
        .map((line) => line.split(':')[0]?.toLowerCase());
      expect(names).not.toContain('bcc');
      expect(names.filter((name) => name === 'to')).toHaveLength(1);
      expect(head).not.toMatch(/^To:.*evil/m);
    } finally {
      rmSync(outboxDir, { recursive: true, force: true });
    }
  });
});
