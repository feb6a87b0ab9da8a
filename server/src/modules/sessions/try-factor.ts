import { limits } from '@raha/contract/limits.ts';
import type { PasskeyAssertion } from '@raha/contract/public/factors.ts';
import { addDays } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { User } from '../accounts/users.ts';
import type { FactorDeps } from '../factors/notify-change.ts';
import { useRecoveryCode } from '../factors/recovery-codes.ts';
import { useTotp } from '../factors/totp.ts';
import { type ChallengeScope, verifyPasskey } from '../factors/verify-passkey.ts';
import { countFailure, selectFailures } from './password-tables.ts';
import { bucketOf, type Requester, waitMinutes } from './rules.ts';
import { lockAddress } from './tables.ts';

export type FactorProof =
  | { readonly totp: string }
  | { readonly recovery_code: string }
  | { readonly credential: PasskeyAssertion };

/**
 * Takes one factor of a user as proof. Wrong codes are counted per requester as wrong passwords are, five in 15 minutes and
 * twenty a day: a code has six digits, and an attacker at this point knows the password or holds the session already. Passkeys
 * cannot be guessed and are not counted. Refuses `totp_wrong`, `recovery_code_wrong`, `factor_throttled`,
 * `passkey_refused` and `passkey_unavailable`.
 */
export async function tryFactor(
  deps: FactorDeps,
  user: User,
  requester: Requester,
  proof: FactorProof,
  scope: ChallengeScope,
  /** Called once a day at most, when failures reach the limit. */
  onFailing?: (tx: Tx) => Promise<void>,
): Promise<void> {
  if ('credential' in proof) {
    await verifyPasskey(deps, scope, proof.credential);
    return;
  }
  const now = deps.clock.now();
  const bucket = `factor ${bucketOf(requester)}`;
  const { failuresPerWindow, windowMinutes, failuresPerDay } = limits.factors;
  const refused = await inTransaction(deps.db, async (tx) => {
    // Serialises the attempts, so that no more than the allowed number are compared.
    await lockAddress(tx, user.email);
    const failures = await selectFailures(tx, user.email, bucket, addDays(now, -1));
    const minutes = Math.max(
      waitMinutes(failures, { allowed: failuresPerWindow, windowMinutes }, now) ?? 0,
      waitMinutes(failures, { allowed: failuresPerDay, windowMinutes: 1_440 }, now) ?? 0,
    );
    if (minutes > 0) {
      throw new Refusal('factor_throttled', { details: { minutes }, retryAfterSeconds: minutes * 60 });
    }
    if ('totp' in proof) {
      if (await useTotp(tx, deps, user.id, proof.totp)) return undefined;
    } else if (await useRecoveryCode(tx, deps, user, proof.recovery_code)) return undefined;
    // Counted although the call fails: the transaction commits, then the call refuses.
    await countFailure(tx, user.email, bucket, now);
    if (failures.length + 1 === failuresPerWindow) await onFailing?.(tx);
    return 'totp' in proof ? ('totp_wrong' as const) : ('recovery_code_wrong' as const);
  });
  if (refused) throw new Refusal(refused);
}
