import { loseEpoch } from '../metering/take-sample.ts';
import { describeError } from '../platform/log.ts';
import type { Shift } from '../shift.ts';

/** With many slots looking for the rules takes a while, and longer the more changes meanwhile: it is done seldom. */
const MAX_SHARE = 0.02;

/**
 * Without rules nothing is metered, though the counters stand there as before. Each call looks for them, unless that is
 * being done or was done just now; sampling and changes of leases go on meanwhile.
 */
export function watchRules(shift: Shift): () => void {
  const { runtime } = shift;
  let dueAt = 0;
  return () => {
    const begunAt = runtime.elapsedMs();
    if (begunAt < dueAt) return;
    dueAt = Number.POSITIVE_INFINITY;
    replaceLost(shift)
      .catch((error) => runtime.log.error('rules', { error: describeError(error) }))
      .finally(() => {
        dueAt = begunAt + (runtime.elapsedMs() - begunAt) / MAX_SHARE;
      });
  };
}

async function replaceLost(shift: Shift): Promise<void> {
  const { runtime } = shift;
  // An agent that is ending takes its table away by itself, and wants no other.
  const isLost = async () => {
    if (shift.isOver || runtime.tableEpoch !== runtime.usage.epoch) return false;
    return !(await runtime.firewall.hasRules()) && !shift.isOver;
  };
  if (!(await isLost())) return;
  await shift.inTurn(async () => {
    // What was seen may have been a table that has been made anew since.
    if (!(await isLost())) return;
    await loseEpoch(runtime, 'rules_gone');
    shift.announceEpoch();
  });
}
