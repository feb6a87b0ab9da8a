import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { passwordStrength } from '../password.ts';
import { done } from '../shapes.ts';
import { codeLength, email, fullName, linkToken, user, verificationCode } from './auth.ts';

/** Any password as typed, to be compared: verbatim in NFC, never trimmed. */
export const enteredPassword = z
  .string('password_required')
  .check(z.minLength(1, 'password_required'), z.maxLength(limits.password.max, 'too_long'));

/** A password that is chosen: at least 8 characters and a strength of 75. */
export const chosenPassword = z.string('password_required').check(
  z.minLength(1, 'password_required'),
  z.minLength(limits.password.min, 'password_too_short'),
  z.maxLength(limits.password.max, 'too_long'),
  z.refine((value) => passwordStrength(value).score >= limits.password.strengthThreshold, 'password_too_weak'),
);

/** Registration as the form has it; the terms box is the form's own. */
export const registration = z
  .strictObject({
    name: fullName,
    email,
    password: chosenPassword,
    password_confirmation: z.string('password_confirmation'),
  })
  .check(
    z.refine((value) => value.password === value.password_confirmation, {
      error: 'password_confirmation',
      path: ['password_confirmation'],
    }),
  );

const session = z.object({
  success: z.literal(true),
  /** True: the address is to be verified first; only `temp_token` is given, good for `/verify-email` alone. */
  requires_verification: z.boolean(),
  /** 0.25 day. */
  temp_token: z.nullable(z.string()),
  token: z.nullable(z.string()),
  user,
  message: z.string(),
});

export const password = {
  login: defineEndpoint({
    method: 'POST',
    path: '/auth/login',
    caller: 'public',
    summary: 'Sign in with e-mail and password; 1 day, or 30 days with remember_me',
    body: z.strictObject({ email, password: enteredPassword, remember_me: z.optional(z.boolean()) }),
    response: session,
  }),
  register: defineEndpoint({
    method: 'POST',
    path: '/auth/register',
    caller: 'public',
    summary:
      'Register with a password; signs in at once and mails a code for the address. After many taken addresses from one network, the code comes first',
    status: 201,
    body: registration,
    response: z.extend(session, { code_length: codeLength }),
  }),
  commonPasswords: defineEndpoint({
    method: 'GET',
    path: '/auth/common-passwords/{prefix}',
    caller: 'public',
    summary:
      'The commonest passwords by the first 8 hexadecimal digits of their SHA-256, those beginning with these 3, so that a form checks a password without sending it',
    params: z.strictObject({ prefix: z.string().check(z.regex(/^[0-9a-f]{3}$/)) }),
    response: z.object({ success: z.literal(true), hashes: z.array(z.string()) }),
  }),
  forgotPassword: defineEndpoint({
    method: 'POST',
    path: '/auth/forgot-password',
    caller: 'public',
    summary: 'Mail a link for a new password; the same answer for every address',
    body: z.strictObject({ email }),
    response: done,
  }),
  resetPassword: defineEndpoint({
    method: 'POST',
    path: '/auth/reset-password',
    caller: 'public',
    summary: 'Choose a new password with the token of the link; ends every session',
    body: z.strictObject({
      token: z.string('invalid').check(z.minLength(1, 'invalid'), z.maxLength(200, 'invalid')),
      password: chosenPassword,
    }),
    response: done,
  }),
  verifyEmail: defineEndpoint({
    method: 'POST',
    path: '/auth/verify-email',
    caller: 'public',
    summary:
      'Prove the address of the signed-in account, or of the temp_token, by code or by the token of the mailed link',
    body: z.union([z.strictObject({ email, code: verificationCode }), z.strictObject({ token: linkToken })]),
    response: session,
  }),
  resendVerification: defineEndpoint({
    method: 'POST',
    path: '/auth/resend-verification',
    caller: 'public',
    summary: 'Mail the code for an address again; the same answer for every address',
    body: z.strictObject({ email }),
    response: z.object({
      success: z.literal(true),
      retry_after: z.int(),
      code_length: codeLength,
      message: z.string(),
    }),
  }),
  changePassword: defineEndpoint({
    method: 'PUT',
    path: '/auth/change-password',
    aliases: ['/user/password'],
    caller: 'user',
    summary: 'Change the password, or set a first one after a fresh code sign-in; ends the other sessions',
    body: z
      .strictObject({
        current_password: z.optional(enteredPassword),
        password: chosenPassword,
        password_confirmation: z.string('password_confirmation'),
      })
      .check(
        z.refine((value) => value.password === value.password_confirmation, {
          error: 'password_confirmation',
          path: ['password_confirmation'],
        }),
      ),
    response: done,
  }),
};
