import { addDays } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import type { User } from '../accounts/users.ts';
import { deleteAttempts, deleteFailures, deleteOldFailures, deleteResets } from './password-tables.ts';
import { deleteOldPending, deletePendingOf } from './pending-tables.ts';
import { deleteIdentities } from './social-tables.ts';
import { deleteChallenges, deleteOldSessions, deleteTraces } from './tables.ts';

/** Deletes codes and sessions that ended long ago. */
export async function forgetOldSessions(db: Executor, now: Date): Promise<void> {
  await deleteOldSessions(db, now);
  await deleteOldPending(db, now);
  await deleteOldFailures(db, addDays(now, -1));
}

/** Deletes everything with which a user signed in. */
export async function forgetUser(tx: Tx, user: User): Promise<void> {
  const emails = [user.email, ...(user.pending_email ? [user.pending_email] : [])];
  await deleteTraces(tx, user.id, emails);
  await deletePendingOf(tx, user.id);
  await deleteResets(tx, user.id);
  await deleteIdentities(tx, user.id);
  await deleteAttempts(tx, user.id, emails);
}

/** Deletes the codes and failures of an address that an account had before: later, nothing leads to it any more. */
export async function forgetAddress(tx: Tx, email: string): Promise<void> {
  await deleteChallenges(tx, [email]);
  await deleteFailures(tx, [email]);
}
