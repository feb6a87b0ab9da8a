import type { PasskeyRegistration, RegistrationOptions } from '@raha/contract/public/factors.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getUser, type User } from '../accounts/users.ts';
import type { FactorDeps } from '../factors/notify-change.ts';
import { addPasskey, setPasskeySecondStep, startPasskey } from '../factors/passkeys.ts';
import { hasFactor } from '../factors/second-step.ts';
import { confirmTotp, startTotp } from '../factors/totp.ts';
import type { Device } from '../sessions/device.ts';
import type { PendingCaller } from './admit.ts';
import { requesterOf, startSession } from './sign-in.ts';

/** Setting up the first factor, while signing in for the first time. All refuse `staff_enrolled` and `staff_enrolment_over`. */

export interface Enrolled {
  readonly token: string;
  readonly recoveryCodes: string[] | null;
}

export async function startFirstPasskey(deps: FactorDeps, caller: PendingCaller): Promise<RegistrationOptions> {
  return await startPasskey(deps, await requireNew(deps, caller), requesterOf(caller));
}

/** The passkey is also the second step of the panel: the account of a member is worth as much as the console. */
export async function addFirstPasskey(
  deps: FactorDeps,
  caller: PendingCaller,
  given: { readonly name: string; readonly credential: PasskeyRegistration },
  device: Device,
): Promise<Enrolled> {
  const user = await requireNew(deps, caller);
  const { id } = await addPasskey(deps, user, { ...given, requester: requesterOf(caller) });
  const recoveryCodes = await setPasskeySecondStep(deps, user, id, true);
  return { token: await startSession(deps, caller, device), recoveryCodes };
}

export async function startFirstApp(
  deps: FactorDeps,
  caller: PendingCaller,
): Promise<{ readonly secret: string; readonly uri: string }> {
  return await startTotp(deps, await requireNew(deps, caller));
}

export async function confirmFirstApp(
  deps: FactorDeps,
  caller: PendingCaller,
  code: string,
  device: Device,
): Promise<Enrolled> {
  const recoveryCodes = await confirmTotp(deps, await requireNew(deps, caller), code);
  return { token: await startSession(deps, caller, device), recoveryCodes };
}

async function requireNew(deps: FactorDeps, { userId, enrolUntil }: PendingCaller): Promise<User> {
  if (await hasFactor(deps.db, userId)) throw new Refusal('staff_enrolled');
  if (enrolUntil < deps.clock.now()) throw new Refusal('staff_enrolment_over');
  return await getUser(deps.db, userId);
}
