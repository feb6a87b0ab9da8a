import type { AssertionOptions } from '@raha/contract/public/factors.ts';
import { type Executor, inTransaction } from '../../platform/database.ts';
import { sendEmail } from '../../platform/email.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getSetting } from '../../platform/settings.ts';
import { admitUser, getUser, lockUser } from '../accounts/users.ts';
import { listFactors } from '../factors/list-factors.ts';
import type { FactorDeps } from '../factors/notify-change.ts';
import { type ChallengeScope, offerPasskey } from '../factors/verify-passkey.ts';
import { brandName } from '../site/settings.ts';
import type { Device } from './device.ts';
import { secondStepFailingMail } from './mails.ts';
import { type PendingRow, selectPending, takePending } from './pending-tables.ts';
import { browserRequester } from './requester.ts';
import type { SignedIn, SignInDeps } from './sign-in.ts';
import { startSession } from './start-session.ts';
import { hashToken } from './tokens.ts';
import { type FactorProof, tryFactor } from './try-factor.ts';

type Deps = SignInDeps & FactorDeps;

/** What completes a pending sign-in. Refuses `second_step_expired`. */
export async function readSecondStep(deps: Deps, token: string | undefined) {
  const { user_id, expires_at } = await getPending(deps.db, token, deps.clock.now());
  const { passkeys, totp, recovery_codes_left } = await listFactors(deps.db, deps.publicUrl, user_id);
  return {
    totp: totp !== null,
    passkey: passkeys.length > 0,
    recovery_code: recovery_codes_left > 0,
    expires_at: expires_at.toISOString(),
  };
}

/** Options for completing a pending sign-in with a passkey of its user. Refuses `second_step_expired`. */
export async function offerSecondStepPasskey(deps: Deps, token: string | undefined): Promise<AssertionOptions> {
  const { user_id } = await getPending(deps.db, token, deps.clock.now());
  return await offerPasskey(deps, scopeOf(token, user_id));
}

/**
 * Completes a pending sign-in with any factor of its user. A wrong factor leaves it pending; wrong codes are counted by
 * requester (decision 0043), and the owner is mailed when they reach the limit: somebody passed the first step. Refuses `second_step_expired` and what `tryFactor` refuses.
 */
export async function completeSecondStep(
  deps: Deps,
  token: string | undefined,
  proof: FactorProof,
  device: Device,
): Promise<SignedIn> {
  const now = deps.clock.now();
  const pending = await getPending(deps.db, token, now);
  const user = await getUser(deps.db, pending.user_id);
  const requester = await browserRequester(deps.db, device, user.id);
  await tryFactor(deps, user, requester, proof, scopeOf(token, user.id), async (tx) => {
    const mail = secondStepFailingMail(await getSetting(tx, brandName), pending.method, now);
    await deps.jobs.send(tx, sendEmail, {
      to: user.email,
      ...mail,
      about: { kind: 'second_step_failing', userId: user.id },
    });
  });
  const outcome = await inTransaction(deps.db, async (tx) => {
    const locked = await lockUser(tx, user.id);
    // The password was changed or the sessions were ended meanwhile, or another tab was faster.
    if (!(await takePending(tx, hashToken(token ?? ''), now))) throw new Refusal('second_step_expired');
    const admitted = await admitUser(tx, locked);
    const session = { days: pending.session_days, method: pending.method, device };
    return { user: admitted, ...(await startSession(tx, deps, admitted, session, now)) };
  });
  const accessToken = await deps.tokens.issue({ userId: user.id, sessionId: outcome.sessionId });
  return { ...outcome, existed: true, accessToken };
}

async function getPending(db: Executor, token: string | undefined, now: Date): Promise<PendingRow> {
  const pending = token === undefined ? undefined : await selectPending(db, hashToken(token), now);
  if (!pending) throw new Refusal('second_step_expired');
  return pending;
}

function scopeOf(token: string | undefined, userId: string): ChallengeScope {
  return { purpose: 'second-step', requester: `pending:${hashToken(token ?? '').toString('hex')}`, userId };
}
