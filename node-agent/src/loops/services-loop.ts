import { setTimeout as sleep } from 'node:timers/promises';
import { createWithheldCount, type WithheldCount } from '../dns/blocked-queries.ts';
import { describeError } from '../platform/log.ts';
import type { Runtime } from '../runtime.ts';
import type { Shift } from '../shift.ts';

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
  const withheld = createWithheldCount();
  while (!shift.isOver) {
    await attempt(shift, 'resolver', async () => {
      const hasStarted = await resolver?.keep();
      if (hasStarted) runtime.log.info('resolver_started', { blockedNames: resolver?.blockedNames() ?? 0 });
    });
    await attempt(shift, 'cut_off_page', () => page.keep());
    const now = runtime.elapsedMs();
    const wanted = (runtime.settings.captivePortal?.walledGarden ?? []).join();
    if (now >= reachDueAt || wanted !== hosts) {
      hosts = wanted;
      reachDueAt = now + REACH_RETRY_MS;
      await attempt(shift, 'reach', async () => {
        if ((await refreshReach(runtime)) === 0) reachDueAt = now + REACH_MS;
      });
    }
    if (now >= withheldDueAt) {
      withheldDueAt = now + SAMPLES_PER_COUNT * runtime.settings.samplePeriodMs;
      await attempt(shift, 'withheld', () => countWithheld(runtime, withheld));
    }
    await sleep(TICK_MS);
  }
}

async function refreshReach(runtime: Runtime): Promise<number> {
  const { places, missing } = await runtime.services.reach.find(runtime.settings.captivePortal?.walledGarden ?? []);
  // Nothing found at all is no answer: what the kernel has, from an agent before this one too, goes on.
  if (places.length > 0 || missing === 0) await runtime.firewall.setReach(places);
  return missing;
}

/** What came to each config since the last look waits in `runtime.withheld` for the next report. */
async function countWithheld(runtime: Runtime, withheld: WithheldCount): Promise<void> {
  const { firewall } = runtime;
  const builds = firewall.builds;
  const totals = await firewall.readWithheld();
  // A table that was being made meanwhile: which of the two was read is not known.
  if (firewall.builds !== builds) return;
  for (const [config, count] of withheld.look(totals, runtime.slots, builds)) {
    runtime.withheld.set(config, (runtime.withheld.get(config) ?? 0) + count);
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
