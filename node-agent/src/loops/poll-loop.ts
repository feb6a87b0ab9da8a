import type { AgentContext } from '../agent-context.ts';
import { toStoredState } from '../control/applied-state.ts';
import { applyDesired } from '../control/apply-desired.ts';
import { delayAfter } from '../control/control-state.ts';
import { sampleNow } from '../metering/take-sample.ts';
import { createBackOff } from '../platform/back-off.ts';
import { describeError } from '../platform/log.ts';

const CLOSING_WAIT_MS = 1_000;
const SAVE_AFTER_MS = 2_000;

/** Fetches the desired state and applies it. The next request is the acknowledgement, so it follows at once. */
export async function pollForever(context: AgentContext): Promise<void> {
  const { control, metering, log } = context;
  const backOff = createBackOff(context.random);
  const saveSoon = createDelayedSave(context);
  while (!control.isStopping) {
    // Leases for a new epoch are issued once the bytes of the old one are known, so its report goes first.
    if (metering.usage.closing.length > 0 || metering.tableEpoch !== metering.usage.epoch) {
      await control.pollSignal.wait(CLOSING_WAIT_MS);
      continue;
    }
    try {
      await pollOnce(context, saveSoon);
      backOff.reset();
    } catch (error) {
      if (control.isStopping) return;
      if (control.polling?.signal.aborted) continue;
      await control.pollSignal.wait(delayAfter(error, 'desired_state', backOff, log));
    }
  }
}

async function pollOnce(context: AgentContext, saveSoon: () => void): Promise<void> {
  const { applied, control, metering, firewall, log } = context;
  const { epoch } = metering.usage;
  control.polling = new AbortController();
  const desired = await context.client.getDesiredState({ after: applied.generation, epoch }, control.polling.signal);
  control.hasReachedControlPlane = true;
  if (metering.usage.epoch !== epoch) return;
  const result = await applyDesired(context, desired, () => sampleNow(context));
  if (result.kind === 'refused') throw new Error('the desired state would remove most configs');
  if (desired.kind === 'unchanged') {
    if (desired.trace) context.tracer.take(desired.trace);
    return;
  }
  if (result.reopened) metering.isSampleDue = true;
  saveSoon();
  firewall.prepareAhead(applied.highestSlot).catch((error) => {
    log.error('prepare_slots', { error: describeError(error) });
  });
}

/** Saves outside the path of the acknowledgement: after a crash the agent requests the complete state anyway. */
function createDelayedSave({ applied, spool, log }: AgentContext): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    if (timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      spool.writeDesired(toStoredState(applied)).catch((error) => log.error('spool', { error: describeError(error) }));
    }, SAVE_AFTER_MS);
  };
}
