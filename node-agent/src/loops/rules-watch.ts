import type { AgentContext } from '../agent-context.ts';
import { announceEpoch } from '../control/control-state.ts';
import { loseEpoch } from '../metering/take-sample.ts';
import { describeError } from '../platform/log.ts';

/** With many slots a check of the rules takes long, and longer the more changes meanwhile, so it may use this share of the time. */
const MAX_SHARE = 0.02;
/** And yet, as a busy node's checks are the slow ones, traffic without rules must not go on for minutes. */
const MAX_PAUSE_MS = 30_000;

/**
 * Without rules nothing is metered, although the counters are still there. Each call checks the rules, unless a check is
 * running or has just run. Sampling and changes of leases go on meanwhile.
 */
export function watchRules(context: AgentContext): () => void {
  let dueAt = 0;
  return () => {
    const startedAt = context.elapsedMs();
    if (startedAt < dueAt) return;
    dueAt = Number.POSITIVE_INFINITY;
    replaceLost(context)
      .catch((error) => context.log.error('rules', { error: describeError(error) }))
      .finally(() => {
        const now = context.elapsedMs();
        dueAt = Math.min(startedAt + (now - startedAt) / MAX_SHARE, now + MAX_PAUSE_MS);
      });
  };
}

async function replaceLost(context: AgentContext): Promise<void> {
  const { control, firewall, metering } = context;
  // An agent that is stopping removes its table itself.
  const isLost = async () => {
    if (control.isStopping || metering.tableEpoch !== metering.usage.epoch) return false;
    return !(await firewall.hasRules()) && !control.isStopping;
  };
  if (!(await isLost())) return;
  await metering.mutex.runExclusive(async () => {
    // The check may have seen a table that has been replaced since.
    if (!(await isLost())) return;
    await loseEpoch(context, 'rules_gone');
    announceEpoch(control);
  });
}
