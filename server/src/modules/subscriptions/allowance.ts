import { addDays } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import { endUsedUp } from './book-plan.ts';
import { restartEarning } from './earning-tables.ts';
import { decideAdvance, leftOf, type Period } from './rules.ts';
import { addGranted, carryBytes, lockOpenPeriods, selectOpenPeriods, selectWaiting, updateSpan } from './tables.ts';

/** What is left of a running plan: traffic free of charge, for a number of devices. */
export interface Allowance {
  readonly periodId: string;
  /** Undefined: unlimited. */
  readonly leftBytes: bigint | undefined;
  readonly maxDevices: number;
}

/**
 * Locks the periods of these users (after their ledger accounts, before any node) and returns what each may use: from
 * the running period or, once that is used up, from the next one if it is already bought.
 */
export async function lockAllowances(
  tx: Tx,
  userIds: readonly string[],
  now: Date,
): Promise<Map<string, readonly Allowance[]>> {
  const rows = await lockOpenPeriods(tx, userIds, now);
  const allowances = new Map<string, readonly Allowance[]>();
  for (const userId of new Set(rows.map((row) => row.userId))) {
    const { current, next } = decideAdvance(
      rows.filter((row) => row.userId === userId),
      now,
    );
    const usable = current ? [current, ...(next ? [next] : [])] : [];
    allowances.set(userId, usable.map(toAllowance));
  }
  return allowances;
}

/**
 * Returns bytes from leases to their period. If the period has ended because it was used up, they go to the period
 * running now: the user has paid for them and could not use them in a period that is over.
 */
export async function returnAllowance(tx: Tx, periodId: string, bytes: bigint, now: Date): Promise<void> {
  const { userId, endReason } = await addGranted(tx, periodId, -bytes, now);
  if (endReason !== 'used_up') return;
  const { current } = decideAdvance(await lockOpenPeriods(tx, [userId], now), now);
  if (current?.trafficLimitBytes !== undefined) await carryBytes(tx, periodId, current.id, bytes);
}

/**
 * Books bytes granted in leases, per period. If this uses up a user's running period, the next one starts now, with its
 * full duration.
 */
export async function drawAllowances(
  tx: Tx,
  userId: string,
  draws: ReadonlyMap<string, bigint>,
  now: Date,
): Promise<void> {
  for (const [periodId, bytes] of draws) await addGranted(tx, periodId, bytes, now);
  const { moved } = decideAdvance(await lockOpenPeriods(tx, [userId], now), now);
  if (!moved) return;
  await endUsedUp(tx, moved.ended, now);
  await updateSpan(tx, moved.started.id, moved.started);
  await restartEarning(tx, moved.started.id);
}

/** Begins, with their full duration, the periods that wait for the end of their owners' trials, which have ended before it. */
export async function beginWaiting(tx: Tx, trialEnds: ReadonlyMap<string, Date>, now: Date): Promise<void> {
  for (const period of await lockOpenPeriods(tx, [...trialEnds.keys()], now)) {
    const lastDay = trialEnds.get(period.userId);
    if (lastDay?.getTime() !== period.startsAt.getTime()) continue;
    await updateSpan(tx, period.id, { startsAt: now, endsAt: addDays(now, period.durationDays) });
    await restartEarning(tx, period.id);
  }
}

/** The users with a period that begins later. */
export async function waitForPeriod(db: Executor, userIds: readonly string[], now: Date): Promise<Set<string>> {
  return await selectWaiting(db, userIds, now);
}

/** For display: what is left now, read without a lock. */
export async function readAllowance(db: Executor, userId: string, now: Date): Promise<Allowance | undefined> {
  const { current } = decideAdvance(await selectOpenPeriods(db, userId, now), now);
  return current && toAllowance(current);
}

/** Whether the allowance has anything left. */
export function isGiving(allowance: Allowance | undefined): allowance is Allowance {
  return allowance !== undefined && (allowance.leftBytes === undefined || allowance.leftBytes > 0n);
}

export function toAllowance(period: Period): Allowance {
  return { periodId: period.id, leftBytes: leftOf(period), maxDevices: period.maxDevices };
}
