import { errors } from '@raha/contract/errors.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addMember } from '../../src/modules/staff/add-member.ts';
import { actor, codeFor, openTestWorld, type TestWorld } from '../world.ts';

/** The account as its calls show it, and the generic refusals (specification 1, sections 3, 6, 7 and 8). */
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

async function call(method: string, path: string, token?: string, body?: object) {
  const response = await fetch(`${world.origin}${API_BASE}${path}`, {
    method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test('GET /auth/me carries every field of a user that the specification names', async () => {
  const user = await world.user({ usdCents: 0 });
  const { body } = await call('GET', '/auth/me', user.token);
  expect(body.user).toMatchObject({
    id: user.id,
    email: user.email,
    name: 'نیلوفر آزمون',
    fullName: 'نیلوفر آزمون',
    role: 'user',
    status: 'active',
    profileCompleted: true,
    avatar: null,
    balance: 0,
    hasActiveSubscription: false,
  });
});

test('PUT /auth/profile changes the name, by the rules of names, and nothing else', async () => {
  const user = await world.user({ usdCents: 0 });
  const before = (await user.api.me()).user;
  const { status, body } = await call('PUT', '/auth/profile', user.token, { name: '  نام   تازه ' });
  expect({ status, body }).toMatchObject({ status: 200, body: { success: true, message: 'پروفایل به‌روزرسانی شد' } });
  expect((await user.api.me()).user).toEqual({ ...before, name: 'نام تازه', fullName: 'نام تازه' });
  for (const wrong of [{ name: '' }, { name: 'ن' }, { name: 'x'.repeat(81) }, { name: 'خوب', role: 'admin' }]) {
    expect((await call('PUT', '/auth/profile', user.token, wrong)).status).toBe(422);
  }
});

test('the payload of the token names the session and the user, and no secret', async () => {
  const user = await world.user({ usdCents: 0 });
  const payload = JSON.parse(Buffer.from(user.token.split('.')[1] ?? '', 'base64url').toString()) as object;
  expect(Object.keys(payload).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'sid', 'sub']);
  expect(payload).toMatchObject({ sub: user.id });
});

test('an operator has a role of its own, everybody else is an ordinary user', async () => {
  const user = await world.user({ email: 'boss@mail.example', usdCents: 0 });
  expect((await user.api.me()).user.role).toBe('user');
  await addMember(world.deps, { actor, email: 'boss@mail.example', role: 'super_admin' });
  expect((await user.api.me()).user.role).toBe('super_admin');
});

test('sending and verifying a code answer with the fields of the specification', async () => {
  const email = 'fields@mail.example';
  const sent = await call('POST', '/auth/send-verification-code', undefined, { email });
  expect(sent.body).toEqual({
    success: true,
    userExists: null,
    retry_after: 60,
    message: 'کد تایید به ایمیل شما ارسال شد.',
  });
  const code = await codeFor(world, email);
  const verified = await call('POST', '/auth/verify-code', undefined, { email, code });
  expect(verified.body).toMatchObject({
    success: true,
    userExists: false,
    token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    user: { status: 'incomplete', profileCompleted: false },
    message: 'خوش آمدید!',
  });
  const completed = await call('POST', '/auth/complete-profile', verified.body.token as string, { name: 'سارا' });
  expect(completed.body).toMatchObject({ success: true, user: { status: 'active', profileCompleted: true } });
});

describe('generic refusals', () => {
  test('401, 403, 404, 422 and 429 have a Persian sentence each', async () => {
    const user = await world.user({ usdCents: 0 });
    const answers = [
      await call('GET', '/auth/me'),
      await call('GET', '/user/configs', user.token),
      await call('GET', '/nothing'),
      await call('POST', '/auth/login', undefined, { email: 'x' }),
      await call('POST', '/auth/send-verification-code', undefined, { email: user.email }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 403, 404, 422, 429]);
    for (const { body } of answers) {
      expect(body).toMatchObject({ success: false, code: expect.any(String), request_id: expect.any(String) });
      expect(body.message).toMatch(/[\u0600-\u06ff]{3}/);
    }
    expect(answers[0]?.body.message).toBe('نشست شما پایان یافته است. لطفاً دوباره وارد شوید.');
  });

  test('an internal error is a 500 with a number for support, and reveals nothing else', async () => {
    const broken = await openTestWorld();
    try {
      await sql`ALTER TABLE users RENAME TO hidden_users`.execute(broken.deps.db);
      const response = await fetch(`${broken.origin}${API_BASE}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'a@mail.example', password: 'x' }),
      });
      const text = await response.text();
      expect(response.status).toBe(500);
      expect(text).toContain(errors.internal.fa);
      expect(text).not.toMatch(/users|relation|select|stack/i);
    } finally {
      await broken.close();
    }
  });
});
