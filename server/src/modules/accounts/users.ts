import type { Role } from '@raha/contract/accounts.ts';
import type { RawBuilder } from 'kysely';
import { type Executor, readRows, type Tx } from '../../platform/database.ts';
import { firstIdOf, newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { getSetting } from '../../platform/settings.ts';
import { removePicture } from './pictures.ts';
import { deletePreference } from './preference-tables.ts';
import { type PeopleQuery, selectFitting, selectIdsBetween, selectPeople } from './search-tables.ts';
import { forgetService } from './service.ts';
import { returnBySignIn, trialPasswordDays, trialPasswordlessDays, trialRequiresActivation } from './settings.ts';
import {
  idsBefore,
  insertUser,
  isPhoneOfAnother,
  remainingUser,
  selectDeletedBefore,
  selectPasswordHash,
  selectUser,
  selectUserByEmailForUpdate,
  selectUserForUpdate,
  selectUsers,
  type UserRow,
  updateActivated,
  updateDisowned,
  updateEmail,
  updateEmailVerified,
  updateErased,
  updateName,
  updatePasswordHash,
  updatePendingEmail,
  updatePhone,
  updateProfile,
  updateRole,
  updateStatus,
  userAndTrialRows,
  userRows,
  userWithPassword,
  userWithPasswordForUpdate,
} from './tables.ts';
import { claimTrial, disownMarks, forgetTrial, markTrial, startTrial } from './trial.ts';

export { type PeopleQuery, remainingUser, userAndTrialRows, userRows, userWithPassword, userWithPasswordForUpdate };

/** A user with an account. Free usage ends at `trial_ends_at`; `activated_at` is set once and never cleared. */
export type User = UserRow;

export async function findUser(db: Executor, id: string): Promise<User | undefined> {
  return await selectUser(db, id);
}

export async function getUser(db: Executor, id: string): Promise<User> {
  const user = await selectUser(db, id);
  if (!user) throw new Error(`user ${id} does not exist`);
  return user;
}

export async function getUsers(db: Executor, ids: readonly string[]): Promise<Map<string, User>> {
  return new Map((await selectUsers(db, ids)).map((user) => [user.id, user]));
}

/** For staff: users by a part of their address or phone number, newest first. */
export const listPeople = selectPeople;
/** For staff: ids of users in a state, or among some. */
export const listFitting = selectFitting;
/** For staff: users whose ids lie between two, which is how the beginning of an id is found. */
export const listUserIdsBetween = selectIdsBetween;

/** Locks the row, so that what it says stays true until the transaction ends. */
export async function lockUser(tx: Tx, id: string): Promise<User> {
  const user = await selectUserForUpdate(tx, id);
  if (!user) throw new Error(`user ${id} does not exist`);
  return user;
}

/** The same, with the password hash. */
export async function lockUserWithPassword(tx: Tx, id: string): Promise<User & { password_hash: string | null }> {
  const [user] = await readRows(tx, userWithPasswordForUpdate({ id }));
  if (!user) throw new Error(`user ${id} does not exist`);
  return user;
}

/** Locks a user before a change to the account. Refuses `unauthenticated` when it was erased meanwhile. */
export async function lockRemaining(tx: Tx, id: string): Promise<User> {
  const user = await lockUser(tx, id);
  if (user.status === 'deleted') throw new Refusal('unauthenticated');
  return user;
}

/**
 * The user of an address that has just been verified, created if new (status `incomplete`). Safe against races: of two
 * concurrent sign-ups of one address, one creates the user and the other finds it. `disowned`: the address was registered
 * with a password but never verified; password and name are cleared, and the caller ends the sessions.
 */
export async function findOrCreateByProvedEmail(
  tx: Tx,
  email: string,
  now: Date,
): Promise<{ user: User; created: boolean; disowned: boolean }> {
  const known = await selectUserByEmailForUpdate(tx, email);
  if (known) {
    if (known.email_verified_at) return { user: known, created: false, disowned: false };
    await updateDisowned(tx, known.id, now);
    await forgetTrial(tx, known.id);
    await removePicture(tx, known.id);
    await deletePreference(tx, known.id);
    return { user: await getUser(tx, known.id), created: false, disowned: true };
  }
  const created = await insertUser(
    tx,
    { id: newId(now), email, name: '', role: 'user', status: 'incomplete', verifiedAt: now },
    now,
  );
  const user = await selectUserByEmailForUpdate(tx, email);
  if (!user) throw new Error('the user just created is missing');
  return { user, created, disowned: false };
}

/**
 * A user who registers with a password: active at once, the address unverified, the trial started. Whether the mailbox had
 * a trial before is decided when it is verified: before that the answer would reveal accounts to strangers.
 */
export async function registerUser(
  tx: Tx,
  registration: { email: string; name: string; passwordHash: string },
  now: Date,
): Promise<User | undefined> {
  const id = newId(now);
  const { email, name, passwordHash } = registration;
  if (!(await insertUser(tx, { id, email, name, role: 'user', status: 'active', verifiedAt: null }, now)))
    return undefined;
  await updateProfile(tx, id, name, await startTrial(tx, id, trialPasswordDays, now));
  await updatePasswordHash(tx, id, passwordHash);
  return await getUser(tx, id);
}

/** The user of an address, with the password hash, for signing in. */
export async function findByEmail(
  db: Executor,
  email: string,
): Promise<(User & { password_hash: string | null }) | undefined> {
  return (await readRows(db, userWithPassword({ email })))[0];
}

export async function getPasswordHash(db: Executor, id: string): Promise<string | null> {
  return await selectPasswordHash(db, id);
}

export async function setPasswordHash(tx: Tx, id: string, hash: string): Promise<void> {
  await updatePasswordHash(tx, id, hash);
}

/** The address is verified: if its mailbox had a trial before, the one of this account ends. */
export async function markEmailVerified(tx: Tx, vault: Vault, id: string, now: Date): Promise<void> {
  await updateEmailVerified(tx, id, now);
  await claimTrial(tx, vault, await getUser(tx, id), now);
}

/**
 * The account of somebody who will work here, locked; opened if the address has none. Its owner proves the address when they
 * sign in, as everybody does.
 */
export async function findOrOpenAccount(
  tx: Tx,
  { email, name }: { readonly email: string; readonly name: string },
  now: Date,
): Promise<{ readonly user: User; readonly created: boolean }> {
  const id = newId(now);
  const created = await insertUser(tx, { id, email, name, role: 'user', status: 'active', verifiedAt: now }, now);
  if (created) await updateProfile(tx, id, name, null);
  const user = await selectUserByEmailForUpdate(tx, email);
  if (!user) throw new Error('the account just opened is missing');
  return { user, created };
}

/** Whether the account is that of a member of staff: the module `staff` keeps the word in step. */
export function isStaff({ role }: Pick<User, 'role'>): boolean {
  return role === 'admin' || role === 'super_admin';
}

export async function setRole(tx: Tx, id: string, role: Role): Promise<void> {
  await updateRole(tx, id, role);
}

export async function renameUser(tx: Tx, id: string, name: string): Promise<void> {
  await updateName(tx, id, name);
}

/**
 * Sets the verified phone number of a locked user; if it had a trial before, the one of this account ends. Refuses
 * `phone_taken`.
 */
export async function setPhone(tx: Tx, vault: Vault, id: string, phone: string, now: Date): Promise<void> {
  if (await isPhoneOfAnother(tx, id, phone)) throw new Refusal('phone_taken');
  await updatePhone(tx, id, phone);
  await claimTrial(tx, vault, await getUser(tx, id), now);
}

export async function removePhone(tx: Tx, id: string): Promise<void> {
  await updatePhone(tx, id, null);
}

/** Sets the new address that is not verified yet; null clears it. */
export async function setPendingEmail(tx: Tx, id: string, email: string | null): Promise<void> {
  await updatePendingEmail(tx, id, email);
}

/** Replaces the address of a locked user by one that was verified, and that gets no trial of its own later. Refuses `email_taken`. */
export async function replaceEmail(tx: Tx, vault: Vault, id: string, email: string, now: Date): Promise<void> {
  if (await selectUserByEmailForUpdate(tx, email))
    throw new Refusal('email_taken', { fields: { email: 'email_taken' } });
  await updateEmail(tx, id, email, now);
  await markTrial(tx, vault, await getUser(tx, id));
}

export async function deactivateUser(tx: Tx, id: string): Promise<void> {
  await updateStatus(tx, id, 'deactivated');
}

/** Erases a user's personal data; the row stays because the ledger refers to it, and the marks of the trial, owned by nobody. */
export async function eraseUser(tx: Tx, vault: Vault, user: User, now: Date): Promise<void> {
  const { id } = user;
  await disownMarks(tx, vault, user);
  await removePicture(tx, id);
  await deletePreference(tx, id);
  await forgetService(tx, id);
  await updateErased(tx, id, now);
}

/** The accounts that were erased until then, oldest first. */
export async function listDeletedBefore(db: Executor, before: Date): Promise<string[]> {
  return await selectDeletedBefore(db, before);
}

/** The ids of those who had signed up before, for `divideEvenly`. */
export function userIdsBefore(time: Date): RawBuilder<unknown> {
  return idsBefore(firstIdOf(time));
}

/**
 * Admits an authenticated user. A deactivated account becomes active again, unless the setting `accounts.returnBySignIn`
 * reserves that to the operator. Refuses `account_suspended` and `account_deactivated`.
 */
export async function admitUser(tx: Tx, user: User): Promise<User> {
  await refuseClosed(tx, user);
  if (user.status !== 'deactivated') return user;
  await updateStatus(tx, user.id, user.profile_completed ? 'active' : 'incomplete');
  return await getUser(tx, user.id);
}

/** Refuses a user whom `admitUser` would refuse, and changes nothing. */
export async function refuseClosed(tx: Tx, user: User): Promise<void> {
  if (user.status === 'suspended' || user.status === 'deleted') throw new Refusal('account_suspended');
  if (user.status === 'deactivated' && !(await getSetting(tx, returnBySignIn))) {
    throw new Refusal('account_deactivated');
  }
}

/**
 * Suspends an account; undefined if that is not possible: there is no such account, it is deleted or already suspended, or
 * it is an operator's.
 */
export async function suspendUser(tx: Tx, email: string): Promise<User | undefined> {
  const user = await selectUserByEmailForUpdate(tx, email);
  if (!user || user.role === 'super_admin' || user.status === 'suspended' || user.status === 'deleted')
    return undefined;
  await updateStatus(tx, user.id, 'suspended');
  return user;
}

/**
 * Sets the name, makes the account active and starts its trial, once; there is none if the mailbox or phone number had one
 * before.
 */
export async function completeUserProfile(tx: Tx, vault: Vault, user: User, name: string, now: Date): Promise<User> {
  const isFirst = !user.profile_completed && !user.trial_ends_at;
  await updateProfile(tx, user.id, name, isFirst ? await startTrial(tx, user.id, trialPasswordlessDays, now) : null);
  if (isFirst && user.email_verified_at) await claimTrial(tx, vault, user, now);
  return await getUser(tx, user.id);
}

/** True when this call activated the account. */
export async function activateUser(tx: Tx, id: string, now: Date): Promise<boolean> {
  return await updateActivated(tx, id, now);
}

/** Whether configs may be made and used: the account is activated, or in a trial that does not require activation. */
export async function hasService(db: Executor, user: User, now: Date): Promise<boolean> {
  if (user.activated_at) return true;
  return isInTrial(user, now) && !(await getSetting(db, trialRequiresActivation));
}

export function isInTrial(user: Pick<User, 'trial_ends_at'>, now: Date): boolean {
  return user.trial_ends_at !== null && user.trial_ends_at.getTime() > now.getTime();
}
