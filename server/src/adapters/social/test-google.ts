import type { FastifyInstance } from 'fastify';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { digestOf, serveTestProvider, TEST_CLIENT, type TestProviderDeps } from './test-provider.ts';

/**
 * A local Google for machines without keys: discovery, code flow with PKCE and a signed ID token (OpenID Connect Core and
 * Discovery 1.0). Its page is clearly marked. Never mounted in production, unless DEMO is on.
 */
export const TEST_GOOGLE_PATH = '/dev/google';

export interface TestGoogleOptions extends TestProviderDeps {
  /** Where our server finds it, on this machine; also its name. */
  readonly issuer: () => string;
  /** Where browsers find it. */
  readonly pageUrl: () => string;
}

export async function testGoogle(app: FastifyInstance, options: TestGoogleOptions): Promise<void> {
  const { clock, issuer, pageUrl } = options;
  let made: ReturnType<typeof generateKeyPair> | undefined;
  const keys = () => {
    made ??= generateKeyPair('RS256');
    return made;
  };
  app.get('/.well-known/openid-configuration', async () => ({
    issuer: issuer(),
    authorization_endpoint: `${pageUrl()}/authorize`,
    token_endpoint: `${issuer()}/token`,
    jwks_uri: `${issuer()}/certs`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid', 'email', 'profile'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }));
  app.get('/certs', async () => {
    const { publicKey } = await keys();
    return { keys: [{ ...(await exportJWK(publicKey)), kid: 'test', use: 'sig', alg: 'RS256' }] };
  });
  const provider = serveTestProvider(app, options, { path: '/authorize', title: 'Google', issuer });
  app.post('/token', { config: { acceptsForms: true } }, async (request, reply) => {
    const fields = (request.body ?? {}) as Record<string, string>;
    reply.header('cache-control', 'no-store');
    if (fields.grant_type !== 'authorization_code') return reply.code(400).send({ error: 'unsupported_grant_type' });
    const grant = provider.redeem(fields);
    if (!grant) return reply.code(400).send({ error: 'invalid_grant' });
    const now = Math.floor(clock.now().getTime() / 1000);
    const { email, name, nonce } = grant;
    const idToken = await new SignJWT({ email, email_verified: true, name, ...(nonce ? { nonce } : {}) })
      .setProtectedHeader({ alg: 'RS256', kid: 'test', typ: 'JWT' })
      .setIssuer(issuer())
      .setAudience(TEST_CLIENT.clientId)
      .setSubject(`test-${digestOf(grant).toString('hex', 0, 12)}`)
      .setIssuedAt(now)
      .setExpirationTime(now + 3600)
      .sign((await keys()).privateKey);
    return reply.send({ access_token: 'of-no-use', token_type: 'Bearer', expires_in: 3600, id_token: idToken });
  });
}
