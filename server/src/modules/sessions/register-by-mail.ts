import { limits } from '@raha/contract/limits.ts';
import { panelPaths } from '@raha/contract/panel-paths.ts';
import type { User as UserView } from '@raha/contract/public/auth.ts';
import { inTransaction } from '../../platform/database.ts';
import { hashPassword } from '../../platform/password-hash.ts';
import { newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getSetting } from '../../platform/settings.ts';
import { trialRequiresActivation } from '../accounts/settings.ts';
import { findByEmail, getUser, markEmailVerified, registerUser } from '../accounts/users.ts';
import { openUserAccounts } from '../ledger/user-accounts.ts';
import type { Device } from './device.ts';
import { alreadyRegisteredMail } from './mails.ts';
import { refuseWeak } from './refuse-weak.ts';
import { browserRequester } from './requester.ts';
import { type SendCodeDeps, type SentCode, sendCode } from './send-code.ts';
import { consumeCode, type SignedIn, type SignInDeps } from './sign-in.ts';
import { startSession } from './start-session.ts';
import { lockAddress } from './tables.ts';
import type { Registration } from './tokens.ts';
import { type Proof, readProof } from './verify-email.ts';

type Deps = SignInDeps & SendCodeDeps;

export interface RegistrationByMail {
  readonly user: UserView;
  readonly temporaryToken: string;
  readonly sent: SentCode;
}

/**
 * Registers without saying whether the address is free: it is mailed a code, or, if it has an account, how to sign in. The
 * same work and the same answer for both. Nothing is created until the code comes back; the returned token carries the
 * registration, sealed. Refuses what `sendCode` refuses (decision 0050).
 */
export async function registerByMail(
  deps: Deps,
  request: { email: string; name: string; password: string; device: Device },
): Promise<RegistrationByMail> {
  const { email, name, password, device } = request;
  refuseWeak(password, email);
  const sent = await sendRegistrationCode(deps, email, device);
  const passwordHash = await hashPassword(password);
  const temporaryToken = await deps.tokens.issueRegistration({ email, name, passwordHash });
  return { user: await describeApplicant(deps, email, name), temporaryToken, sent };
}

/** The code of a registration, or to an address that has an account, how to sign in. Asked for again, the same once more. */
export async function sendRegistrationCode(deps: Deps, email: string, device: Device): Promise<SentCode> {
  const user = await findByEmail(deps.db, email);
  const requester = await browserRequester(deps.db, device, user?.id);
  const links = {
    signIn: deps.publicUrl + panelPaths.signIn,
    forgotten: deps.publicUrl + panelPaths.forgotPassword,
  };
  const mail = user && ((brand: string) => alreadyRegisteredMail(brand, links));
  return await sendCode(deps, { email, purpose: 'verify-email', userId: user?.id, requester, mail });
}

/**
 * Creates the account of a registration whose code came back to the browser that asked for it, and signs in for a day.
 * Refuses `code_invalid`, also if the address has an account by now, and `code_burnt`.
 */
export async function completeRegistration(
  deps: Deps,
  registration: Registration,
  proof: Proof,
  device: Device,
): Promise<SignedIn> {
  const now = deps.clock.now();
  const given = readProof(deps.vault, proof);
  if (given?.email !== registration.email) throw new Refusal('code_invalid');
  const outcome = await inTransaction(deps.db, async (tx) => {
    await lockAddress(tx, given.email);
    const { key: requester } = await browserRequester(tx, device, undefined);
    const refused = await consumeCode(tx, deps.vault, { ...given, purpose: 'verify-email', requester }, now);
    if (refused) return refused;
    const registered = await registerUser(tx, registration, now);
    if (!registered) return 'code_invalid' as const;
    await markEmailVerified(tx, deps.vault, registered.id, now);
    await openUserAccounts(tx, registered.id, now);
    const user = await getUser(tx, registered.id);
    const session = { days: limits.session.passwordDays, method: 'password' as const, device };
    return { user, ...(await startSession(tx, deps, user, session, now)) };
  });
  if (typeof outcome === 'string') throw new Refusal(outcome);
  const accessToken = await deps.tokens.issue({ userId: outcome.user.id, sessionId: outcome.sessionId });
  return { ...outcome, existed: false, accessToken };
}

/** The user that the registration would create, for the same answer whether or not there is one already. */
async function describeApplicant(deps: Deps, email: string, name: string): Promise<UserView> {
  const now = deps.clock.now();
  return {
    id: newId(now),
    name,
    fullName: name,
    email,
    phone: null,
    avatar: null,
    role: 'user',
    status: 'pending_verification',
    profileCompleted: true,
    isEmailVerified: false,
    isActivated: false,
    trialNeedsActivation: await getSetting(deps.db, trialRequiresActivation),
    hasActiveSubscription: false,
    balance: 0,
    trialEndsAt: null,
    createdAt: now.toISOString(),
  };
}
