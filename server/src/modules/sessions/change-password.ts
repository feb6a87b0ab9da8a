import { limits } from '@raha/contract/limits.ts';
import { panelPaths } from '@raha/contract/panel-paths.ts';
import { addSeconds, secondsBetween } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/database.ts';
import { sendEmail } from '../../platform/email.ts';
import { hashPassword } from '../../platform/password-hash.ts';
import { newSecret } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getSetting } from '../../platform/settings.ts';
import {
  findByEmail,
  getPasswordHash,
  getUser,
  lockUser,
  lockUserWithPassword,
  markEmailVerified,
  setPasswordHash,
  type User,
} from '../accounts/users.ts';
import { brandName } from '../site/settings.ts';
import { endSessions } from './end-sessions.ts';
import { forgottenPassword } from './jobs.ts';
import { passwordChangedMail, resetMail } from './mails.ts';
import { insertReset, isResetOpen, selectLastReset, takeReset } from './password-tables.ts';
import { refuseWeak } from './refuse-weak.ts';
import { sessionRequester } from './requester.ts';
import type { SendCodeDeps } from './send-code.ts';
import type { SignInDeps } from './sign-in.ts';
import { lockAddress, selectLiveSessions } from './tables.ts';
import { hashToken } from './tokens.ts';
import { tryPassword } from './try-password.ts';

type Deps = SignInDeps & SendCodeDeps;

/** Requests a password link. Looks nobody up: the same work, answer and time for every address. */
export async function forgotPassword(deps: Deps, email: string): Promise<void> {
  await inTransaction(deps.db, (tx) => deps.jobs.send(tx, forgottenPassword, { email }));
}

/**
 * The worker's part: mails a link if the address has an account. A link works once, for 15 minutes; at most one a
 * minute is sent.
 */
export async function mailResetLink(deps: Omit<Deps, 'tokens'>, email: string): Promise<void> {
  const now = deps.clock.now();
  const token = newSecret();
  await inTransaction(deps.db, async (tx) => {
    await lockAddress(tx, email);
    const found = await findByEmail(tx, email);
    if (!found) return;
    // Locked, because a deletion that commits meanwhile has already dropped the mails to this address.
    const user = await lockUser(tx, found.id);
    const last = await selectLastReset(tx, user.id);
    const isSoon = last && secondsBetween(last, now) < limits.verificationCode.resendAfterSeconds;
    if (isSoon || user.status === 'deleted' || user.email !== email) return;
    const expiresAt = addSeconds(now, limits.password.resetMinutes * 60);
    await insertReset(tx, { tokenHash: hashToken(token), userId: user.id, expiresAt }, now);
    const link = `${deps.publicUrl}${panelPaths.resetPassword}?token=${token}`;
    const mail = resetMail(await getSetting(tx, brandName), link);
    await deps.jobs.send(tx, sendEmail, { to: email, ...mail, about: { kind: 'password_link', userId: user.id } });
  });
}

/** Sets a new password with the token of a mailed link, which also proves the address. All sessions end. */
export async function resetPassword(deps: Deps, token: string, password: string): Promise<void> {
  const now = deps.clock.now();
  // Hashing is expensive, so the token is checked first; the transaction below consumes it.
  if (!(await isResetOpen(deps.db, hashToken(token), now))) throw new Refusal('reset_token_invalid');
  refuseWeak(password);
  const hash = await hashPassword(password);
  await inTransaction(deps.db, async (tx) => {
    const userId = await takeReset(tx, hashToken(token), now);
    if (!userId) throw new Refusal('reset_token_invalid');
    const user = await getUser(tx, userId);
    refuseWeak(password, user.email);
    await markEmailVerified(tx, deps.vault, userId, now);
    await replacePassword(tx, deps, user, hash, null, now);
  });
}

/**
 * Changes the password of a signed-in user. A user without a password sets the first one within minutes of a fresh
 * sign-in by code. The other sessions end. Refuses `password_wrong`, `login_throttled` and
 * `password_needs_fresh_sign_in`.
 */
export async function changePassword(
  deps: Deps,
  caller: { user: User; sessionId: string },
  request: { current: string | undefined; password: string },
): Promise<void> {
  const now = deps.clock.now();
  const stored = await getPasswordHash(deps.db, caller.user.id);
  refuseWeak(request.password, caller.user.email);
  if (stored === null) await refuseStaleSession(deps, caller, now);
  else if (
    !(await tryPassword(deps, caller.user.email, stored, request.current ?? '', sessionRequester(caller.sessionId)))
  ) {
    throw new Refusal('password_wrong', { fields: { current_password: 'password_wrong' } });
  }
  const hash = await hashPassword(request.password);
  await inTransaction(deps.db, async (tx) => {
    const user = await lockUserWithPassword(tx, caller.user.id);
    // A concurrent change has already ended this session; the old password must not undo it.
    if (user.password_hash !== stored) throw new Refusal('unauthenticated');
    await replacePassword(tx, deps, user, hash, caller.sessionId, now);
  });
}

async function replacePassword(
  tx: Tx,
  deps: Deps,
  user: User,
  hash: string,
  keepSession: string | null,
  now: Date,
): Promise<void> {
  await setPasswordHash(tx, user.id, hash);
  await endSessions(tx, deps, user.id, keepSession, 'the password was changed');
  const mail = passwordChangedMail(await getSetting(tx, brandName), now);
  await deps.jobs.send(tx, sendEmail, {
    to: user.email,
    ...mail,
    about: { kind: 'password_changed', userId: user.id },
  });
}

const FRESH_SECONDS = 600;

async function refuseStaleSession(deps: Deps, caller: { user: User; sessionId: string }, now: Date): Promise<void> {
  const session = (await selectLiveSessions(deps.db, caller.user.id, now)).find(({ id }) => id === caller.sessionId);
  if (!session || secondsBetween(session.created_at, now) > FRESH_SECONDS)
    throw new Refusal('password_needs_fresh_sign_in');
}
