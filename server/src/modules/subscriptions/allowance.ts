import type { Executor, Tx } from '../../platform/database.ts';
import { decideAdvance, leftOf, type Period } from './rules.ts';
import {
  addGranted,
  carryBytes,
  hadPeriod,
  lockOpenPeriods,
  selectOpenPeriods,
  updateEnded,
  updateSpan,
} from './tables.ts';

/** What a running plan still gives: traffic free of charge, for so many devices. */
export interface Allowance {
  readonly periodId: string;
  /** Undefined: any number of bytes. */
  readonly leftBytes: bigint | undefined;
  readonly maxDevices: number;
}

/**
 * Locks the periods of these people (after their ledger accounts, before any node) and tells what each may use: of the
 * running period, and, once nothing is left of that, of the next one if it is bought already.
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
 * Bytes that come back from leases. Those of a period that has ended because nothing was left of it go to the one that
 * runs: they are paid for, and nobody would look for them in a period that is over.
 */
export async function returnAllowance(tx: Tx, periodId: string, bytes: bigint, now: Date): Promise<void> {
  const { userId, endReason } = await addGranted(tx, periodId, -bytes, now);
  if (endReason !== 'used_up') return;
  const { current } = decideAdvance(await lockOpenPeriods(tx, [userId], now), now);
  if (current?.trafficLimitBytes !== undefined) await carryBytes(tx, periodId, current.id, bytes);
}

/**
 * Books bytes that go out in leases, per period. Of a user whose running period is used up by it the next one begins
 * now, with its whole time.
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
  await updateEnded(tx, { id: moved.ended, reason: 'used_up', creditToman: 0n }, now);
  await updateSpan(tx, moved.started.id, moved.started);
}

/** For screens: what is left now, without a lock; and whether an earlier period is over. */
export async function readAllowance(
  db: Executor,
  userId: string,
  now: Date,
): Promise<{ allowance: Allowance | undefined; isPast: boolean }> {
  const { current } = decideAdvance(await selectOpenPeriods(db, userId, now), now);
  return { allowance: current && toAllowance(current), isPast: await hadPeriod(db, userId, now) };
}

/** Whether there is anything left to give. */
export function isGiving(allowance: Allowance | undefined): allowance is Allowance {
  return allowance !== undefined && (allowance.leftBytes === undefined || allowance.leftBytes > 0n);
}

function toAllowance(period: Period): Allowance {
  return { periodId: period.id, leftBytes: leftOf(period), maxDevices: period.maxDevices };
}
