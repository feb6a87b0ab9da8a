import type { AgentContext } from '../agent-context.ts';
import { announceEpoch } from '../control/control-state.ts';
import type { SlotLimit } from '../firewall/firewall.ts';
import { allLimits, earlySampleBytes, exceededLimits } from './slot-limits.ts';
import { finishRemovals, type LostReason, observe } from './usage.ts';
import { mintEpoch } from './usage-epoch.ts';
import { isReportUrgent } from './usage-report.ts';
import type { Reading, UsageState } from './usage-state.ts';

/** Takes a sample when its turn comes, and has it reported at once where that is urgent. */
export function sampleNow(context: AgentContext): Promise<void> {
  const { metering, control } = context;
  return metering.mutex.runExclusive(async () => {
    // An agent that is stopping takes the last reading itself, and removes its table.
    if (control.isStopping) return;
    if ((await takeSample(context)) === 'new_epoch') announceEpoch(control);
    else if (isReportUrgent(metering.usage)) control.reportSignal.notify();
  });
}

/**
 * Reads the kernel's counters and makes them durable. When counting was interrupted it starts a new epoch. Callers hold
 * the mutex: two samples never overlap.
 */
export async function takeSample(context: AgentContext): Promise<'counted' | 'new_epoch'> {
  const { metering, firewall } = context;
  if (metering.tableEpoch !== metering.usage.epoch) await buildTable(context);
  const blocked = [...metering.removing];
  const before = metering.usage;
  const reading = await readKernel(context);
  const observed = observe(metering.usage, reading);
  if (observed.kind === 'lost') {
    await loseEpoch(context, observed.reason);
    return 'new_epoch';
  }
  metering.usage = finishRemovals(observed.state, reading, blocked);
  metering.lastReadingMs = context.elapsedMs();
  metering.earlySampleBytes = earlySampleBytes(metering.usage.configs.values());
  await firewall.setLimits([...exceededLimits(metering.usage), ...emptyLimits(metering.usage, blocked)]);
  // Until here no new config has got these slots: `applyDesired` waits for those that are being removed.
  for (const id of blocked) metering.removing.delete(id);
  await firewall.compensateDropped();
  if (isChanged(before, metering.usage)) await context.spool.writeUsage(metering.usage);
  return 'counted';
}

/**
 * Slots without a config lose their policies. Changing a policy makes nft read all slots, so it happens now and not when
 * a new config comes, which would have to wait for it.
 */
function emptyLimits(usage: UsageState, removed: readonly string[]): SlotLimit[] {
  return removed.flatMap((id) => {
    const config = usage.configs.get(id);
    return config?.presence === 'removed' ? [{ slot: config.slot, passLimit: 0n }] : [];
  });
}

async function readKernel({ bootId, firewall }: AgentContext): Promise<Reading> {
  return { bootId, ...(await firewall.read()) };
}

/** Queues the last durable totals of the old epoch; the node goes on serving with what was left of each lease. */
export async function loseEpoch(context: AgentContext, reason: LostReason | 'rules_gone'): Promise<void> {
  const { metering, bootId, agentVersion } = context;
  context.log.warn('epoch_lost', { reason, epoch: metering.usage.epoch });
  const fresh = { epoch: context.mintId(), bootId, counters: null, old: 'close', agentVersion } as const;
  metering.usage = mintEpoch(metering.usage, fresh);
  await context.spool.writeUsage(metering.usage);
  await buildTable(context);
}

/** The control plane has another report with our number: what it has not acknowledged is given up. */
export async function abandonEpoch(context: AgentContext): Promise<void> {
  const { metering, firewall, bootId, agentVersion } = context;
  context.log.warn('epoch_refused', { epoch: metering.usage.epoch });
  const reading = await readKernel(context);
  const observed = observe(metering.usage, reading);
  if (observed.kind === 'lost') {
    await loseEpoch(context, observed.reason);
    return;
  }
  const { counters } = reading;
  const fresh = { epoch: context.mintId(), bootId, counters, old: 'abandon', agentVersion } as const;
  metering.usage = mintEpoch(observed.state, fresh);
  await context.spool.writeUsage(metering.usage);
  await firewall.markEpoch(metering.usage.epoch);
  metering.tableEpoch = metering.usage.epoch;
  await firewall.setLimits(allLimits(metering.usage));
}

/** Builds the table of the present epoch with all limits in one step. */
export async function buildTable({ metering, firewall, log }: AgentContext): Promise<void> {
  const { epoch } = metering.usage;
  await firewall.build(epoch, allLimits(metering.usage));
  metering.tableEpoch = epoch;
  // Limits may have changed while the table was being built.
  await firewall.setLimits(allLimits(metering.usage));
  log.info('table_built', { epoch, configs: metering.usage.configs.size });
}

function isChanged(before: UsageState, after: UsageState): boolean {
  if (before.configs.size !== after.configs.size) return true;
  for (const [id, config] of after.configs) if (before.configs.get(id) !== config) return true;
  return false;
}
