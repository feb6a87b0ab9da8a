import { limits } from '@raha/contract/limits.ts';
import type { UsageReport } from '@raha/contract/node/protocol.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import { upsertHealth } from './health-tables.ts';
import { nodeLinkGbitPerSecond } from './settings.ts';
import {
  lockEpoch,
  raiseGenerations,
  updateAhead,
  updateEpoch,
  updateEpochSeq,
  updateSnapshots,
  upsertAhead,
  upsertSeen,
} from './tables.ts';

/**
 * Accepts a report's sequence number in its epoch. An epoch becomes the node's current one when the node asks for its
 * desired state in it or reports in it for the first time; a closing report belongs to an epoch that has ended.
 */
export async function acceptEpoch<D extends string>(
  tx: Tx,
  nodeId: string,
  report: { epoch: string; seq: number; hash: string; closing: boolean },
  decide: (last: { seq: bigint; hash: string }, report: { seq: number; hash: string }) => D,
): Promise<D> {
  const last = await lockEpoch(tx, nodeId, report.epoch);
  const decision = decide({ seq: last.last_seq, hash: last.last_hash }, report);
  if (decision === 'accept') await updateEpochSeq(tx, nodeId, report.epoch, report.seq, report.hash);
  if (last.last_seq === 0n && !report.closing) await updateEpoch(tx, nodeId, report.epoch);
  return decision;
}

/**
 * How many bytes the leases of a node may be raised by now, so that all raises together stay within what its link carries in the
 * time and in one horizon more. An honest node never gets there: it is given leases for the horizon at the rates of what it carried.
 * A thief of its key has to wait as long as the bytes would have taken. `returned` bytes of leases have come back unused. Locks the
 * node's presence.
 */
export async function openLeaseBudget(tx: Tx, nodeId: string, returned: bigint, now: Date): Promise<bigint> {
  const linkBytesPerSecond = BigInt(await getSetting(tx, nodeLinkGbitPerSecond)) * 125_000_000n;
  const ahead = await upsertAhead(tx, nodeId, returned, linkBytesPerSecond, now);
  const left = linkBytesPerSecond * BigInt(limits.lease.horizonSeconds) - ahead;
  return left > 0n ? left : 0n;
}

/** Takes what a report's answer granted from the budget of its node. */
export async function spendLeaseBudget(tx: Tx, nodeId: string, granted: bigint): Promise<void> {
  if (granted > 0n) await updateAhead(tx, nodeId, granted);
}

/** What we observe about a node beyond its own report. */
export interface NodeSeen {
  /** Median round trip to its devices; null when none was measured. */
  readonly pingMs: number | null;
  /** The source address of its report. */
  readonly from: string | undefined;
}

export async function noteHealth(
  db: Executor,
  nodeId: string,
  health: UsageReport['health'],
  seen: NodeSeen,
  now: Date,
): Promise<void> {
  await upsertHealth(db, nodeId, { ...health, ...seen }, now);
}

/** Records the generation that the node has applied and the epoch in which it counts. True if the generation is new. */
export async function noteApplied(
  db: Executor,
  nodeId: string,
  reported: { generation: number; epoch: string; knownEpoch: string | null },
  now: Date,
): Promise<boolean> {
  if (reported.epoch !== reported.knownEpoch) await updateEpoch(db, nodeId, reported.epoch);
  const { applied_before } = await upsertSeen(db, nodeId, reported.generation, now);
  return BigInt(reported.generation) !== applied_before;
}

/** Records a change of these nodes' desired states; call it last in the transaction. */
export async function nextGenerations(tx: Tx, nodeIds: readonly string[]): Promise<Map<string, bigint>> {
  return await raiseGenerations(tx, nodeIds);
}

/** A server's changes since its last backup are fewer. */
const MOST_LOST_CHANGES = 1_000_000;

/**
 * After a restore from a backup: every node gets the complete state at its next poll. Its generation, and the changes behind it, may be
 * of a history that is lost, so a list of later changes would leave out what was lost and undo nothing.
 */
export async function resendCompleteStates(db: Executor): Promise<void> {
  await updateSnapshots(db, MOST_LOST_CHANGES);
}
