import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manualClock } from '../../src/platform/clock.ts';
import { codeFor, openTestWorld, type TestWorld } from '../world.ts';

/** Sessions over HTTP with cookies, as a browser keeps them. */
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld({ clock });
});
afterAll(() => world.close());

interface Jar {
  auth_token?: string;
  refreshToken?: string;
}

let visitors = 0;

async function signIn(): Promise<{ jar: Jar; setCookies: string[] }> {
  visitors += 1;
  const email = `visitor${visitors}@mail.example`;
  await world.client().sendVerificationCode({ body: { email } });
  const verificationCode = await codeFor(world, email);
  const response = await post('/auth/complete-registration', { email, fullName: 'رهگذر', verificationCode });
  return { jar: cookiesOf(response), setCookies: response.headers.getSetCookie() };
}

async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(`${world.origin}${API_BASE}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const refresh = (jar: Jar) => post('/auth/refresh', {}, { cookie: `refreshToken=${jar.refreshToken}` });
const get = (path: string, token: string | undefined) =>
  fetch(`${world.origin}${API_BASE}${path}`, { headers: { authorization: `Bearer ${token}` } });
const me = (token: string | undefined) => get('/auth/me', token);
/** Its data are read in the same message as the session. */
const dashboard = (token: string | undefined) => get('/user/dashboard', token);

function cookiesOf(response: Response): Jar {
  const pairs = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]?.split('=') as [string, string]);
  return Object.fromEntries(pairs) as Jar;
}

describe('cookies', () => {
  test('scripts and other paths cannot read the refresh token; all cookies live as long as the session', async () => {
    const { setCookies } = await signIn();
    const byName = Object.fromEntries(setCookies.map((cookie) => [cookie.split('=')[0], cookie]));
    expect(byName.refreshToken).toMatch(/; Path=\/api\/v1\/auth(;|$)/);
    expect(byName.refreshToken).toContain('HttpOnly');
    for (const cookie of setCookies.filter((candidate) => !candidate.startsWith('device='))) {
      expect(cookie).toContain('SameSite=Strict');
      expect(cookie).toContain('Secure');
      expect(cookie).toContain(`Max-Age=${7 * 86_400}`);
    }
    expect(byName.auth_token).not.toContain('HttpOnly');
    expect(byName.auth_token?.split(';')[0]?.split('.')).toHaveLength(3);
  });
});

describe('the user cookie', () => {
  const lifeOf = (response: Response) =>
    Number(/^user_data=.*; Max-Age=(\d+)/.exec(response.headers.getSetCookie().join('\n'))?.[1]) / 86_400;

  test('is renewed by reading the user, for as long as the session lives, and no longer', async () => {
    const { jar } = await signIn();
    const { db } = world.deps;
    for (const days of [1, 7, 30]) {
      await sql`UPDATE session SET expires_at = ${new Date(clock.now().getTime() + days * 86_400_000)}
        WHERE id = ${sessionOf(jar)}`.execute(db);
      expect(lifeOf(await me(jar.auth_token))).toBe(days);
    }
  });

  test('completing the profile later renews it likewise', async () => {
    const email = 'incomplete@mail.example';
    await world.client().sendVerificationCode({ body: { email } });
    const { auth_token } = cookiesOf(await post('/auth/verify-code', { email, code: await codeFor(world, email) }));
    clock.advance(6 * 60_000);
    const answer = await post('/auth/complete-profile', { name: 'رهگذر' }, { authorization: `Bearer ${auth_token}` });
    expect(lifeOf(answer)).toBeCloseTo(7 - 6 / 1440, 6);
  });
});

function sessionOf(jar: Jar): string {
  return JSON.parse(Buffer.from(jar.auth_token?.split('.')[1] ?? '', 'base64url').toString()).sid;
}

describe('refreshing', () => {
  test('rotates: the new pair works, and twenty tabs at once get one new token and stay signed in', async () => {
    const { jar } = await signIn();
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(jar)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200));
    const newTokens = new Set(answers.map((answer) => cookiesOf(answer).refreshToken));
    expect(newTokens.size).toBe(1);
    const next = cookiesOf(answers[0] as Response);
    expect((await me(next.auth_token)).status).toBe(200);
    expect((await refresh(next)).status).toBe(200);
  });

  test('a token used again after the grace period ends the whole family at once', async () => {
    const { jar } = await signIn();
    const second = cookiesOf(await refresh(jar));
    clock.advance(11_000);
    const stolen = await refresh(jar);
    expect(stolen.status).toBe(401);
    expect((await stolen.json()) as object).toMatchObject({ code: 'unauthenticated' });
    expect((await me(second.auth_token)).status).toBe(401);
    expect((await refresh(second)).status).toBe(401);
  });

  test('a token two generations old ends the family even within the grace period', async () => {
    const { jar } = await signIn();
    const second = cookiesOf(await refresh(jar));
    const third = cookiesOf(await refresh(second));
    expect((await refresh(jar)).status).toBe(401);
    expect((await me(third.auth_token)).status).toBe(401);
  });

  test('clients without cookies send and receive it in the body', async () => {
    const { jar } = await signIn();
    const answer = await post('/auth/refresh', { refreshToken: jar.refreshToken });
    expect(answer.headers.getSetCookie()).toEqual([]);
    const body = (await answer.json()) as { refreshToken: string; token: string };
    expect((await me(body.token)).status).toBe(200);
    expect(body.refreshToken).not.toBe(jar.refreshToken);
  });

  test('the access token ends after 15 minutes, the session after 7 days', async () => {
    const { jar } = await signIn();
    clock.advance(15 * 60_000 - 1000);
    expect((await me(jar.auth_token)).status).toBe(200);
    clock.advance(2000);
    expect((await me(jar.auth_token)).status).toBe(401);
    const next = cookiesOf(await refresh(jar));
    expect((await me(next.auth_token)).status).toBe(200);
    clock.advance(7 * 86_400_000);
    expect((await refresh(next)).status).toBe(401);
  });
});

describe('signing out', () => {
  test('works at once and clears the cookies', async () => {
    const { jar } = await signIn();
    expect((await dashboard(jar.auth_token)).status).toBe(200);
    const answer = await post('/auth/logout', undefined, {
      authorization: `Bearer ${jar.auth_token}`,
      cookie: `refreshToken=${jar.refreshToken}`,
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.getSetCookie().filter((cookie) => /Expires=Thu, 01 Jan 1970/.test(cookie))).toHaveLength(3);
    expect((await me(jar.auth_token)).status).toBe(401);
    const refused = await dashboard(jar.auth_token);
    expect(refused.status).toBe(401);
    expect(Object.keys((await refused.json()) as object)).not.toContain('data');
    expect((await refresh(jar)).status).toBe(401);
    expect((await post('/auth/logout', undefined)).status).toBe(200);
  });
});

test('a suspended account is signed out at once, and gets the reason', async () => {
  const { jar } = await signIn();
  await sql`UPDATE users SET status = 'suspended' WHERE email = ${`visitor${visitors}@mail.example`}`.execute(
    world.deps.db,
  );
  for (const answer of [await me(jar.auth_token), await dashboard(jar.auth_token)]) {
    expect(answer.status).toBe(403);
    expect((await answer.json()) as object).toMatchObject({ code: 'account_suspended' });
  }
});

test('neither codes nor tokens are in the database', async () => {
  const { jar } = await signIn();
  const mail = world.mails.at(-1);
  const { rows } = await sql<{ text: string }>`
    SELECT coalesce(string_agg(c::text, ' '), '') || coalesce((SELECT string_agg(r::text, ' ') FROM refresh_token r), '') AS text FROM email_challenge c
  `.execute(world.deps.db);
  expect(rows[0]?.text).not.toContain(jar.refreshToken);
  expect(rows[0]?.text).not.toContain(`,${/\d{6}/.exec(mail?.text ?? '')?.[0]},`);
});
