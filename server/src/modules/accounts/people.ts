import { addDays } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { getSetting } from '../../platform/settings.ts';
import {
  insertUser,
  lockUser,
  lockUserByEmail,
  selectUser,
  type UserRow,
  updateActivated,
  updateEmailVerified,
  updateProfile,
} from './tables.ts';

/** A person with an account. Free usage ends at `trial_ends_at`; `activated_at` is set once and for ever. */
export type Person = UserRow;

export async function findPerson(db: Executor, id: string): Promise<Person | undefined> {
  return await selectUser(db, id);
}

export async function getPerson(db: Executor, id: string): Promise<Person> {
  const person = await selectUser(db, id);
  if (!person) throw new Error(`person ${id} does not exist`);
  return person;
}

/** Locks the row; the caller's transaction decides on what it reads. */
export async function lockPerson(tx: Tx, id: string): Promise<Person> {
  const person = await lockUser(tx, id);
  if (!person) throw new Error(`person ${id} does not exist`);
  return person;
}

/**
 * The person of an address that has just been proved, created when new (status `incomplete`). Race-proof: of two
 * sign-ups of one address one creates, the other finds.
 */
export async function findOrCreateByProvedEmail(
  tx: Tx,
  email: string,
  now: Date,
): Promise<{ person: Person; created: boolean }> {
  const known = await lockUserByEmail(tx, email);
  if (known) {
    if (!known.email_verified_at) await updateEmailVerified(tx, known.id, now);
    return { person: known, created: false };
  }
  const created = await insertUser(tx, { id: newId(now), email, name: '', role: 'user', status: 'incomplete' }, now);
  const person = await lockUserByEmail(tx, email);
  if (!person) throw new Error('the person just created is missing');
  return { person, created };
}

/** Gives the name, makes the account active and starts its one trial. */
export async function completePersonProfile(tx: Tx, person: Person, name: string, now: Date): Promise<Person> {
  const days = await getSetting(tx, 'trial.passwordlessDays');
  const trialEndsAt = person.trial_ends_at ?? (days > 0 ? addDays(now, days) : null);
  await updateProfile(tx, person.id, name, person.profile_completed ? null : trialEndsAt);
  return await getPerson(tx, person.id);
}

/** True when this call activated the account. */
export async function activatePerson(tx: Tx, id: string, now: Date): Promise<boolean> {
  return await updateActivated(tx, id, now);
}

export function isInTrial(person: Pick<Person, 'trial_ends_at'>, now: Date): boolean {
  return person.trial_ends_at !== null && person.trial_ends_at.getTime() > now.getTime();
}
