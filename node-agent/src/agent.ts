import type { AgentContext } from './agent-context.ts';
import { toStoredState } from './control/applied-state.ts';
import { announceEpoch } from './control/control-state.ts';
import { certifyForever } from './loops/certify-loop.ts';
import { pollForever } from './loops/poll-loop.ts';
import { tryRelaysForever } from './loops/relay-loop.ts';
import { reportForever } from './loops/report-loop.ts';
import { sampleForever } from './loops/sample-loop.ts';
import { maintainServicesForever } from './loops/services-loop.ts';
import { limitSpeedsForever } from './loops/speed-loop.ts';
import { reopenTunnel } from './loops/supervise-tunnels.ts';
import { watchTunnelsForever } from './loops/tunnel-status-loop.ts';
import { upgradeForever } from './loops/upgrade-loop.ts';
import { sendReport } from './metering/send-report.ts';
import { takeSample } from './metering/take-sample.ts';
import { describeError } from './platform/log.ts';

export interface Agent {
  /** Takes a last reading. With `teardown` it removes the interfaces first, then reports the reading and removes the table. */
  stop(teardown: boolean): Promise<void>;
}

const LAST_REPORT_MS = 2_000;

/**
 * The loops of a node. Each waits only for its own work, so that neither serving nor metering depends on the control
 * plane.
 */
export function startAgent(
  context: AgentContext,
  options: { onBroken(error: unknown): void; onReplaced(): void },
): Agent {
  for (const tunnel of context.tunnels) tunnel.onLost(() => void reopenTunnel(context, tunnel));
  const loops = [
    pollForever(context),
    reportForever(context),
    sampleForever(context),
    watchTunnelsForever(context),
    maintainServicesForever(context),
    limitSpeedsForever(context),
    certifyForever(context),
    tryRelaysForever(context),
    upgradeForever(context, options.onReplaced),
  ];
  for (const loop of loops) loop.catch(options.onBroken);
  context.control.reportSignal.notify();
  return { stop: (teardown) => stop(context, teardown) };
}

/** Tunnels first: the last reading must not change any more. */
async function stop(context: AgentContext, teardown: boolean): Promise<void> {
  const { metering, spool, firewall, control, log } = context;
  const attempt = (step: string, work: () => Promise<unknown>) =>
    work().catch((error) => log.warn(step, { error: describeError(error) }));
  const saveUsage = () => attempt('last_usage', () => spool.writeUsage(metering.usage));
  control.isStopping = true;
  announceEpoch(control);
  context.captivePortal.close();
  await Promise.all(context.tunnels.map((tunnel) => attempt('last_tunnel', () => tunnel.close(teardown))));
  await attempt('last_desired', () => spool.writeDesired(toStoredState(context.applied)));
  await attempt('last_sample', () => metering.mutex.runExclusive(() => takeSample(context)));
  await saveUsage();
  if (!teardown) return;
  context.tunnelState.up.clear();
  await attempt('last_report', () => sendReport(context, LAST_REPORT_MS));
  await saveUsage();
  await attempt('table', () => metering.mutex.runExclusive(() => firewall.remove()));
  await attempt('speeds', () => context.speedQueues.remove());
  await attempt('reach', () => context.reach.remove());
  await attempt('resolver', async () => context.resolver?.stop());
}
