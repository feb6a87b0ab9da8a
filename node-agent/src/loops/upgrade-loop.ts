import { describeError } from '../platform/log.ts';
import type { Shift } from '../shift.ts';

const LOOK_MS = 1_000;
/** A download that failed is tried again so seldom that a server with many nodes does not notice. */
const RETRY_MS = 600_000;
/** A new agent that has not reached the control plane for so long ends itself, and is counted as one that does not work. */
const PROBATION_MS = 300_000;

/** Replaces the agent when another is wanted, and ends it then: `onReplaced` sees to that. */
export async function upgradeForever(shift: Shift): Promise<void> {
  const { runtime } = shift;
  const { upgrader } = runtime;
  const startedAt = runtime.elapsedMs();
  let dueAt = 0;
  while (!shift.isOver) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    if (shift.isOver) return;
    if (shift.hasReached) await upgrader.prove();
    else if (upgrader.isUnproved && runtime.elapsedMs() - startedAt > PROBATION_MS) {
      throw new Error('this agent has not reached the control plane since it was put in place');
    }
    const wanted = runtime.settings.agent?.sha256;
    // One that has not proved itself replaces nothing.
    if (!wanted || upgrader.isUnproved || runtime.elapsedMs() < dueAt) continue;
    try {
      if (await upgrader.replace(wanted)) return shift.onReplaced();
    } catch (error) {
      runtime.log.error('upgrade', { error: describeError(error) });
      dueAt = runtime.elapsedMs() + RETRY_MS;
    }
  }
}
