import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  createShortMemory,
  digestOf,
  serveTestProvider,
  type TestAccount,
  type TestProviderDeps,
} from './test-provider.ts';

/**
 * A local GitHub for machines without keys: the calls that we make of it, with its habit of telling errors as HTTP 200. Its
 * page is clearly marked. Never mounted in production, unless DEMO is on.
 */
export const TEST_GITHUB_PATH = '/dev/github';

export async function testGithub(app: FastifyInstance, deps: TestProviderDeps): Promise<void> {
  const tokens = createShortMemory<TestAccount>(deps.clock);
  const provider = serveTestProvider(app, deps, { path: '/login/oauth/authorize', title: 'GitHub' });
  app.post('/login/oauth/access_token', { config: { acceptsForms: true } }, async (request) => {
    const grant = provider.redeem((request.body ?? {}) as Record<string, string>);
    if (!grant) return { error: 'bad_verification_code', error_description: 'The code is incorrect or expired.' };
    return { access_token: tokens.keep(grant), token_type: 'bearer', scope: 'user:email' };
  });
  app.get('/user', async (request, reply) => {
    const account = tokens.find(tokenOf(request));
    if (!account) return reply.code(401).send({ message: 'Bad credentials' });
    const [login] = account.email.split('@');
    // Above the ids that GitHub has given out, so that no real account is ever taken for this one.
    const id = 2 ** 48 + digestOf(account).readUIntBE(0, 5);
    return { id, login, name: account.name };
  });
  app.get('/user/emails', async (request, reply) => {
    const account = tokens.find(tokenOf(request));
    if (!account) return reply.code(401).send({ message: 'Bad credentials' });
    return [{ email: account.email, primary: true, verified: true, visibility: null }];
  });
}

function tokenOf(request: FastifyRequest): string {
  return (request.headers.authorization ?? '').replace(/^Bearer /i, '');
}
