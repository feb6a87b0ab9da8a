import { inTransaction } from '../../platform/database.ts';
import { type Actor, logAction } from '../accounts/actor.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { findByEmail, lockUser } from '../accounts/users.ts';
import { forgetFactors } from './forget.ts';
import { listFactors } from './list-factors.ts';
import { type FactorDeps, notifyChange } from './notify-change.ts';

/**
 * Removes all factors of an account whose owner lost them; password or code then sign in alone. The owner is notified and mailed.
 */
export async function removeFactors(
  deps: Omit<FactorDeps, 'vault'>,
  { actor, email }: { readonly actor: Actor; readonly email: string },
): Promise<void> {
  const userId = await inTransaction(deps.db, async (tx) => {
    const found = await findByEmail(tx, email);
    const user = found && (await lockUser(tx, found.id));
    const { passkeys, totp } = user ? await listFactors(tx, deps.publicUrl, user.id) : { passkeys: [], totp: null };
    if (!user || (passkeys.length === 0 && !totp)) {
      throw new OperatorMistake(
        'not-found',
        `No account with a passkey or an authenticator app has the address ${email}.`,
      );
    }
    await forgetFactors(tx, user.id);
    await notifyChange(tx, deps, user, 'removed_by_operator');
    return user.id;
  });
  logAction(deps, actor, 'accounts.remove-factors', { userId });
}
