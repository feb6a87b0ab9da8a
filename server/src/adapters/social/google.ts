import { cleanEmail } from '@raha/contract/persian.ts';
import * as client from 'openid-client';
import type { SocialPort } from '../../modules/sessions/social.ts';

/**
 * Google, or any OpenID provider, by discovery. The library checks signature, issuer, audience, expiry, state and nonce
 * (OpenID Connect Core, section 3.1.3.7).
 */
export interface GoogleOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Absent: Google itself. */
  readonly issuer: (() => string) | undefined;
  /** Whether it is the built-in test provider. */
  readonly test: boolean;
}

const GOOGLE = 'https://accounts.google.com';

export function createGoogle(options: GoogleOptions): SocialPort {
  let discovered: Promise<client.Configuration> | undefined;
  const configuration = () => {
    const issuer = new URL(options.issuer?.() ?? GOOGLE);
    // Plain HTTP is for providers on this machine, in tests and workshops.
    const isHere = options.test || ['127.0.0.1', 'localhost'].includes(issuer.hostname);
    const insecure = issuer.protocol === 'http:' && isHere;
    discovered ??= client
      .discovery(issuer, options.clientId, options.clientSecret, undefined, {
        timeout: 10,
        // Without the first, the signature of an ID token that came over TLS from the provider is taken on trust.
        execute: [client.enableNonRepudiationChecks, ...(insecure ? [client.allowInsecureRequests] : [])],
      })
      .catch((error: unknown) => {
        discovered = undefined;
        throw error;
      });
    return discovered;
  };
  return {
    name: 'google',
    title: 'Google',
    test: options.test,
    async start(attempt) {
      return client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: attempt.redirectUri,
        scope: 'openid email profile',
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(attempt.codeVerifier),
        code_challenge_method: 'S256',
        access_type: 'offline',
        prompt: 'select_account',
      });
    },
    async finish(returned, attempt) {
      const tokens = await client.authorizationCodeGrant(await configuration(), returned, {
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        pkceCodeVerifier: attempt.codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new Error('no ID token');
      const email = typeof claims.email === 'string' ? cleanEmail(claims.email) : undefined;
      return {
        subject: claims.sub,
        email,
        emailVerified: claims.email_verified === true,
        // Google's advice: Google is authoritative for an address of Gmail or of a hosted domain.
        authoritative: Boolean(email?.endsWith('@gmail.com') || claims.hd),
        name: typeof claims.name === 'string' ? claims.name : '',
      };
    },
  };
}
