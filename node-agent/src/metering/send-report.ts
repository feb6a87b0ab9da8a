import { limits } from '@raha/contract/limits.ts';
import { alarmBytes, cutLimits, type Runtime, slotLimit } from '../runtime.ts';
import { takeSigns } from '../tunnels/tunnel-status.ts';
import { acknowledge, hasUnreported, nextReport, type Vitals } from './usage-report.ts';

export interface Sent {
  /**
   * `done`: everything that was to be said is said. `more`: another lost epoch waits, or more configs than fit in a
   * report. `refused`: the control plane refuses this epoch, `abandonEpoch` is next.
   */
  readonly kind: 'done' | 'more' | 'refused';
  /** A config that had reached its limit may go on. */
  readonly reopened: boolean;
}

/** Makes a report durable, sends it, and takes the answer in: fresh leases are in the kernel when this returns. */
export async function sendReport(runtime: Runtime, timeoutMs?: number): Promise<Sent> {
  const isOutstanding = runtime.usage.closing.length > 0 || runtime.usage.pending !== null;
  const vitals = isOutstanding ? noVitals(runtime) : await takeVitals(runtime);
  const { state, report } = nextReport(runtime.usage, vitals);
  runtime.usage = state;
  await runtime.spool.writeUsage(state);
  const reply = await runtime.client.reportUsage(report, timeoutMs);
  const before = runtime.usage;
  const answer = acknowledge(before, report, reply);
  runtime.usage = answer.state;
  if (answer.mustMintEpoch) return { kind: 'refused', reopened: false };
  const raised = answer.leased.flatMap((id) => {
    const config = runtime.usage.configs.get(id);
    return config ? [slotLimit(before, config, before.configs.get(id))] : [];
  });
  await runtime.firewall.setLimits([...raised, ...cutLimits(runtime.usage)]);
  const leased = answer.leased.flatMap((id) => runtime.usage.configs.get(id) ?? []);
  runtime.alarmBytes = Math.min(runtime.alarmBytes, alarmBytes(leased));
  const wasFull = report.samples.length === limits.node.maxSamplesPerReport;
  const hasMore = runtime.usage.closing.length > 0 || (wasFull && hasUnreported(runtime.usage));
  const reopened = raised.some((limit) => limit.wasShut);
  return { kind: hasMore || isOutstanding ? 'more' : 'done', reopened };
}

/** A report that waits in the spool is sent as it is; these are not looked at. */
function noVitals(runtime: Runtime): Vitals {
  const nothing = { tunnels: [], blockedQueries: [], load: 0, ageMs: 0, blockedNames: 0 };
  return { ...nothing, protocols: [...runtime.up], agentVersion: runtime.agentVersion };
}

async function takeVitals(runtime: Runtime): Promise<Vitals> {
  return {
    tunnels: await takeSigns(runtime),
    load: await runtime.health.readLoad(),
    protocols: [...runtime.up],
    agentVersion: runtime.agentVersion,
    clockOffsetMs: runtime.client.clockOffsetMs(),
    disk: await runtime.health.readDisk(),
    blockedQueries: takeWithheld(runtime),
    blockedNames: runtime.services.resolver?.blockedNames() ?? 0,
    ageMs: Math.max(0, Math.round(runtime.elapsedMs() - runtime.lastReadingMs)),
  };
}

/** Told once: a report is made durable and sent until it is acknowledged. What does not fit waits for the next. */
function takeWithheld({ withheld }: Runtime): { config: string; count: number }[] {
  const told = [...withheld].slice(0, limits.node.maxSamplesPerReport);
  for (const [config] of told) withheld.delete(config);
  return told.map(([config, count]) => ({ config, count }));
}
