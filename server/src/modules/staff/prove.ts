import type { AssertionOptions, PasskeyAssertion } from '@raha/contract/public/factors.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getUser } from '../accounts/users.ts';
import type { FactorDeps } from '../factors/notify-change.ts';
import { type ChallengeScope, offerPasskey } from '../factors/verify-passkey.ts';
import { tryFactor } from '../sessions/try-factor.ts';
import { provedUntil, type StaffCaller } from './admit.ts';
import { updateProved } from './session-tables.ts';

export async function offerProof(deps: FactorDeps, caller: StaffCaller): Promise<AssertionOptions> {
  return await offerPasskey(deps, scopeOf(caller));
}

/**
 * Shows a factor again, so that calls which need a fresh proof are let through for a while, in this session. Refuses what
 * `tryFactor` refuses.
 */
export async function prove(
  deps: FactorDeps,
  caller: StaffCaller,
  proof: { readonly totp: string } | { readonly credential: PasskeyAssertion },
): Promise<Date> {
  const user = await getUser(deps.db, caller.userId);
  await tryFactor(deps, user, { key: requesterOf(caller), isKnown: true }, proof, scopeOf(caller));
  const now = deps.clock.now();
  if (!(await updateProved(deps.db, caller.sessionId, now))) throw new Refusal('unauthenticated');
  return provedUntil(now);
}

function requesterOf({ sessionId }: StaffCaller): string {
  return `staff-session:${sessionId}`;
}

function scopeOf(caller: StaffCaller): ChallengeScope {
  return { purpose: 'confirm', requester: requesterOf(caller), userId: caller.userId };
}
