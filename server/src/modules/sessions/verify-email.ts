import { inTransaction } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { findByEmail, getUser, markEmailVerified, type User } from '../accounts/users.ts';
import type { Device } from './device.ts';
import { openSession, SecondStepNeeded } from './open-session.ts';
import { browserRequester } from './requester.ts';
import { passwordSessionDays } from './rules.ts';
import { readLinkToken, type SendCodeDeps, type SentCode, sendCode } from './send-code.ts';
import { consumeCode, type SignedIn, type SignInDeps } from './sign-in.ts';
import { lockAddress } from './tables.ts';

export type Proof = { readonly email: string; readonly code: string } | { readonly token: string };

/**
 * The user, authenticated by a session or by the temporary token of a log-in, which may have asked to be remembered.
 */
export interface Asker {
  readonly user: User;
  readonly isSession: boolean;
  readonly rememberMe: boolean;
}

/**
 * Verifies the address of the user's account: with a session (which continues) or with the temporary token of a log-in
 * (which becomes a session). Refuses `code_invalid` also for another user's address.
 */
export async function verifyEmail(
  deps: SignInDeps & SendCodeDeps,
  asker: Asker,
  proof: Proof,
  device: Device,
): Promise<{ readonly user: User; readonly session: SignedIn | undefined }> {
  const now = deps.clock.now();
  const given = readProof(deps.vault, proof);
  if (!given || given.email !== asker.user.email) throw new Refusal('code_invalid');
  const outcome = await inTransaction(deps.db, async (tx) => {
    await lockAddress(tx, given.email);
    const refused = await consumeCode(tx, deps.vault, { ...given, purpose: 'verify-email', requester: 'any' }, now);
    if (refused) return refused;
    await markEmailVerified(tx, deps.vault, asker.user.id, now);
    const event = { userId: asker.user.id, cause: now.toISOString(), data: {} };
    await deps.notifier.notify(tx, [{ ...event, kind: 'address_verified' }]);
    const user = await getUser(tx, asker.user.id);
    if (asker.isSession) return { user, started: undefined };
    const session = { days: passwordSessionDays(asker.rememberMe), method: 'password' as const, device };
    return await openSession(tx, deps, user, session, now);
  });
  if (typeof outcome === 'string') throw new Refusal(outcome);
  if ('pendingToken' in outcome) throw new SecondStepNeeded(outcome.pendingToken);
  const { user, started } = outcome;
  if (!started) return { user, session: undefined };
  const accessToken = await deps.tokens.issue({ userId: user.id, sessionId: started.sessionId });
  return { user, session: { ...started, user, existed: true, accessToken } };
}

/** The address and the code of a proof; undefined for a link that is not ours. */
export function readProof(vault: Vault, proof: Proof): { email: string; code: string } | undefined {
  return 'token' in proof ? readLinkToken(vault, 'verify-email', proof.token) : proof;
}

/** Mails the code again if an address is waiting for it; everybody gets the same answer after the same work. */
export async function resendVerification(deps: SendCodeDeps, email: string, device: Device): Promise<SentCode> {
  const user = await findByEmail(deps.db, email);
  const waits = user !== undefined && user.email_verified_at === null;
  const requester = await browserRequester(deps.db, device, user?.id);
  return await sendCode(deps, { email, purpose: 'verify-email', userId: user?.id, requester, isWanted: waits });
}
