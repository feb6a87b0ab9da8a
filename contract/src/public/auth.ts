import * as z from 'zod/mini';
import { accountStatuses, roles } from '../accounts.ts';
import { defineEndpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { cleanCode, cleanEmail, cleanName } from '../persian.ts';
import { done, id, instant, toman } from '../shapes.ts';
import { service } from './service.ts';

export const email = z.pipe(
  z.pipe(z.string('required').check(z.minLength(1, 'required')), z.transform(cleanEmail)),
  z
    .string()
    .check(
      z.minLength(1, 'required'),
      z.maxLength(limits.email.max, 'too_long'),
      z.regex(
        /^[^\s\p{Cc}@<>"(),:;\\[\]]+@[^\s\p{Cc}@<>"(),:;\\[\]]+\.[^\s\p{Cc}@<>"(),:;\\[\].]{2,}$/u,
        'email_invalid',
      ),
    ),
);

/** Six digits; up to eight for browsers that the account does not know, while codes are being guessed on the site. */
export const verificationCode = code(/^\d{6,8}$/);

/** A code by text message. */
export const phoneCode = code(/^\d{6}$/);

function code(pattern: RegExp) {
  return z.pipe(
    z.pipe(z.string('code_incomplete').check(z.maxLength(64, 'code_incomplete')), z.transform(cleanCode)),
    z.string().check(z.regex(pattern, 'code_incomplete')),
  );
}

/** The token of a mailed link: address and code, sealed; the longest address makes about 420 characters. */
export const linkToken = z.string('invalid').check(z.minLength(1, 'invalid'), z.maxLength(600, 'invalid'));

/** How many digits the mailed code has, if not six: eight while codes are being guessed on the site. */
export const codeLength = z.optional(z.int());

export const fullName = z.pipe(
  z.pipe(z.string('name_required').check(z.maxLength(10_000, 'too_long')), z.transform(cleanName)),
  z
    .string()
    .check(
      z.minLength(1, 'name_required'),
      z.minLength(limits.name.min, 'name_too_short'),
      z.maxLength(limits.name.max, 'too_long'),
    ),
);

export const user = z.object({
  id,
  name: z.string(),
  fullName: z.string(),
  email: z.string(),
  phone: z.nullable(z.string()),
  avatar: z.nullable(z.string()),
  role: z.enum(roles),
  status: z.enum(accountStatuses),
  profileCompleted: z.boolean(),
  isEmailVerified: z.boolean(),
  /** Whether the account was activated with a gift card; activation is once and for ever. */
  isActivated: z.boolean(),
  /** False: inside the trial configs may be made and used without activation, as the operator has set it. */
  trialNeedsActivation: z.boolean(),
  hasActiveSubscription: z.boolean(),
  /** Wallet balance in toman. */
  balance: toman,
  /** Until when usage is free of charge; null without a trial. */
  trialEndsAt: z.nullable(instant),
  createdAt: instant,
  /** Whether the service is there; `/auth/me` says so. */
  service: z.optional(service),
});
export type User = z.output<typeof user>;

const signedIn = z.object({
  success: z.literal(true),
  /** False for a new user, who completes the profile next. */
  userExists: z.boolean(),
  /** Access token: a JWT of 15 minutes. */
  token: z.string(),
  user,
  message: z.optional(z.string()),
});

export const auth = {
  sendVerificationCode: defineEndpoint({
    method: 'POST',
    path: '/auth/send-verification-code',
    caller: 'public',
    summary: 'Mail a code to an address, known or unknown alike',
    body: z.strictObject({ email }),
    response: z.object({
      success: z.literal(true),
      /** Always null: whether an address has an account is said only after the code is verified. */
      userExists: z.null(),
      /** Seconds until another code may be asked for. */
      retry_after: z.int(),
      code_length: codeLength,
      message: z.string(),
    }),
  }),
  verifyCode: defineEndpoint({
    method: 'POST',
    path: '/auth/verify-code',
    caller: 'public',
    summary:
      'Prove an address by its code, or by the token of the mailed link; signs in and sets the session cookies. Both work only in the browser that asked',
    body: z.union([z.strictObject({ email, code: verificationCode }), z.strictObject({ token: linkToken })]),
    response: signedIn,
  }),
  completeProfile: defineEndpoint({
    method: 'POST',
    path: '/auth/complete-profile',
    caller: 'user',
    summary: 'Give the full name of a new account; starts the trial',
    body: z.strictObject({ name: fullName }),
    response: signedIn,
  }),
  completeRegistration: defineEndpoint({
    method: 'POST',
    path: '/auth/complete-registration',
    caller: 'public',
    summary: 'Prove an address and give the full name in one step',
    body: z.strictObject({ email, fullName, verificationCode }),
    response: signedIn,
  }),
  me: defineEndpoint({
    method: 'GET',
    path: '/auth/me',
    caller: 'user',
    summary: 'The signed-in user',
    response: z.object({ success: z.literal(true), user }),
  }),
  refresh: defineEndpoint({
    method: 'POST',
    path: '/auth/refresh',
    caller: 'refresh',
    summary: 'Exchange the refresh token (cookie, or body for clients without cookies) for a new pair',
    body: z.optional(z.strictObject({ refreshToken: z.optional(z.string().check(z.maxLength(200))) })),
    response: z.object({
      success: z.literal(true),
      token: z.string(),
      /** Only for callers that sent the refresh token in the body. */
      refreshToken: z.optional(z.string()),
      user,
    }),
  }),
  logout: defineEndpoint({
    method: 'POST',
    path: '/auth/logout',
    caller: 'refresh',
    summary: 'End this session and clear its cookies',
    response: done,
  }),
};
