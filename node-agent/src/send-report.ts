import { limits } from '@raha/contract/limits.ts';
import type { TunnelSign } from '@raha/contract/node/protocol.ts';
import { alarmBytes, type Runtime, slotLimit } from './runtime.ts';
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
  await runtime.firewall.setLimits(raised);
  const leased = answer.leased.flatMap((id) => runtime.usage.configs.get(id) ?? []);
  runtime.alarmBytes = Math.min(runtime.alarmBytes, alarmBytes(leased));
  const wasFull = report.samples.length === limits.node.maxSamplesPerReport;
  const hasMore = runtime.usage.closing.length > 0 || (wasFull && hasUnreported(runtime.usage));
  const reopened = raised.some((limit) => limit.mayHaveDropped);
  return { kind: hasMore || isOutstanding ? 'more' : 'done', reopened };
}

/** A report that waits in the spool is sent as it is; these are not looked at. */
function noVitals(runtime: Runtime): Vitals {
  return { signs: [], load: 0, tunnelsUp: runtime.tunnelsUp, agentVersion: runtime.agentVersion, ageMs: 0 };
}

async function takeVitals(runtime: Runtime): Promise<Vitals> {
  return {
    signs: await takeSigns(runtime),
    load: await runtime.health.readLoad(),
    tunnelsUp: runtime.tunnelsUp,
    agentVersion: runtime.agentVersion,
    ageMs: Math.max(0, Math.round(runtime.elapsedMs() - runtime.lastReadingMs)),
  };
}

/** Live tunnels, and once more those that have just ceased to be. */
async function takeSigns(runtime: Runtime): Promise<TunnelSign[]> {
  if (!runtime.tunnelsUp) return [];
  const ids = new Map<string, string>();
  for (const [id, peer] of runtime.peers) ids.set(peer.publicKey, id);
  const live = new Set<string>();
  const signs: TunnelSign[] = [];
  for (const { publicKey, handshakeAgeSeconds } of await runtime.tunnel.listLives()) {
    const config = ids.get(publicKey);
    if (config === undefined) continue;
    const isLive = handshakeAgeSeconds < limits.connection.handshakeFreshSeconds;
    if (isLive) live.add(config);
    if (!isLive && !runtime.live.has(config)) continue;
    signs.push({ config, handshakeAgeSeconds, pingMs: isLive ? runtime.roundTrips.find(config) : null });
  }
  runtime.live = live;
  runtime.roundTrips.refresh(
    [...live].flatMap((id) => {
      const address = runtime.peers.get(id)?.address4;
      return address && !runtime.usage.configs.get(id)?.blocked ? [{ id, address }] : [];
    }),
  );
  return signs;
}
