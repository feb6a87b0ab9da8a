import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { user } from './auth.ts';

export const socialProviders = ['google', 'github'] as const;
export type SocialProvider = (typeof socialProviders)[number];

export const social = {
  listSocialProviders: defineEndpoint({
    method: 'GET',
    path: '/auth/social',
    caller: 'public',
    summary: 'The providers that are set up; buttons of others are not shown',
    response: z.object({
      success: z.literal(true),
      data: z.object({
        providers: z.array(z.enum(socialProviders)),
        /** Whether they are the built-in test providers, which ask nobody who they are. */
        test: z.boolean(),
      }),
    }),
  }),
  startSocial: defineEndpoint({
    method: 'GET',
    path: '/auth/social/{provider}',
    caller: 'public',
    summary: 'Send the browser to the provider (code flow with PKCE, state and nonce)',
    params: z.object({ provider: z.enum(socialProviders) }),
    query: z.object({
      /** The page's own random value, kept in session storage and compared when the browser comes back. */
      state: z.optional(z.string().check(z.regex(/^[A-Za-z0-9_-]{16,128}$/))),
    }),
    produces: 'text/html',
  }),
  googleOauth: defineEndpoint({
    method: 'POST',
    path: '/auth/google-oauth',
    caller: 'public',
    summary: 'Exchange the code that Google gave the page; the browser must be the one that was sent away',
    body: z.strictObject({
      code: z.string().check(z.minLength(1), z.maxLength(2000)),
      redirectUri: z.string().check(z.maxLength(2000)),
      state: z.optional(z.string().check(z.maxLength(128))),
      /** The issuer, where the provider names itself in its answer (RFC 9207). */
      iss: z.optional(z.string().check(z.maxLength(2000))),
    }),
    response: z.object({
      success: z.literal(true),
      token: z.string(),
      user,
      new_user: z.boolean(),
      message: z.string(),
    }),
  }),
  /** Where GitHub sends the browser back; ends at `/auth/callback?success=true` or `?error=…`, never with a token. */
  socialReturn: defineEndpoint({
    method: 'GET',
    path: '/auth/social/{provider}/callback',
    caller: 'callback',
    summary: 'Return from the provider; sets the session cookies and redirects',
    params: z.object({ provider: z.enum(socialProviders) }),
    produces: 'text/html',
  }),
};
