import { certifyForever } from './loops/certify-loop.ts';
import { pollForever, saveWanted } from './loops/poll-loop.ts';
import { reportForever } from './loops/report-loop.ts';
import { reopenTunnel, sampleForever } from './loops/sample-loop.ts';
import { tendServicesForever } from './loops/services-loop.ts';
import { watchSigns } from './loops/tunnel-status-loop.ts';
import { upgradeForever } from './loops/upgrade-loop.ts';
import { sendReport } from './metering/send-report.ts';
import { takeSample } from './metering/take-sample.ts';
import { describeError } from './platform/log.ts';
import type { Runtime } from './runtime.ts';
import { Shift } from './shift.ts';

export interface Agent {
  /** Takes a last reading; with `teardown` takes the interfaces away before it, tries to report it, and removes the table. */
  stop(teardown: boolean): Promise<void>;
}

const LAST_REPORT_MS = 2_000;

/**
 * The loops of a node: ask what is wanted and apply it; sample what the kernel counted; look who has come; report it all;
 * tend what it answers itself; keep its certificates, and itself, fresh. Each waits only for its own, so that a control
 * plane that is away stops neither serving nor metering.
 */
export function startAgent(
  runtime: Runtime,
  options: { random(): number; onBroken(error: unknown): void; onReplaced(): void },
): Agent {
  const shift = new Shift(runtime, options);
  for (const tunnel of runtime.tunnels) tunnel.onLost(() => void reopenTunnel(shift, tunnel));
  const serving = [pollForever, reportForever, sampleForever, watchSigns, tendServicesForever];
  for (const loop of [...serving, certifyForever, upgradeForever]) loop(shift).catch(options.onBroken);
  shift.reportBell.ring();
  return { stop: (teardown) => stop(shift, teardown) };
}

/** The tunnels first: what is read for the last time does not move any more. */
async function stop(shift: Shift, teardown: boolean): Promise<void> {
  const { runtime } = shift;
  const attempt = (what: string, work: () => Promise<unknown>) =>
    work().catch((error) => runtime.log.warn(what, { error: describeError(error) }));
  shift.isOver = true;
  shift.announceEpoch();
  runtime.services.page.close();
  await Promise.all(runtime.tunnels.map((tunnel) => attempt('last_tunnel', () => tunnel.close(teardown))));
  await attempt('last_wanted', () => saveWanted(shift));
  await attempt('last_sample', () => shift.inTurn(() => takeSample(runtime)));
  await attempt('last_usage', () => runtime.spool.writeUsage(runtime.usage));
  if (!teardown) return;
  runtime.up.clear();
  await attempt('last_report', () => sendReport(runtime, LAST_REPORT_MS));
  await attempt('last_usage', () => runtime.spool.writeUsage(runtime.usage));
  await attempt('table', () => shift.inTurn(() => runtime.firewall.remove()));
  await attempt('resolver', async () => runtime.services.resolver?.stop());
}
