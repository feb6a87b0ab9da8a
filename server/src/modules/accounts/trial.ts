import { addDays } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import type { Vault } from '../../platform/sealed.ts';
import { getSetting, type Setting } from '../../platform/settings.ts';
import { accountMarks } from './account-marks.ts';
import { trialGb } from './settings.ts';
import type { UserRow } from './tables.ts';
import {
  deleteTrial,
  insertTrial,
  keepMarks,
  lockTrials,
  selectTrials,
  selectUnmarked,
  type TrialRow,
  takeUnnotified,
  updateMarked,
  updateMarksDisowned,
  updateRefused,
  updateUsed,
} from './trial-tables.ts';

/** Free usage until a day, and up to an amount of traffic, once per mailbox and phone number (decision 64). */
export type Trial = TrialRow;

/** The trial of a user who had one. */
export async function findTrial(db: Executor, userId: string): Promise<Trial | undefined> {
  return (await selectTrials(db, [userId]))[0];
}

/** Starts a trial and returns its last day; null if the operator gives none. */
export async function startTrial(tx: Tx, userId: string, days: Setting<number>, now: Date): Promise<Date | null> {
  const count = await getSetting(tx, days);
  const limitBytes = BigInt(Math.round((await getSetting(tx, trialGb)) * 1e9));
  if (count <= 0 || limitBytes <= 0n) return null;
  await insertTrial(tx, userId, limitBytes);
  return addDays(now, count);
}

/**
 * Remembers that a proved mailbox, and a proved phone number, had a trial. If one of them had another before, also of an
 * account that was erased, the trial of this user ends.
 */
export async function claimTrial(
  tx: Tx,
  vault: Vault,
  user: Pick<UserRow, 'id' | 'email' | 'phone'>,
  now: Date,
): Promise<void> {
  if (await markTrial(tx, vault, user)) await updateRefused(tx, user.id, now);
}

/** Remembers mailbox and number of a user with a trial, running or over; says whether one of them had another. */
export async function markTrial(tx: Tx, vault: Vault, user: Pick<UserRow, 'id' | 'email' | 'phone'>): Promise<boolean> {
  const trial = (await selectTrials(tx, [user.id]))[0];
  return trial !== undefined && (await keepMarks(tx, user.id, accountMarks(vault, user)));
}

/** A registration that its address never confirmed is taken over: its trial was never used. */
export const forgetTrial = deleteTrial;

/** Before an account is erased: its marks stay, and nothing says any more whose they were. */
export async function disownMarks(
  tx: Tx,
  vault: Vault,
  user: Pick<UserRow, 'id' | 'email' | 'phone' | 'email_verified_at'>,
): Promise<void> {
  if (user.email_verified_at) await markTrial(tx, vault, user);
  await updateMarksDisowned(tx, user.id);
}

/** How much traffic of each user's trial is left, read without a lock; users without a trial are missing. */
export async function trialBytesLeft(db: Executor, userIds: readonly string[]): Promise<Map<string, bigint>> {
  const trials = await selectTrials(db, userIds);
  return new Map(trials.map((trial) => [trial.user_id, trial.limit_bytes - trial.used_bytes]));
}

/** Of what was used in a trial, the bytes beyond its limit; and the last day of a trial that they have just ended. */
export interface TrialUse {
  readonly beyond: bigint;
  readonly cutShort: Date | undefined;
}

/** Counts traffic of trials, one transaction after the other: together they count exactly the limit and no byte more. */
export async function countUse(tx: Tx, used: ReadonlyMap<string, bigint>, now: Date): Promise<Map<string, TrialUse>> {
  const trials = await lockTrials(tx, [...used.keys()]);
  const counted = trials.map((trial) => {
    const total = trial.used_bytes + (used.get(trial.user_id) ?? 0n);
    const beyond = total > trial.limit_bytes ? total - trial.limit_bytes : 0n;
    const isUsedUp = total >= trial.limit_bytes;
    const lastDay = trial.last_day ?? undefined;
    const isCutShort = isUsedUp && trial.ended_at === null && lastDay !== undefined && lastDay > now;
    return {
      userId: trial.user_id,
      usedBytes: total - beyond,
      isUsedUp,
      beyond,
      cutShort: isCutShort ? lastDay : undefined,
    };
  });
  await updateUsed(tx, counted, now);
  return new Map(counted.map(({ userId, beyond, cutShort }) => [userId, { beyond, cutShort }]));
}

/** Marks the mailboxes and numbers of trials that began before marks were kept, in steps; returns how many. */
export async function markEarlierTrials(tx: Tx, vault: Vault, limit: number): Promise<number> {
  const users = await selectUnmarked(tx, limit);
  for (const user of users) if (user.is_verified) await keepMarks(tx, user.id, accountMarks(vault, user));
  await updateMarked(
    tx,
    users.map(({ id }) => id),
  );
  return users.length;
}

export const takeUnnotifiedTrials = takeUnnotified;
