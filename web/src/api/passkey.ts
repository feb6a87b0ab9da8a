import { ApiError } from '@raha/contract/client.ts';
import type {
  AssertionOptions,
  PasskeyAssertion,
  PasskeyRegistration,
  RegistrationOptions,
} from '@raha/contract/public/factors.ts';
import { m } from '../text/generated/messages.js';

/** Why there can be no passkeys here: browsers know none of sites at IP addresses, and old ones none at all. */
export function passkeyObstacle(): 'address' | 'browser' | undefined {
  if (/^[\d.]+$|^\[/.test(location.hostname) || !isSecureContext) return 'address';
  return 'PublicKeyCredential' in globalThis ? undefined : 'browser';
}

/** Throws `ApiError` with a sentence, as calls do: the forms show both alike. */
export async function createPasskey(options: RegistrationOptions): Promise<PasskeyRegistration> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  return (await startRegistration({ optionsJSON: options as never }).catch(fail)) as PasskeyRegistration;
}

/** Throws `ApiError` with a sentence, as calls do. */
export async function signWithPasskey(options: AssertionOptions): Promise<PasskeyAssertion> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  return (await startAuthentication({ optionsJSON: options as never }).catch(fail)) as PasskeyAssertion;
}

/** The names are those of WebAuthn, which say little on purpose: cancelled, timed out and refused are one. */
function fail(error: unknown): never {
  const name = error instanceof Error ? error.name : '';
  const isCancelled = name === 'NotAllowedError' || name === 'AbortError';
  const sentence = isCancelled
    ? m.passkey_cancelled()
    : name === 'InvalidStateError'
      ? m.passkey_known()
      : m.passkey_failed();
  throw new ApiError(0, 'unknown', sentence);
}
