import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { cleanName, foldDigits } from '../persian.ts';
import { done, id, idParams, instant, wrapped } from '../shapes.ts';
import { user, verificationCode } from './auth.ts';
import { enteredPassword } from './password.ts';

/**
 * Factors: passkeys (W3C Web Authentication, level 3), an authenticator app (TOTP, RFC 6238) and recovery codes. The JSON
 * of passkeys is that of `PublicKeyCredential.toJSON()` and `parseCreationOptionsFromJSON()`, of which only what the server
 * needs is kept.
 */

const base64url = (max: number) =>
  z.string('invalid').check(z.maxLength(max, 'invalid'), z.regex(/^[\w-]*$/, 'invalid'));
const credentialId = base64url(2_000);
const extensionResults = z.record(z.string(), z.unknown());
const attachment = z.optional(z.nullable(z.enum(['platform', 'cross-platform'])));

/** What `navigator.credentials.get()` answers. */
export const passkeyAssertion = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64url(4_000),
    authenticatorData: base64url(4_000),
    signature: base64url(4_000),
    userHandle: z.optional(z.nullable(base64url(200))),
  }),
  authenticatorAttachment: attachment,
  clientExtensionResults: extensionResults,
});
export type PasskeyAssertion = z.output<typeof passkeyAssertion>;

/** What `navigator.credentials.create()` answers. */
export const passkeyRegistration = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64url(4_000),
    attestationObject: base64url(20_000),
    transports: z.optional(z.array(z.string().check(z.maxLength(30))).check(z.maxLength(10))),
  }),
  authenticatorAttachment: attachment,
  clientExtensionResults: extensionResults,
});
export type PasskeyRegistration = z.output<typeof passkeyRegistration>;

const knownCredential = z.object({
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.optional(z.array(z.string())),
});

export const assertionOptions = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.int(),
  userVerification: z.literal('required'),
  /** Empty: any passkey of this site, chosen in the browser. */
  allowCredentials: z.array(knownCredential),
});
export type AssertionOptions = z.output<typeof assertionOptions>;

export const registrationOptions = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ alg: z.int(), type: z.literal('public-key') })),
  timeout: z.int(),
  attestation: z.literal('none'),
  excludeCredentials: z.array(knownCredential),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.boolean(),
    userVerification: z.literal('required'),
  }),
});
export type RegistrationOptions = z.output<typeof registrationOptions>;

/** A recovery code as typed or pasted: case, spaces and hyphens do not count, and letters that look like digits are digits. */
export const recoveryCode = z.pipe(
  z.pipe(
    z.string('required').check(z.maxLength(64, 'recovery_code_form')),
    z.transform((text) =>
      foldDigits(text)
        .toLowerCase()
        .replace(/[\s_–-]/g, '')
        .replace(/o/g, '0')
        .replace(/[il]/g, '1'),
    ),
  ),
  z.string().check(z.regex(/^[0-9a-hjkmnp-tv-z]{10}$/, 'recovery_code_form')),
);

export const passkeyName = z.pipe(
  z.pipe(z.string('required').check(z.maxLength(10_000, 'too_long')), z.transform(cleanName)),
  z.string().check(z.minLength(1, 'required'), z.maxLength(limits.factors.nameMax, 'too_long')),
);

/**
 * Confirms that the caller is the owner: the password (for an account without one, a code mailed to its address), or a
 * factor instead: a code of the authenticator app, or a passkey.
 */
export const ownerProof = {
  password: z.optional(enteredPassword),
  code: z.optional(verificationCode),
  totp: z.optional(verificationCode),
  passkey: z.optional(passkeyAssertion),
};

export const passkey = z.object({
  id,
  name: z.string(),
  created_at: instant,
  last_used_at: z.nullable(instant),
  /** Whether signing in by password or code also asks for a factor because of this passkey. */
  second_step: z.boolean(),
  /** Whether the passkey is synchronised between devices, as its provider says. */
  backed_up: z.boolean(),
});
export type Passkey = z.output<typeof passkey>;

export const factorList = z.object({
  passkeys: z.array(passkey),
  /** The authenticator app; null if none is set up. */
  totp: z.nullable(z.object({ created_at: instant, last_used_at: z.nullable(instant) })),
  /** Unused recovery codes. */
  recovery_codes_left: z.int(),
  /** The host name at which passkeys work; null if the site's address allows none (an IP address). */
  passkey_host: z.nullable(z.string()),
});
export type FactorList = z.output<typeof factorList>;

/** Recovery codes in clear, returned only when they are made; null if the account has codes already. */
const newCodes = wrapped(z.object({ recovery_codes: z.nullable(z.array(z.string())) }));

/** A signed-in user's own factors. */
export const factors = {
  listFactors: defineEndpoint({
    method: 'GET',
    path: '/user/factors',
    caller: 'user',
    summary: 'The passkeys, authenticator app and recovery codes of the account, without their secrets',
    response: wrapped(factorList),
  }),
  startConfirmationByPasskey: defineEndpoint({
    method: 'POST',
    path: '/user/confirmation/passkey',
    caller: 'user',
    summary: 'Options for confirming with one of the account’s passkeys; valid once, in this session',
    response: wrapped(z.object({ options: assertionOptions })),
  }),
  startPasskey: defineEndpoint({
    method: 'POST',
    path: '/user/passkeys/options',
    caller: 'user',
    summary: 'Options for creating a passkey, after the owner has confirmed',
    body: z.strictObject(ownerProof),
    response: wrapped(z.object({ options: registrationOptions })),
  }),
  addPasskey: defineEndpoint({
    method: 'POST',
    path: '/user/passkeys',
    caller: 'user',
    summary: 'Add the passkey that was created with the options of this session',
    status: 201,
    body: z.strictObject({ name: passkeyName, credential: passkeyRegistration }),
    response: wrapped(z.object({ passkey })),
  }),
  renamePasskey: defineEndpoint({
    method: 'PUT',
    path: '/user/passkeys/{id}',
    caller: 'user',
    summary: 'Rename a passkey',
    params: idParams,
    body: z.strictObject({ name: passkeyName }),
    response: wrapped(z.object({ passkey })),
  }),
  setPasskeySecondStep: defineEndpoint({
    method: 'PUT',
    path: '/user/passkeys/{id}/second-step',
    caller: 'user',
    summary: 'Choose whether signing in by password or code asks for a factor because of this passkey',
    params: idParams,
    body: z.strictObject({ enabled: z.boolean('invalid'), ...ownerProof }),
    response: newCodes,
  }),
  removePasskey: defineEndpoint({
    method: 'DELETE',
    path: '/user/passkeys/{id}',
    caller: 'user',
    summary: 'Remove a passkey, after the owner has confirmed',
    params: idParams,
    body: z.strictObject(ownerProof),
    response: done,
  }),
  startTotp: defineEndpoint({
    method: 'POST',
    path: '/user/totp',
    caller: 'user',
    summary:
      'Make the secret of an authenticator app, after the owner has confirmed; it counts once a code was entered',
    body: z.strictObject(ownerProof),
    response: wrapped(z.object({ secret: z.string(), uri: z.string() })),
  }),
  confirmTotp: defineEndpoint({
    method: 'POST',
    path: '/user/totp/confirm',
    caller: 'user',
    summary: 'Finish setting up the authenticator app with its first code; signing in asks for one from then on',
    body: z.strictObject({ code: verificationCode }),
    response: newCodes,
  }),
  removeTotp: defineEndpoint({
    method: 'DELETE',
    path: '/user/totp',
    caller: 'user',
    summary: 'Remove the authenticator app, after the owner has confirmed',
    body: z.strictObject(ownerProof),
    response: done,
  }),
  renewRecoveryCodes: defineEndpoint({
    method: 'POST',
    path: '/user/recovery-codes',
    caller: 'user',
    summary: 'Make ten new recovery codes, after the owner has confirmed; the earlier ones stop working',
    body: z.strictObject(ownerProof),
    response: newCodes,
  }),
};

const signedIn = z.object({ success: z.literal(true), token: z.string(), user, message: z.string() });

/**
 * Signing in with factors. A call that refuses with `second_step_required` has set an HttpOnly cookie, which names the
 * pending sign-in for the calls below `/auth/second-step`.
 */
export const factorSignIn = {
  startPasskeySignIn: defineEndpoint({
    method: 'POST',
    path: '/auth/passkey/options',
    caller: 'public',
    summary: 'Options for signing in with a passkey alone; valid once, in this browser',
    response: wrapped(z.object({ options: assertionOptions })),
  }),
  signInWithPasskey: defineEndpoint({
    method: 'POST',
    path: '/auth/passkey',
    caller: 'public',
    summary: 'Sign in with a passkey that verified its user; no password, code or second step is asked for',
    body: z.strictObject({ credential: passkeyAssertion }),
    response: signedIn,
  }),
  getSecondStep: defineEndpoint({
    method: 'GET',
    path: '/auth/second-step',
    caller: 'public',
    summary: 'What completes the pending sign-in of this browser',
    response: wrapped(
      z.object({ totp: z.boolean(), passkey: z.boolean(), recovery_code: z.boolean(), expires_at: instant }),
    ),
  }),
  startSecondStepPasskey: defineEndpoint({
    method: 'POST',
    path: '/auth/second-step/passkey',
    caller: 'public',
    summary: 'Options for completing the pending sign-in with one of the account’s passkeys',
    response: wrapped(z.object({ options: assertionOptions })),
  }),
  completeSecondStep: defineEndpoint({
    method: 'POST',
    path: '/auth/second-step',
    caller: 'public',
    summary: 'Complete the pending sign-in of this browser with one factor',
    body: z.union([
      z.strictObject({ totp: verificationCode }),
      z.strictObject({ recovery_code: recoveryCode }),
      z.strictObject({ credential: passkeyAssertion }),
    ]),
    response: signedIn,
  }),
};
