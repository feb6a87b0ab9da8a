import { applyDesired } from '../control/apply-desired.ts';
import { createBackOff } from '../platform/back-off.ts';
import { describeError } from '../platform/log.ts';
import type { Shift } from '../shift.ts';

const CLOSING_WAIT_MS = 1_000;
const SAVE_AFTER_MS = 2_000;

/** Asks what is wanted and applies it; the next question is the acknowledgement, so it comes at once. */
export async function pollForever(shift: Shift): Promise<void> {
  const { runtime } = shift;
  const backOff = createBackOff(shift.random);
  while (!shift.isOver) {
    // A lost epoch speaks first: leases for the new one are written when its predecessor's bytes are known.
    if (runtime.usage.closing.length > 0 || runtime.tableEpoch !== runtime.usage.epoch) {
      await shift.pollBell.wait(CLOSING_WAIT_MS);
      continue;
    }
    try {
      await pollOnce(shift);
      backOff.reset();
    } catch (error) {
      if (shift.isOver) return;
      if (!shift.polling?.signal.aborted) await shift.pollBell.wait(shift.delayAfter('desired_state', error, backOff));
    }
  }
}

async function pollOnce(shift: Shift): Promise<void> {
  const { runtime } = shift;
  const { epoch } = runtime.usage;
  shift.polling = new AbortController();
  const wanted = await runtime.client.getDesiredState({ after: runtime.generation, epoch }, shift.polling.signal);
  shift.hasReached = true;
  if (runtime.usage.epoch !== epoch) return;
  const result = await applyDesired(runtime, wanted, () => shift.sampleNow());
  if (result.kind === 'refused') throw new Error('the wanted state would remove most configs');
  if (wanted.kind === 'unchanged') return;
  if (result.reopened) shift.isSampleDue = true;
  saveSoon(shift);
  runtime.firewall.prepareAhead(runtime.highestSlot).catch((error) => {
    runtime.log.error('prepare_slots', { error: describeError(error) });
  });
}

const waiting = new WeakMap<Shift, NodeJS.Timeout>();

/** Off the path of the acknowledgement: an agent that crashed asks for the whole state anyway. */
function saveSoon(shift: Shift): void {
  if (waiting.has(shift)) return;
  const timer = setTimeout(() => {
    waiting.delete(shift);
    saveWanted(shift).catch((error) => shift.runtime.log.error('spool', { error: describeError(error) }));
  }, SAVE_AFTER_MS);
  waiting.set(shift, timer);
}

export async function saveWanted({ runtime }: Shift): Promise<void> {
  const { generation, settings, peers } = runtime;
  await runtime.spool.writeWanted({ generation, settings, peers: [...peers.values()] });
}
