import { createHash } from 'node:crypto';
import { API_BASE } from '@raha/contract/public/table.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEST_CLIENT } from '../../src/adapters/social/test-provider.ts';
import { openSocialPorts } from '../../src/app/social-providers.ts';
import { readConfig } from '../../src/platform/config.ts';
import { openTestWorld, type TestWorld } from '../world.ts';

/** T9: the built-in Google and GitHub, over the same wire as the real ones. */
let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

const api = (path: string) => `${world.origin}${API_BASE}${path}`;
const cookieOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');

/** Leaves for a provider, answers on its page, and returns where it sends the browser. */
async function leave(provider: string, answer: Record<string, string>) {
  const away = await fetch(api(`/auth/social/${provider}?state=a-state-of-the-page-itself`), { redirect: 'manual' });
  const url = away.headers.get('location') ?? '';
  const page = await fetch(url);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await page.text()).toContain('<p class="mark">آزمایشی</p>');
  const back = await fetch(url, { method: 'POST', body: new URLSearchParams(answer), redirect: 'manual' });
  return { url: new URL(url), cookie: cookieOf(away), back, returned: back.headers.get('location') ?? '' };
}

async function finishGoogle({ returned, cookie }: { returned: string; cookie: string }) {
  const url = new URL(returned);
  const { code = '', state = '', iss = '' } = Object.fromEntries(url.searchParams);
  const response = await fetch(api('/auth/google-oauth'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify({ code, state, iss, redirectUri: `${url.origin}${url.pathname}` }),
  });
  return { status: response.status, body: (await response.json()) as { user?: { id: string; email: string } } };
}

const someone = { answer: 'allow', email: 'Someone@Gmail.com', name: 'نیلوفر' };

test('Google: the same address is the same user; a code is good once', async () => {
  const left = await leave('google', someone);
  const first = await finishGoogle(left);
  expect(first).toMatchObject({ status: 200, body: { user: { email: 'someone@gmail.com', name: 'نیلوفر' } } });
  const again = await finishGoogle(await leave('google', someone));
  expect(again.body.user?.id).toBe(first.body.user?.id);
  expect((await finishGoogle(left)).status).toBe(400);
});

test('GitHub: a new user comes back with a session, and a code is good once', async () => {
  const { returned, cookie } = await leave('github', { ...someone, email: 'gh@mail.example' });
  const end = await fetch(returned, { headers: { cookie }, redirect: 'manual' });
  expect(end.headers.get('location')).toBe(`${world.origin}/auth/callback?success=true&new_user=true`);
  expect(cookieOf(end)).toContain('auth_token=');
  const again = await fetch(returned, { headers: { cookie }, redirect: 'manual' });
  expect(again.headers.get('location')).toBe(`${world.origin}/auth/callback?error=social_failed`);
});

test.each(['google', 'github'])('%s: a no comes back as access_denied, without a code', async (provider) => {
  const { returned } = await leave(provider, { answer: 'cancel' });
  const { searchParams } = new URL(returned);
  expect([searchParams.get('error'), searchParams.get('state'), searchParams.has('code')]).toEqual([
    'access_denied',
    'a-state-of-the-page-itself',
    false,
  ]);
});

test.each([
  ['client_id', 'another'],
  ['redirect_uri', 'https://evil.example/'],
  ['code_challenge', ''],
  ['code_challenge_method', 'plain'],
])('a request with %s=%s is sent nowhere', async (name, value) => {
  const { url } = await leave('google', someone);
  url.searchParams.set(name, value);
  for (const init of [{}, { method: 'POST', body: new URLSearchParams(someone) }]) {
    const answer = await fetch(url, { ...init, redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  }
});

describe('a code', () => {
  const VERIFIER = 'known to this test alone';

  async function redeem(change: Record<string, string> = {}) {
    const { url } = await leave('google', someone);
    url.searchParams.set('code_challenge', createHash('sha256').update(VERIFIER).digest('base64url'));
    const back = await fetch(url, { method: 'POST', body: new URLSearchParams(someone), redirect: 'manual' });
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: TEST_CLIENT.clientId,
      client_secret: TEST_CLIENT.clientSecret,
      redirect_uri: url.searchParams.get('redirect_uri') ?? '',
      code_verifier: VERIFIER,
      code: new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? '',
      ...change,
    });
    return await fetch(`${world.origin}/dev/google/token`, { method: 'POST', body });
  }

  test('is redeemed by the client that it was given to', async () => expect((await redeem()).status).toBe(200));

  test.each(['client_id', 'client_secret', 'redirect_uri', 'code_verifier', 'code'])(
    'and by nobody with another %s',
    async (name) => {
      const answer = await redeem({ [name]: 'another' });
      expect([answer.status, await answer.json()]).toEqual([400, { error: 'invalid_grant' }]);
    },
  );
});

describe('where they are', () => {
  const here = { origin: 'http://127.0.0.1:3000' };
  const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://raha.example' };
  const open = (environment: Record<string, string>) =>
    openSocialPorts(readConfig(environment), here, () => 'https://raha.example').map(({ name, test: isTest }) => [
      name,
      isTest,
    ]);

  test('on a fresh machine both; in production none, unless it is a demonstration', () => {
    const both = [
      ['google', true],
      ['github', true],
    ];
    expect(open({})).toEqual(both);
    expect(open(production)).toEqual([]);
    expect(open({ PUBLIC_URL: 'http://192.0.2.7:3000' })).toEqual([]);
    expect(open({ ...production, DEMO: 'on' })).toEqual(both);
  });

  test('never beside a real one', () => {
    expect(open({ GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'secret' })).toEqual([['github', false]]);
  });

  test('the sign-in page hears that they are tests, and a proxy in front exposes none of their pages', async () => {
    const { data } = await world.client().listSocialProviders();
    expect(data).toEqual({ providers: ['google', 'github'], test: true });
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const answers = ['/dev/google/.well-known/openid-configuration', '/dev/google/certs', '/dev/github/user'].map(
      async (path) => (await fetch(world.origin + path, { headers })).status,
    );
    expect(await Promise.all(answers)).toEqual([404, 404, 404]);
  });
});
