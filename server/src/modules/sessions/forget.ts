import { addDays } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import type { Person } from '../accounts/people.ts';
import { deleteAttempts, deleteOldFailures, deleteResets } from './password-tables.ts';
import { deleteIdentities } from './social-tables.ts';
import { deleteOldSessions, deleteTraces } from './tables.ts';

/** Forgets codes and sessions that are long over. */
export async function forgetOldSessions(db: Executor, now: Date): Promise<void> {
  await deleteOldSessions(db, now);
  await deleteOldFailures(db, addDays(now, -1));
}

/** Forgets everything by which somebody signed in. */
export async function forgetPerson(tx: Tx, person: Person): Promise<void> {
  const emails = [person.email, ...(person.pending_email ? [person.pending_email] : [])];
  await deleteTraces(tx, person.id, emails);
  await deleteResets(tx, person.id);
  await deleteIdentities(tx, person.id);
  await deleteAttempts(tx, [person.id, ...emails]);
}
