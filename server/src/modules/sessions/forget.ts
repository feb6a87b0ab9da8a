import { limits } from '@raha/contract/limits.ts';
import { addDays } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import type { User } from '../accounts/users.ts';
import { deleteAttempts, deleteFailures, deleteOldFailures, deleteResets } from './password-tables.ts';
import { deleteOldPending, deletePendingOf } from './pending-tables.ts';
import { deleteOldSubscriptions } from './push-tables.ts';
import { deleteIdentities } from './social-tables.ts';
import { deleteChallenges, deleteOldChallenges, deleteOldDevices, deleteOldSessions, deleteTraces } from './tables.ts';

/** Deletes codes, failures, sessions and browsers once they are old. */
export async function forgetOldSessions(db: Executor, now: Date): Promise<void> {
  const daysAgo = (days: number) => addDays(now, -days);
  await deleteOldChallenges(db, daysAgo(limits.keptDays.attempts));
  await deleteOldFailures(db, daysAgo(limits.keptDays.attempts));
  await deleteOldPending(db, now);
  await deleteOldSubscriptions(db, now);
  await deleteOldSessions(db, daysAgo(limits.keptDays.sessions));
  await deleteOldDevices(db, daysAgo(limits.keptDays.devices));
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
