import type { UsageReport } from '@raha/contract/node/protocol.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import { nodeLinkGbitPerSecond } from './settings.ts';
import {
  lockEpoch,
  raiseGenerations,
  updateEpoch,
  updateEpochSeq,
  upsertHealth,
  upsertPassed,
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
 * A node may report ten minutes of traffic at once: after an outage of ours, it reports everything leased before it.
 * This also bounds how much a thief of a node's key can claim before having to wait as long as the bytes would have
 * taken.
 */
const LINK_AHEAD_SECONDS = 600n;

/** Records bytes for which a node was just billed. False: more than its link can have carried in the time. */
export async function notePassed(tx: Tx, nodeId: string, bytes: bigint, now: Date): Promise<boolean> {
  const linkBytesPerSecond = BigInt(await getSetting(tx, nodeLinkGbitPerSecond)) * 125_000_000n;
  const ahead = await upsertPassed(tx, nodeId, bytes, linkBytesPerSecond, now);
  return ahead <= linkBytesPerSecond * LINK_AHEAD_SECONDS;
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
