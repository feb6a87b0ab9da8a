import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { node, root, start } from './processes.ts';

/** Google and GitHub as a browser meets them on loopback: a real OpenID provider process, and GitHub's wire. */
export interface Providers {
  readonly environment: Readonly<Record<string, string>>;
  readonly origins: readonly string[];
  /** Who signs in next at Google; `{ deny: true }` for somebody who says no. */
  asGoogle(account: object): Promise<void>;
  /** Who signs in next at GitHub. */
  asGithub(user: object, emails: readonly object[]): void;
  close(): Promise<void>;
}

export async function startProviders(siteUrl: string, directory: string): Promise<Providers> {
  const google = start(node, [join(root, 'server/test/openid-provider.mjs')], {
    cwd: root,
    env: { PATH: process.env.PATH, REDIRECT_URIS: JSON.stringify([`${siteUrl}/auth/google/callback`]) },
    logFile: join(directory, 'google.log'),
  });
  const [issuer = ''] = await google.waitFor(/http:\/\/127\.0\.0\.1:\d+/, 20_000);
  const hub = { user: {}, emails: [] as readonly object[] };
  const github = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://host');
    if (url.pathname === '/login/oauth/authorize') {
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', 'a-code');
      back.searchParams.set('state', url.searchParams.get('state') ?? '');
      response.writeHead(302, { location: back.href }).end();
      return;
    }
    const answers: Record<string, unknown> = {
      '/login/oauth/access_token': { access_token: 't' },
      '/user': hub.user,
      '/user/emails': hub.emails,
    };
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answers[url.pathname] ?? {}));
  });
  const hubUrl = await listen(github);
  return {
    environment: {
      GOOGLE_CLIENT_ID: 'raha',
      GOOGLE_CLIENT_SECRET: 'a secret of the tests, long enough',
      GOOGLE_ISSUER: issuer,
      GITHUB_CLIENT_ID: 'raha',
      GITHUB_CLIENT_SECRET: 'x',
      GITHUB_BASE_URL: hubUrl,
      GITHUB_API_URL: hubUrl,
    },
    origins: [issuer, hubUrl],
    asGoogle: async (account) => {
      await fetch(`${issuer}/control`, { method: 'POST', body: JSON.stringify(account) });
    },
    asGithub: (user, emails) => void Object.assign(hub, { user, emails }),
    close: async () => {
      await google.kill('SIGTERM');
      github.closeAllConnections();
      await new Promise((done) => github.close(done));
    },
  };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}
