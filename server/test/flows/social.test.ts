import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { API_BASE } from '@raha/contract/public/table.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGithub } from '../../src/adapters/social/github.ts';
import { createGoogle } from '../../src/adapters/social/google.ts';
import type { SocialPort } from '../../src/modules/sessions/social.ts';
import { openTestWorld, type TestWorld } from '../world.ts';

/** Must show 2 of the sign-in issue: Google against a real OpenID provider process, GitHub against its wire format. */
let world: TestWorld;
let provider: ChildProcess;
let issuer: string;
let github: Server;
/** The answers of this test's GitHub. */
const hub = { token: {} as object, user: {} as object, emails: [] as object[], challenge: '', verifier: '' };
const ports = new Map<'google' | 'github', SocialPort>();

beforeAll(async () => {
  world = await openTestWorld({ overrides: { socialPorts: ports } });
  provider = spawn(process.execPath, [join(import.meta.dirname, '../openid-provider.mjs')], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, REDIRECT_URIS: JSON.stringify([`${world.origin}/auth/google/callback`]) },
  });
  const [line] = (await once(provider.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  issuer = line.toString().trim();
  const baseUrl = await startGithub();
  ports.set(
    'google',
    createGoogle({
      clientId: 'raha',
      clientSecret: 'a secret of the tests, long enough',
      issuer: () => issuer,
      test: false,
    }),
  );
  const at = () => baseUrl;
  const keys = { clientId: 'raha', clientSecret: 'x' };
  ports.set('github', createGithub({ ...keys, pageUrl: at, tokenUrl: at, apiUrl: at, test: false }));
});
afterAll(async () => {
  provider.kill();
  github.close();
  await world.close();
});

async function startGithub(): Promise<string> {
  github = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      if (request.url === '/login/oauth/access_token')
        hub.verifier = new URLSearchParams(body).get('code_verifier') ?? '';
      const answers: Record<string, unknown> = {
        '/login/oauth/access_token': hub.token,
        '/user': hub.user,
        '/user/emails': hub.emails,
      };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answers[request.url ?? ''] ?? {}));
    });
  });
  github.listen(0, '127.0.0.1');
  await once(github, 'listening');
  return `http://127.0.0.1:${(github.address() as { port: number }).port}`;
}

/** A browser's cookies, per host. */
class Browser {
  readonly #jars = new Map<string, Map<string, string>>();

  async go(url: string, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url);
    const jar = this.#jars.get(host) ?? new Map<string, string>();
    this.#jars.set(host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: { ...init.headers, ...(cookie ? { cookie } : {}) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  /** Follows redirects until one leads back to our own pages. */
  async follow(url: string): Promise<URL> {
    let at = new URL(url);
    for (let hops = 0; hops < 12; hops += 1) {
      const response = await this.go(at.href);
      const location = response.headers.get('location');
      if (!location) throw new Error(`${at.href}: ${response.status} ${await response.text()}`);
      at = new URL(location, at);
      if (at.pathname === '/auth/google/callback' || at.pathname === '/auth/callback') return at;
    }
    throw new Error('too many redirects');
  }

  cookie(host: string, name: string): string | undefined {
    return this.#jars.get(host)?.get(name);
  }
}

const api = (path: string) => `${world.origin}${API_BASE}${path}`;

async function withGoogle(account: object, change: (returned: URL) => void = () => undefined) {
  await fetch(`${issuer}/control`, { method: 'POST', body: JSON.stringify(account) });
  const browser = new Browser();
  const returned = await browser.follow(api('/auth/social/google?state=a-state-of-the-page-itself'));
  change(returned);
  const query = Object.fromEntries(returned.searchParams) as Record<string, string>;
  const response = await browser.go(api('/auth/google-oauth'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      code: query.code ?? 'none',
      redirectUri: `${returned.origin}${returned.pathname}`,
      ...(query.state ? { state: query.state } : {}),
      ...(query.iss ? { iss: query.iss } : {}),
    }),
  });
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown> & { user?: { id: string; email: string } },
    returned,
  };
}

describe('Google', () => {
  test('a new user: signed in, the profile to be completed, the name offered', async () => {
    const { status, body, returned } = await withGoogle({
      sub: 'g-1',
      email: 'new@gmail.com',
      email_verified: true,
      name: 'نیلوفر',
    });
    expect(returned.searchParams.get('state')).toBe('a-state-of-the-page-itself');
    expect({ status, ...body }).toMatchObject({
      status: 200,
      new_user: true,
      user: { email: 'new@gmail.com', name: 'نیلوفر', status: 'incomplete', isEmailVerified: true },
    });
    expect((await world.client(body.token as string).me()).user.email).toBe('new@gmail.com');
  });

  test('a known user, even after the address at Google has changed', async () => {
    const first = await withGoogle({ sub: 'g-2', email: 'known@gmail.com', email_verified: true, name: 'آشنا' });
    const again = await withGoogle({ sub: 'g-2', email: 'other@gmail.com', email_verified: true, name: 'آشنا' });
    expect(again.body.user?.id).toBe(first.body.user?.id);
    expect(again.body.user?.email).toBe('known@gmail.com');
  });

  test('an existing account is linked by a verified Gmail address, not by another one', async () => {
    const user = await world.user({ email: 'both@gmail.com', usdCents: 0 });
    expect((await withGoogle({ sub: 'g-3', email: 'both@gmail.com', email_verified: true })).body.user?.id).toBe(
      user.id,
    );
    await world.user({ email: 'both@corp.example', usdCents: 0 });
    const { status, body } = await withGoogle({ sub: 'g-4', email: 'both@corp.example', email_verified: true });
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'social_link_needs_sign_in' });
    expect(
      (await withGoogle({ sub: 'g-5', email: 'both@corp.example', email_verified: true, hd: 'corp.example' })).status,
    ).toBe(200);
  });

  test('an unverified address is refused', async () => {
    const { status, body } = await withGoogle({ sub: 'g-6', email: 'un@gmail.com', email_verified: false });
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'social_unverified' });
  });

  test.each<[string, (returned: URL) => void]>([
    ['another state', (url) => url.searchParams.set('state', 'x'.repeat(20))],
    ['no state', (url) => url.searchParams.delete('state')],
    ['another code', (url) => url.searchParams.set('code', 'wrong')],
    [
      'another page',
      (url) => {
        url.pathname = '/evil';
      },
    ],
    ['another issuer', (url) => url.searchParams.set('iss', 'https://evil.example')],
  ])('%s is refused', async (_what, change) => {
    const { status, body } = await withGoogle({ sub: 'g-7', email: 'bad@gmail.com', email_verified: true }, change);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'social_failed' });
    expect(body.message).toBe('خطا در ورود با Google');
  });

  test('a code does not work in another browser', async () => {
    await fetch(`${issuer}/control`, {
      method: 'POST',
      body: JSON.stringify({ sub: 'g-8', email: 'stolen@gmail.com', email_verified: true }),
    });
    const victim = await new Browser().follow(api('/auth/social/google'));
    const thief = new Browser();
    await thief.follow(api('/auth/social/google'));
    const response = await thief.go(api('/auth/google-oauth'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        code: victim.searchParams.get('code'),
        redirectUri: `${victim.origin}${victim.pathname}`,
        state: victim.searchParams.get('state'),
        iss: victim.searchParams.get('iss'),
      }),
    });
    expect(response.status).toBe(400);
  });

  test('an ID token with another nonce is refused', async () => {
    const port = ports.get('google') as SocialPort;
    ports.set('google', {
      ...port,
      finish: (returned, attempt) => port.finish(returned, { ...attempt, nonce: 'another' }),
    });
    const { status } = await withGoogle({ sub: 'g-9', email: 'nonce@gmail.com', email_verified: true });
    ports.set('google', port);
    expect(status).toBe(400);
  });

  test('an ID token that another key signed is refused', async () => {
    const { status } = await withGoogle({ sub: 'g-10', email: 'forged@gmail.com', email_verified: true, forged: true });
    expect(status).toBe(400);
  });

  test('a refused consent returns an error and no session', async () => {
    await fetch(`${issuer}/control`, { method: 'POST', body: JSON.stringify({ deny: true }) });
    const returned = await new Browser().follow(api('/auth/social/google'));
    expect(returned.searchParams.get('error')).toBe('access_denied');
    expect(returned.searchParams.has('code')).toBe(false);
  });
});

describe('GitHub', () => {
  async function withGithub(answers: Partial<typeof hub>, change: (callback: URL) => void = () => undefined) {
    Object.assign(hub, { token: { access_token: 't' }, user: { id: 1, login: 'gh' }, emails: [], ...answers });
    const browser = new Browser();
    const away = new URL((await browser.go(api('/auth/social/github'))).headers.get('location') as string);
    hub.challenge = away.searchParams.get('code_challenge') ?? '';
    const callback = new URL(away.searchParams.get('redirect_uri') as string);
    callback.searchParams.set('code', 'code');
    callback.searchParams.set('state', away.searchParams.get('state') as string);
    change(callback);
    const response = await browser.go(callback.href);
    return { page: new URL(response.headers.get('location') as string), browser };
  }
  const verified = (email: string) => [{ email, primary: true, verified: true }];

  test('a new user returns to the page with cookies and no token in the address', async () => {
    const { page, browser } = await withGithub({
      user: { id: 10, login: 'neu', name: 'تازه' },
      emails: verified('gh@mail.example'),
    });
    expect(`${page.pathname}${page.search}`).toBe('/auth/callback?success=true&new_user=true');
    expect(browser.cookie(new URL(world.origin).host, 'auth_token')).toBeTruthy();
    const { createHash } = await import('node:crypto');
    expect(createHash('sha256').update(hub.verifier).digest('base64url')).toBe(hub.challenge);
  });

  test('a known user is found by number, not by login or email address', async () => {
    await withGithub({ user: { id: 11, login: 'a' }, emails: verified('gh11@mail.example') });
    const { page } = await withGithub({ user: { id: 11, login: 'b' }, emails: [] });
    expect(page.searchParams.get('success')).toBe('true');
  });

  test.each<[string, Partial<typeof hub>]>([
    ['no mail at all', { user: { id: 12 }, emails: [] }],
    ['no verified mail', { user: { id: 13 }, emails: [{ email: 'x@mail.example', primary: true, verified: false }] }],
    ['only a placeholder mail', { user: { id: 14 }, emails: verified('14+x@users.noreply.github.com') }],
  ])('%s: social_unverified', async (_what, answers) => {
    expect((await withGithub(answers)).page.search).toBe('?error=social_unverified');
  });

  test('an error that arrives as HTTP 200, a wrong state, and a refused consent', async () => {
    expect((await withGithub({ token: { error: 'bad_verification_code' } })).page.search).toBe('?error=social_failed');
    expect((await withGithub({}, (url) => url.searchParams.set('state', 'x'))).page.search).toBe(
      '?error=social_failed',
    );
    expect((await withGithub({}, (url) => url.searchParams.set('error', 'server_error'))).page.search).toBe(
      '?error=social_failed',
    );
    expect((await withGithub({}, (url) => url.searchParams.set('error', 'access_denied'))).page.search).toBe(
      '?error=access_denied',
    );
  });
});

/** How a browser requests a page. */
const page = { redirect: 'manual', headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } } as const;

test('a provider that cannot be reached: a browser gets a page with the error, a program gets a refusal', async () => {
  const port = ports.get('google') as SocialPort;
  ports.set(
    'google',
    createGoogle({ clientId: 'raha', clientSecret: 'x', issuer: () => 'http://127.0.0.1:1', test: false }),
  );
  const toBrowser = await fetch(api('/auth/social/google'), page);
  const toProgram = await fetch(api('/auth/social/google'));
  ports.set('google', port);
  expect({ status: toBrowser.status, location: toBrowser.headers.get('location') }).toEqual({
    status: 303,
    location: `${world.origin}/auth/callback?error=social_failed`,
  });
  expect({ status: toProgram.status, ...((await toProgram.json()) as object) }).toMatchObject({
    status: 400,
    code: 'social_failed',
  });
});

test('providers without keys are neither offered nor served where nothing is simulated', async () => {
  const bare = await openTestWorld({ overrides: { socialPorts: new Map() } });
  try {
    expect((await bare.client().listSocialProviders()).data).toEqual({ providers: [], test: false });
    expect((await fetch(`${bare.origin}${API_BASE}/auth/social/google`)).status).toBe(404);
    for (const path of ['/auth/social/google', '/auth/social/github/callback?code=c']) {
      const answer = await fetch(`${bare.origin}${API_BASE}${path}`, page);
      expect(answer.headers.get('location')).toBe(`${bare.origin}/auth/callback?error=social_off`);
    }
  } finally {
    await bare.close();
  }
});
