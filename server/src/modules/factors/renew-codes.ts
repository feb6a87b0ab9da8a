import { inTransaction } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { lockRemaining, type User } from '../accounts/users.ts';
import { type FactorDeps, notifyChange } from './notify-change.ts';
import { makeRecoveryCodes } from './recovery-codes.ts';
import { hasSecondStep } from './second-step.ts';

/** Replaces the recovery codes. Refuses `recovery_codes_unused` for an account without a second step. */
export async function renewRecoveryCodes(deps: FactorDeps, user: User): Promise<string[]> {
  return await inTransaction(deps.db, async (tx) => {
    await lockRemaining(tx, user.id);
    if (!(await hasSecondStep(tx, user.id))) throw new Refusal('recovery_codes_unused');
    await notifyChange(tx, deps, user, 'recovery_codes_made');
    return await makeRecoveryCodes(tx, deps, user.id);
  });
}
