import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { findNode } from './nodes.ts';
import { nodeStateChanged } from './signals.ts';

/** What knocking at a node has shown. */
export interface Knock {
  /** Milliseconds from the knock to the node's next question; null when it did not ask in time. */
  readonly answerMs: number | null;
  readonly at: Date;
}

export type Knocker = (nodeId: string) => Promise<Knock>;

const WAIT_MS = 3_000;
const LOOK_EVERY_MS = 20;
/** A node that was between its question and waiting for the answer has not heard the first knock. */
const KNOCK_EVERY_MS = 1_000;
/** What was found out holds for so long, for whoever asks. */
const HOLDS_MS = 5_000;

/**
 * Asks whether a node is there, now. The control plane never connects to a node: the knock ends the node's long poll, and
 * a node that lives asks its next question at once. One knock at a time and node, shared by all who ask.
 */
export function createKnocker(deps: { db: Database; bus: Bus; clock: Clock }): Knocker {
  const recent = new Map<string, { startedMs: number; knock: Promise<Knock> }>();
  return (nodeId) => {
    const nowMs = deps.clock.now().getTime();
    for (const [id, { startedMs }] of recent) if (nowMs - startedMs >= HOLDS_MS) recent.delete(id);
    const known = recent.get(nodeId);
    if (known) return known.knock;
    const knock = knockAt(deps, nodeId);
    recent.set(nodeId, { startedMs: nowMs, knock });
    knock.catch(() => recent.delete(nodeId));
    return knock;
  };
}

async function knockAt(deps: { db: Database; bus: Bus; clock: Clock }, nodeId: string): Promise<Knock> {
  const before = (await findNode(deps.db, nodeId))?.polled_at?.getTime();
  const at = deps.clock.now();
  for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += LOOK_EVERY_MS) {
    if (waitedMs % KNOCK_EVERY_MS === 0) await deps.bus.announce(deps.db, nodeStateChanged, { nodeId });
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    const asked = (await findNode(deps.db, nodeId))?.polled_at?.getTime();
    if (asked !== undefined && asked !== before) return { answerMs: Math.max(0, asked - at.getTime()), at };
  }
  return { answerMs: null, at };
}
