import { createHash } from 'node:crypto';
import { cleanEmail } from '@raha/contract/persian.ts';
import type { SocialPort } from '../../modules/sessions/social.ts';

/** GitHub: OAuth 2 with PKCE (S256); no ID token and no nonce. Errors of the token call arrive as HTTP 200. */
export interface GithubOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where browsers are sent. */
  readonly pageUrl: () => string;
  /** Where the code is exchanged. */
  readonly tokenUrl: () => string;
  readonly apiUrl: () => string;
  /** Whether it is the built-in test provider. */
  readonly test: boolean;
}

export function createGithub(options: GithubOptions): SocialPort {
  return {
    name: 'github',
    title: 'GitHub',
    test: options.test,
    async start(attempt) {
      const url = new URL(`${options.pageUrl()}/login/oauth/authorize`);
      url.search = new URLSearchParams({
        client_id: options.clientId,
        redirect_uri: attempt.redirectUri,
        scope: 'user:email',
        state: attempt.state,
        code_challenge: createHash('sha256').update(attempt.codeVerifier).digest('base64url'),
        code_challenge_method: 'S256',
      }).toString();
      return url;
    },
    async finish(returned, attempt) {
      if (returned.searchParams.get('state') !== attempt.state) throw new Error('Invalid state parameter');
      const code = returned.searchParams.get('code');
      if (!code) throw new Error('no code');
      const token = await exchange(options, code, attempt);
      const user = (await get(`${options.apiUrl()}/user`, token)) as { id?: unknown; name?: unknown; login?: unknown };
      if (typeof user.id !== 'number') throw new Error('no user id');
      const emails = (await get(`${options.apiUrl()}/user/emails`, token)) as {
        email: string;
        primary: boolean;
        verified: boolean;
      }[];
      const primary = Array.isArray(emails) ? emails.find((entry) => entry.primary && entry.verified) : undefined;
      const email = primary && cleanEmail(primary.email);
      // GitHub's placeholder addresses receive no mail.
      const usable = email !== undefined && !email.endsWith('@users.noreply.github.com');
      return {
        subject: String(user.id),
        email: usable ? email : undefined,
        emailVerified: usable,
        authoritative: usable,
        name: typeof user.name === 'string' ? user.name : typeof user.login === 'string' ? user.login : '',
      };
    },
  };
}

async function exchange(
  options: GithubOptions,
  code: string,
  attempt: { redirectUri: string; codeVerifier: string },
): Promise<string> {
  const response = await fetch(`${options.tokenUrl()}/login/oauth/access_token`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      client_id: options.clientId,
      client_secret: options.clientSecret,
      code,
      redirect_uri: attempt.redirectUri,
      code_verifier: attempt.codeVerifier,
    }).toString(),
    redirect: 'error',
    signal: AbortSignal.timeout(10_000),
  });
  const answer = (await response.json()) as { access_token?: unknown; error?: unknown };
  if (typeof answer.access_token !== 'string') throw new Error(`GitHub: ${String(answer.error)}`);
  return answer.access_token;
}

async function get(url: string, token: string): Promise<unknown> {
  const response = await fetch(url, {
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      'user-agent': 'raha',
    },
    redirect: 'error',
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`GitHub answered ${response.status}`);
  return await response.json();
}
