import type { Actor, Audit } from '../../platform/audit.ts';
import { inTransaction } from '../../platform/database.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { findByEmail, lockUser } from '../accounts/users.ts';
import { forgetFactors } from './forget.ts';
import { listFactors } from './list-factors.ts';
import { type FactorDeps, notifyChange } from './notify-change.ts';

/**
 * Removes all factors of an account whose owner lost them; password or code then sign in alone. The owner is notified and mailed.
 */
export async function removeFactors(
  deps: Omit<FactorDeps, 'vault'> & { readonly audit: Audit },
  { actor, email }: { readonly actor: Actor; readonly email: string },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
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
    const target = { kind: 'user', id: user.id } as const;
    await deps.audit.record(tx, actor, { action: 'accounts.remove-factors', target });
  });
}
