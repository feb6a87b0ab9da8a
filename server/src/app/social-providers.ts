import type { FastifyInstance } from 'fastify';
import { createGithub } from '../adapters/social/github.ts';
import { createGoogle } from '../adapters/social/google.ts';
import { TEST_GITHUB_PATH, testGithub } from '../adapters/social/test-github.ts';
import { TEST_GOOGLE_PATH, testGoogle } from '../adapters/social/test-google.ts';
import { TEST_CLIENT } from '../adapters/social/test-provider.ts';
import type { SocialPort } from '../modules/sessions/social.ts';
import { redirectUriOf } from '../modules/sessions/social-routes.ts';
import type { Config } from '../platform/config.ts';
import type { Deps } from './deps.ts';

/**
 * The providers whose keys are set; the buttons of others are not shown. Without any key, the built-in test providers, if
 * simulators are allowed; real and test providers are never offered together.
 */
export function openSocialPorts(config: Config, address: { origin: string }, publicUrl: () => string): SocialPort[] {
  const real = openRealPorts(config);
  if (real.length > 0 || !config.simulatorsAllowed) return real;
  return [
    createGoogle({ ...TEST_CLIENT, issuer: () => `${address.origin}${TEST_GOOGLE_PATH}`, test: true }),
    createGithub({
      ...TEST_CLIENT,
      pageUrl: () => `${publicUrl()}${TEST_GITHUB_PATH}`,
      tokenUrl: () => `${address.origin}${TEST_GITHUB_PATH}`,
      apiUrl: () => `${address.origin}${TEST_GITHUB_PATH}`,
      test: true,
    }),
  ];
}

function openRealPorts({ google, github }: Config): SocialPort[] {
  const ports: SocialPort[] = [];
  if (google.clientId && google.clientSecret) {
    const { clientId, clientSecret, issuer } = google;
    ports.push(createGoogle({ clientId, clientSecret, issuer: issuer ? () => issuer : undefined, test: false }));
  }
  if (github.clientId && github.clientSecret) {
    const { clientId, clientSecret } = github;
    const pageUrl = () => github.baseUrl ?? 'https://github.com';
    const apiUrl = () => github.apiUrl ?? 'https://api.github.com';
    ports.push(createGithub({ clientId, clientSecret, pageUrl, tokenUrl: pageUrl, apiUrl, test: false }));
  }
  return ports;
}

/** Serves those test providers that are in use. */
export async function mountTestProviders(app: FastifyInstance, deps: Deps): Promise<void> {
  const { clock, socialPorts, address } = deps;
  const publicOrigin = new URL(deps.publicUrl).origin;
  if (socialPorts.get('google')?.test) {
    const redirectUri = () => redirectUriOf(deps, 'google');
    const issuer = () => `${address.origin}${TEST_GOOGLE_PATH}`;
    const pageUrl = () => `${deps.publicUrl}${TEST_GOOGLE_PATH}`;
    await app.register((scope) => testGoogle(scope, { clock, publicOrigin, redirectUri, issuer, pageUrl }), {
      prefix: TEST_GOOGLE_PATH,
    });
  }
  if (socialPorts.get('github')?.test) {
    const redirectUri = () => redirectUriOf(deps, 'github');
    await app.register((scope) => testGithub(scope, { clock, publicOrigin, redirectUri }), {
      prefix: TEST_GITHUB_PATH,
    });
  }
}
