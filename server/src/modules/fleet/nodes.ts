import { addSeconds } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import {
  insertFreeSlot,
  type NodeRow,
  type ShownNode,
  selectAllNodes,
  selectNode,
  shownNodes,
  takeSlot,
  updateCapped,
} from './tables.ts';

/** A freed address is reused after this long: by then the kernel has forgotten the old config's connections. */
const REST_SECONDS = 300;

/** One VPN server machine with its agent, and what the agent last reported. */
export type Node = NodeRow;
export { type ShownNode, shownNodes };

export async function findNode(db: Executor, id: string): Promise<Node | undefined> {
  return await selectNode(db, id);
}

export async function listNodes(db: Executor): Promise<Node[]> {
  return await selectAllNodes(db);
}

/**
 * Takes an address slot on the node. Returns it with the generation in which it comes into use; undefined if the node
 * is full.
 */
export async function takeAddress(tx: Tx, nodeId: string, now: Date) {
  return await takeSlot(tx, nodeId, addSeconds(now, -REST_SECONDS));
}

/** Frees a slot once the node has removed its config. */
export async function freeAddress(tx: Tx, nodeId: string, slot: number, now: Date): Promise<void> {
  await insertFreeSlot(tx, nodeId, slot, now);
}

/** The month's traffic is used up: the node takes no new configs before `until`. Null: that is no longer so. */
export async function setCapped(db: Executor, id: string, until: Date | null): Promise<void> {
  await updateCapped(db, id, until);
}
