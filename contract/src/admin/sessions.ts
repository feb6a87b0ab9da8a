import * as z from 'zod/mini';
import { email, verificationCode } from '../public/auth.ts';
import {
  assertionOptions,
  passkeyAssertion,
  passkeyName,
  passkeyRegistration,
  recoveryCode,
  registrationOptions,
} from '../public/factors.ts';
import { done, id, instant, wrapped } from '../shapes.ts';
import { defineAdminEndpoint } from './endpoint.ts';
import { permissions, staffRoles } from './roles.ts';

/**
 * Signing in to the console: a code to the member’s address, then a factor, or setting up the first one. The session
 * is an HttpOnly cookie of these calls. A call that changes something also sends the header `x-raha-console: 1`.
 */

/** What completes a sign-in. `enrol`: nothing yet, so the first factor is set up now. */
export const staffSignIn = z.object({
  totp: z.boolean(),
  passkey: z.boolean(),
  recovery_code: z.boolean(),
  enrol: z.boolean(),
  /** Whether passkeys work at the address of this site. */
  passkeys_work: z.boolean(),
  expires_at: instant,
});
export type StaffSignIn = z.output<typeof staffSignIn>;

export const staffSelf = z.object({
  id,
  email: z.string(),
  role: z.enum(staffRoles),
  permissions: z.array(z.enum(permissions)),
  /** Until when the factor shown last counts as a fresh proof. */
  proved_until: instant,
  expires_at: instant,
});
export type StaffSelf = z.output<typeof staffSelf>;

/** Recovery codes in clear, returned only when they are made; null if the account has codes already. */
const enrolled = wrapped(z.object({ recovery_codes: z.nullable(z.array(z.string())) }));

export const staffSessions = {
  sendStaffCode: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/sign-in/code',
    caller: 'visitor',
    summary: 'Mail a code to a member of staff; the answer is the same for every address',
    body: z.strictObject({ email }),
    response: z.object({ success: z.literal(true), retry_after: z.int(), code_length: z.int() }),
  }),
  enterStaffCode: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/sign-in',
    caller: 'visitor',
    summary: 'Enter the mailed code; a factor completes the sign-in',
    body: z.strictObject({ email, code: verificationCode }),
    response: wrapped(staffSignIn),
  }),
  getStaffSignIn: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/sign-in',
    caller: 'pending',
    summary: 'What completes the sign-in of this browser',
    response: wrapped(staffSignIn),
  }),
  startStaffPasskey: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/sign-in/passkey',
    caller: 'pending',
    summary: 'Options for completing the sign-in with a passkey',
    response: wrapped(z.object({ options: assertionOptions })),
  }),
  completeStaffSignIn: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/sign-in/factor',
    caller: 'pending',
    summary: 'Complete the sign-in with one factor',
    body: z.union([
      z.strictObject({ totp: verificationCode }),
      z.strictObject({ recovery_code: recoveryCode }),
      z.strictObject({ credential: passkeyAssertion }),
    ]),
    response: done,
  }),
  startFirstPasskey: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/sign-in/first-passkey/options',
    caller: 'pending',
    summary: 'Options for creating the first factor as a passkey',
    response: wrapped(z.object({ options: registrationOptions })),
  }),
  addFirstPasskey: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/sign-in/first-passkey',
    caller: 'pending',
    summary: 'Add the created passkey as the first factor, and sign in',
    status: 201,
    body: z.strictObject({ name: passkeyName, credential: passkeyRegistration }),
    response: enrolled,
  }),
  startFirstApp: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/sign-in/first-app',
    caller: 'pending',
    summary: 'Make the secret of an authenticator app as the first factor',
    response: wrapped(z.object({ secret: z.string(), uri: z.string() })),
  }),
  confirmFirstApp: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/sign-in/first-app/confirm',
    caller: 'pending',
    summary: 'Finish setting up the authenticator app with its first code, and sign in',
    body: z.strictObject({ code: verificationCode }),
    response: enrolled,
  }),
  getStaffSelf: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/me',
    caller: 'self',
    summary: 'Who is signed in, with which role and permissions, and until when',
    response: wrapped(staffSelf),
  }),
  listStaffSessions: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/me/sessions',
    caller: 'self',
    summary: 'The own sessions of the console that are open, newest first',
    response: wrapped(
      z.object({
        sessions: z.array(z.object({ id, created_at: instant, last_used_at: instant, is_this: z.boolean() })),
      }),
    ),
  }),
  endOtherStaffSessions: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/me/sessions/end-others',
    caller: 'self',
    summary: 'End the own sessions of the console but this one',
    response: done,
  }),
  startStaffProof: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/proof/passkey',
    caller: 'self',
    summary: 'Options for a fresh proof by passkey',
    response: wrapped(z.object({ options: assertionOptions })),
  }),
  proveStaff: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/proof',
    caller: 'self',
    summary: 'Show a factor again; calls that need a fresh proof work for some minutes',
    body: z.union([z.strictObject({ totp: verificationCode }), z.strictObject({ credential: passkeyAssertion })]),
    response: wrapped(z.object({ proved_until: instant })),
  }),
  signOutStaff: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/sign-out',
    caller: 'self',
    summary: 'End this session',
    response: done,
  }),
};
