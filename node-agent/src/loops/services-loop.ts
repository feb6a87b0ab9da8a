import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentContext } from '../agent-context.ts';
import { type BlockedQueryCounter, createBlockedQueryCounter } from '../dns/blocked-queries.ts';
import { describeError } from '../platform/log.ts';

const TICK_MS = 1_000;
const WALLED_GARDEN_MS = 60_000;
/** What failed is tried again sooner: a host that could not be resolved, a list that could not be fetched. */
const RETRY_MS = 5_000;
/** Blocked queries are only statistics, so they are counted rarely. */
const SAMPLES_PER_COUNT = 5;

/** Keeps resolver and captive portal running, resolves the hosts of the walled garden, and counts blocked DNS queries and how devices get through. */
export async function maintainServicesForever(context: AgentContext): Promise<void> {
  const { resolver, captivePortal, applied, control, log, elapsedMs } = context;
  let walledGardenDueAt = 0;
  let hosts = '';
  let countDueAt = 0;
  const countReachWhenDue = createReachCount(context);
  const counter = createBlockedQueryCounter();
  while (!control.isStopping) {
    await attempt(context, 'resolver', async () => {
      const hasStarted = await resolver?.ensureRunning();
      if (hasStarted) log.info('resolver_started', { blockedNames: resolver?.blockedNames() ?? 0 });
    });
    await attempt(context, 'captive_portal', () => captivePortal.ensureListening());
    const now = elapsedMs();
    const desiredHosts = (applied.settings.captivePortal?.walledGarden ?? []).join();
    if (now >= walledGardenDueAt || desiredHosts !== hosts) {
      hosts = desiredHosts;
      walledGardenDueAt = now + RETRY_MS;
      await attempt(context, 'walled_garden', async () => {
        if ((await refreshWalledGarden(context)) === 0) walledGardenDueAt = now + WALLED_GARDEN_MS;
      });
    }
    if (now >= countDueAt) {
      countDueAt = now + SAMPLES_PER_COUNT * applied.settings.samplePeriodMs;
      await attempt(context, 'blocked_queries', () => countBlockedQueries(context, counter));
    }
    await countReachWhenDue(now);
    await sleep(TICK_MS);
  }
}

/** Counts when it is due, and soon after the settings have changed. */
function createReachCount(context: AgentContext): (now: number) => Promise<void> {
  const { reach, applied, firewall } = context;
  let [dueAt, retryAt] = [0, 0];
  return async (now) => {
    const isCurrent = reach.isCurrent(applied.settings, firewall.wireguardPorts);
    if (now < dueAt && (isCurrent || now < retryAt)) return;
    retryAt = now + RETRY_MS;
    dueAt = now + (applied.settings.reach?.periodMs ?? RETRY_MS);
    await attempt(context, 'reach', () => reach.update(applied.settings, firewall.wireguardPorts));
  };
}

/** Returns how many hosts could not be resolved. */
async function refreshWalledGarden({ applied, walledGarden, firewall }: AgentContext): Promise<number> {
  const { endpoints, missing } = await walledGarden.resolve(applied.settings.captivePortal?.walledGarden ?? []);
  // When nothing at all could be resolved, the kernel keeps what it has, also from an earlier agent.
  if (endpoints.length > 0 || missing === 0) await firewall.setWalledGarden(endpoints);
  return missing;
}

/** Adds each config's blocked queries since the last count to those that wait for the next report. */
async function countBlockedQueries(context: AgentContext, counter: BlockedQueryCounter): Promise<void> {
  const { firewall, metering, applied } = context;
  const { builds } = firewall;
  const totals = await firewall.readBlockedQueries();
  // The table was rebuilt meanwhile, and it is not known which of the two was read.
  if (firewall.builds !== builds) return;
  for (const [config, count] of counter.update(totals, applied.slots, builds)) {
    metering.blockedQueries.set(config, (metering.blockedQueries.get(config) ?? 0) + count);
  }
}

async function attempt({ control, log }: AgentContext, step: string, work: () => Promise<void>): Promise<void> {
  if (control.isStopping) return;
  try {
    await work();
  } catch (error) {
    if (!control.isStopping) log.warn(step, { error: describeError(error) });
  }
}
