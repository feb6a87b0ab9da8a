import type { Tx } from '../../platform/database.ts';
import { deleteSessionsOf } from './session-tables.ts';
import { updateDisabled } from './tables.ts';
import { deleteTokensOf } from './token-tables.ts';

/** A member who deletes the account works here no longer. */
export async function forgetMember(tx: Tx, userId: string, now: Date): Promise<void> {
  await updateDisabled(tx, userId, now);
  await deleteSessionsOf(tx, userId);
  await deleteTokensOf(tx, userId);
}
