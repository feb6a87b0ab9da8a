import { setTimeout as sleep } from 'node:timers/promises';
import { describeError } from './log.ts';
import type { Runtime } from './runtime.ts';
import type { Shift } from './shift.ts';

const TICK_MS = 1_000;
const REACH_MS = 60_000;
/** A host that was not found is looked for again sooner. */
const REACH_RETRY_MS = 5_000;
/** Statistics: seldom. */
const SAMPLES_PER_COUNT = 5;

/** Keeps resolver and page up, finds the panel's and the banks' addresses, and counts what the block list kept back. */
export async function tendServicesForever(shift: Shift): Promise<void> {
  const { runtime } = shift;
  const { resolver, page } = runtime.services;
  let reachDueAt = 0;
  let hosts = '';
  let withheldDueAt = 0;
  const totals = new Map<number, number>();
  let countedEpoch: string | null = null;
  while (!shift.isOver) {
    await attempt(shift, 'resolver', async () => {
      const hasStarted = await resolver?.keep();
      if (hasStarted) runtime.log.info('resolver_started', { blockedNames: resolver?.blockedNames() ?? 0 });
    });
    await attempt(shift, 'cut_off_page', () => page.keep());
    const now = runtime.elapsedMs();
    const wanted = (runtime.settings.cutOff?.reachable ?? []).join();
    if (now >= reachDueAt || wanted !== hosts) {
      hosts = wanted;
      reachDueAt = now + REACH_RETRY_MS;
      await attempt(shift, 'reach', async () => {
        if ((await refreshReach(runtime)) === 0) reachDueAt = now + REACH_MS;
      });
    }
    if (now >= withheldDueAt) {
      withheldDueAt = now + SAMPLES_PER_COUNT * runtime.settings.samplePeriodMs;
      await attempt(shift, 'withheld', async () => {
        // A table that was made anew counts from zero.
        if (countedEpoch !== runtime.tableEpoch) totals.clear();
        countedEpoch = runtime.tableEpoch;
        await countWithheld(runtime, totals);
      });
    }
    await sleep(TICK_MS);
  }
}

async function refreshReach(runtime: Runtime): Promise<number> {
  const { places, missing } = await runtime.services.reach.find(runtime.settings.cutOff?.reachable ?? []);
  await runtime.firewall.setReach(places);
  return missing;
}

/** What came to each config since the last look waits in `runtime.withheld` for the next report. */
async function countWithheld(runtime: Runtime, totals: Map<number, number>): Promise<void> {
  for (const [slot, total] of await runtime.firewall.readWithheld()) {
    const before = totals.get(slot) ?? 0;
    totals.set(slot, total);
    const config = runtime.slots.get(slot);
    const count = total >= before ? total - before : total;
    if (config && count > 0) runtime.withheld.set(config, (runtime.withheld.get(config) ?? 0) + count);
  }
}

async function attempt(shift: Shift, what: string, work: () => Promise<void>): Promise<void> {
  if (shift.isOver) return;
  try {
    await work();
  } catch (error) {
    if (!shift.isOver) shift.runtime.log.warn(what, { error: describeError(error) });
  }
}
