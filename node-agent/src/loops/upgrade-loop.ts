import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentContext } from '../agent-context.ts';
import { describeError } from '../platform/log.ts';

const CHECK_MS = 1_000;
/** A failed download is repeated so rarely that a server with many nodes does not notice. */
const RETRY_MS = 600_000;
/** A new agent that has not reached the control plane within this time exits, and counts as one that does not work. */
const PROBATION_MS = 300_000;

/** Replaces the agent when the settings name another one; `onReplaced` then ends this one. */
export async function upgradeForever(context: AgentContext, onReplaced: () => void): Promise<void> {
  const { upgrader, control, applied, log, elapsedMs } = context;
  const startedAt = elapsedMs();
  let dueAt = 0;
  let tried: string | undefined;
  while (!control.isStopping) {
    await sleep(CHECK_MS);
    if (control.isStopping) return;
    if (control.hasReachedControlPlane) await upgrader.prove();
    else if (upgrader.isUnproved && elapsedMs() - startedAt > PROBATION_MS) {
      throw new Error('this agent has not reached the control plane since it was installed');
    }
    const desired = applied.settings.agent?.sha256;
    // An agent that is not proved yet replaces nothing.
    if (!desired || upgrader.isUnproved || (desired === tried && elapsedMs() < dueAt)) continue;
    try {
      tried = desired;
      if (await upgrader.replace(desired)) return onReplaced();
    } catch (error) {
      log.error('upgrade', { error: describeError(error) });
      dueAt = elapsedMs() + RETRY_MS;
    }
  }
}
