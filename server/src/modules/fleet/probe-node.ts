import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { findNode } from './nodes.ts';
import { nodeStateChanged } from './signals.ts';

/** The result of one liveness probe. */
export interface ProbeResult {
  /** Milliseconds from the probe to the node's next poll; null when none came in time. */
  readonly answerMs: number | null;
  readonly at: Date;
}

export type NodeProbe = (nodeId: string) => Promise<ProbeResult>;

const WAIT_MS = 3_000;
const CHECK_EVERY_MS = 20;
/** The first signal is lost on a node whose poll has arrived but does not wait for changes yet. */
const SIGNAL_EVERY_MS = 1_000;
/** A result is shared with later callers for this long. */
const SHARED_MS = 5_000;

/**
 * Makes a probe that finds out whether a node is alive. The control plane never connects to a node: the probe ends the
 * node's long poll, and a live node polls again at once. There is one probe per node at a time, shared by all callers.
 */
export function createNodeProbe(deps: { db: Database; bus: Bus; clock: Clock }): NodeProbe {
  const recent = new Map<string, { startedMs: number; result: Promise<ProbeResult> }>();
  return (nodeId) => {
    const nowMs = deps.clock.now().getTime();
    for (const [id, { startedMs }] of recent) if (nowMs - startedMs >= SHARED_MS) recent.delete(id);
    const known = recent.get(nodeId);
    if (known) return known.result;
    const result = probe(deps, nodeId);
    recent.set(nodeId, { startedMs: nowMs, result });
    result.catch(() => recent.delete(nodeId));
    return result;
  };
}

async function probe(deps: { db: Database; bus: Bus; clock: Clock }, nodeId: string): Promise<ProbeResult> {
  const before = (await findNode(deps.db, nodeId))?.polled_at?.getTime();
  const at = deps.clock.now();
  for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += CHECK_EVERY_MS) {
    if (waitedMs % SIGNAL_EVERY_MS === 0) await deps.bus.announce(deps.db, nodeStateChanged, { nodeId });
    await new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS));
    const polled = (await findNode(deps.db, nodeId))?.polled_at?.getTime();
    if (polled !== undefined && polled !== before) return { answerMs: Math.max(0, polled - at.getTime()), at };
  }
  return { answerMs: null, at };
}
