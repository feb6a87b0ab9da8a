import type { SlotLimit } from '../firewall/firewall.ts';
import { alarmBytes, allLimits, cutLimits, type Runtime } from '../runtime.ts';
import { finishLeaving, type LostReason, observe } from './usage.ts';
import { mintEpoch } from './usage-epoch.ts';
import type { Reading, UsageState } from './usage-state.ts';

export type Sampled = 'counted' | 'new_epoch';

/**
 * Reads the kernel's counters and makes them durable. Where counting broke off it begins a new epoch. Callers take
 * turns: two samples never overlap.
 */
export async function takeSample(runtime: Runtime): Promise<Sampled> {
  if (runtime.tableEpoch !== runtime.usage.epoch) await buildTable(runtime);
  const blocked = [...runtime.leaving];
  const before = runtime.usage;
  const reading = await readKernel(runtime);
  const seen = observe(runtime.usage, reading);
  if (seen.kind === 'lost') {
    await loseEpoch(runtime, seen.reason);
    return 'new_epoch';
  }
  runtime.usage = finishLeaving(seen.state, reading, blocked);
  runtime.lastReadingMs = runtime.elapsedMs();
  runtime.alarmBytes = alarmBytes(runtime.usage.configs.values());
  await runtime.firewall.setLimits([...cutLimits(runtime.usage), ...emptyLimits(runtime.usage, blocked)]);
  // Until here nobody new has come to these slots: `applyDesired` waits for those that are leaving.
  for (const id of blocked) runtime.leaving.delete(id);
  await runtime.firewall.forgiveDropped();
  if (isChanged(before, runtime.usage)) await runtime.spool.writeUsage(runtime.usage);
  return 'counted';
}

/**
 * A slot that nobody has any more stands before no door. Opening doors makes nft read all slots there are, so it is done now
 * and not when somebody new comes, who waits for it.
 */
function emptyLimits(usage: UsageState, left: readonly string[]): SlotLimit[] {
  return left.flatMap((id) => {
    const config = usage.configs.get(id);
    return config?.presence === 'left' ? [{ slot: config.slot, passLimit: 0n }] : [];
  });
}

export async function readKernel(runtime: Runtime): Promise<Reading> {
  return { bootId: runtime.bootId, ...(await runtime.firewall.read()) };
}

/** The old epoch's last durable totals wait in the spool; the node serves on with what was left of each lease. */
export async function loseEpoch(runtime: Runtime, reason: LostReason | 'rules_gone'): Promise<void> {
  runtime.log.warn('epoch_lost', { reason, epoch: runtime.usage.epoch });
  const fresh = { epoch: runtime.mintId(), bootId: runtime.bootId, counters: null, old: 'close' } as const;
  runtime.usage = mintEpoch(runtime.usage, { ...fresh, agentVersion: runtime.agentVersion });
  await runtime.spool.writeUsage(runtime.usage);
  await buildTable(runtime);
}

/** The control plane knows another report under our number: what it has not acknowledged is given up. */
export async function abandonEpoch(runtime: Runtime): Promise<void> {
  runtime.log.warn('epoch_refused', { epoch: runtime.usage.epoch });
  const reading = await readKernel(runtime);
  const seen = observe(runtime.usage, reading);
  if (seen.kind === 'lost') {
    await loseEpoch(runtime, seen.reason);
    return;
  }
  runtime.usage = seen.state;
  const fresh = {
    epoch: runtime.mintId(),
    bootId: runtime.bootId,
    counters: reading.counters,
    old: 'abandon',
  } as const;
  runtime.usage = mintEpoch(runtime.usage, { ...fresh, agentVersion: runtime.agentVersion });
  await runtime.spool.writeUsage(runtime.usage);
  await runtime.firewall.markEpoch(runtime.usage.epoch);
  runtime.tableEpoch = runtime.usage.epoch;
  await runtime.firewall.setLimits(allLimits(runtime.usage));
}

/** Makes the table for the present epoch, with all limits, in one step. */
export async function buildTable(runtime: Runtime): Promise<void> {
  const { epoch } = runtime.usage;
  await runtime.firewall.build(epoch, allLimits(runtime.usage));
  runtime.tableEpoch = epoch;
  // What was decided while the table was being built.
  await runtime.firewall.setLimits(allLimits(runtime.usage));
  runtime.log.info('table_built', { epoch, configs: runtime.usage.configs.size });
}

function isChanged(before: UsageState, after: UsageState): boolean {
  if (before.configs.size !== after.configs.size) return true;
  for (const [id, config] of after.configs) if (before.configs.get(id) !== config) return true;
  return false;
}
