import { limits } from '@raha/contract/limits.ts';
import { inTransaction, readTogether } from '../../platform/database.ts';
import { hashPassword } from '../../platform/password-hash.ts';
import { Refusal } from '../../platform/refusal.ts';
import { admitUser, findByEmail, registerUser, type User, userWithPasswordForUpdate } from '../accounts/users.ts';
import { secondStep } from '../factors/second-step.ts';
import { openUserAccounts, toAccounts, type UserAccounts, userAccounts } from '../ledger/user-accounts.ts';
import type { Device } from './device.ts';
import { openSession, SecondStepNeeded } from './open-session.ts';
import { countRecent, forgottenFailures } from './password-tables.ts';
import { refuseWeak } from './refuse-weak.ts';
import { browserRequester } from './requester.ts';
import { bucketOf, passwordSessionDays, type Requester } from './rules.ts';
import { type SendCodeDeps, sendCode } from './send-code.ts';
import type { SignedIn, SignInDeps } from './sign-in.ts';
import { startSession } from './start-session.ts';
import { comparePassword } from './try-password.ts';

export type PasswordSignIn = { readonly accounts: UserAccounts | undefined } & (
  | ({ readonly kind: 'signed-in' } & SignedIn)
  /** The address is not verified yet: only a token for verifying it. */
  | { readonly kind: 'unverified'; readonly user: User; readonly temporaryToken: string }
);

/**
 * Signs in with a password. An unknown address and a wrong password give the same refusal (`login_failed`) after the
 * same work. After ten failures unknown requesters must wait (`login_throttled`), whether the address is known or not;
 * a browser that has signed in to the account before has its own ten. Throws `SecondStepNeeded` for a user with a second
 * step.
 */
export async function signInWithPassword(
  deps: SignInDeps,
  request: {
    email: string;
    password: string;
    rememberMe: boolean;
    device: Device;
    account: Awaited<ReturnType<typeof findByEmail>>;
    requester: Requester;
    /** Is told how many mistakes came before the right password. */
    forgive?: (mistakes: number) => void;
  },
): Promise<PasswordSignIn> {
  const now = deps.clock.now();
  const { email, account: found, requester } = request;
  const { fits } = await comparePassword(deps, email, found?.password_hash, request.password, requester);
  if (!found || !fits) throw new Refusal('login_failed');
  const { failures, accounts, outcome } = await inTransaction(deps.db, async (tx) => {
    const statements = [
      userWithPasswordForUpdate({ id: found.id }),
      forgottenFailures({ email, bucket: bucketOf(requester) }),
      secondStep({ userId: found.id }),
      userAccounts({ userIds: [found.id] }),
    ] as const;
    const [[locked], failures, [step], [account]] = await readTogether(tx, statements);
    const open = async () => {
      // The password was removed or changed while it was being checked.
      if (!locked || locked.password_hash !== found.password_hash) throw new Refusal('login_failed');
      if (!locked.email_verified_at) return { user: await admitUser(tx, locked), started: undefined };
      const days = passwordSessionDays(request.rememberMe);
      const session = { days, method: 'password' as const, device: request.device };
      return await openSession(tx, deps, locked, session, now, step?.exists === true);
    };
    return { failures, accounts: account && toAccounts(account), outcome: await open().catch(keepRefusal) };
  });
  request.forgive?.(countRecent(failures, now) - 1);
  if ('refusal' in outcome) throw outcome.refusal;
  if ('pendingToken' in outcome) throw new SecondStepNeeded(outcome.pendingToken);
  const { user, started } = outcome;
  if (!started) {
    const temporaryToken = await deps.tokens.issueTemporary({ userId: user.id, rememberMe: request.rememberMe });
    return { kind: 'unverified', user: { ...user, status: 'pending_verification' }, accounts, temporaryToken };
  }
  const accessToken = await deps.tokens.issue({ userId: user.id, sessionId: started.sessionId });
  return { kind: 'signed-in', user, accounts, existed: true, accessToken, ...started };
}

/** Thrown after the transaction was kept: the failures are forgotten all the same, because the password was right. */
function keepRefusal(error: unknown): { readonly refusal: Refusal } {
  if (error instanceof Refusal) return { refusal: error };
  throw error;
}

/**
 * Registers with a password and signs in for a day; the code for verifying the address is mailed. Refuses `email_taken`,
 * before anything is hashed.
 */
export async function registerWithPassword(
  deps: SignInDeps & SendCodeDeps,
  request: { email: string; name: string; password: string; device: Device },
): Promise<SignedIn> {
  refuseWeak(request.password, request.email);
  const now = deps.clock.now();
  const taken = new Refusal('email_taken', { fields: { email: 'email_taken' } });
  if (await findByEmail(deps.db, request.email)) throw taken;
  const passwordHash = await hashPassword(request.password);
  const outcome = await inTransaction(deps.db, async (tx) => {
    const user = await registerUser(tx, { email: request.email, name: request.name, passwordHash }, now);
    if (!user) throw taken;
    await openUserAccounts(tx, user.id, now);
    const session = { days: limits.session.passwordDays, method: 'password' as const, device: request.device };
    return { user, ...(await startSession(tx, deps, user, session, now)) };
  });
  const requester = await browserRequester(deps.db, request.device, outcome.user.id);
  const code = { email: request.email, purpose: 'verify-email', userId: outcome.user.id, requester } as const;
  await sendCode(deps, code).catch((error: unknown) => {
    // A code sent moments ago still works; the page offers to send another.
    if (!(error instanceof Refusal)) throw error;
  });
  const accessToken = await deps.tokens.issue({ userId: outcome.user.id, sessionId: outcome.sessionId });
  return { ...outcome, existed: false, accessToken };
}
