import { certifyForever } from './certify-loop.ts';
import { describeError } from './log.ts';
import { pollForever, saveWanted } from './poll-loop.ts';
import { reportForever } from './report-loop.ts';
import type { Runtime } from './runtime.ts';
import { reopenTunnel, sampleForever } from './sample-loop.ts';
import { sendReport } from './send-report.ts';
import { Shift } from './shift.ts';
import { watchSigns } from './sign-loop.ts';
import { takeSample } from './take-sample.ts';
import { tendServicesForever } from './tend-services.ts';
import { upgradeForever } from './upgrade-loop.ts';

export interface Agent {
  /** Takes a last reading; with `teardown` also tries to report it, and takes interface and table away. */
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

async function stop(shift: Shift, teardown: boolean): Promise<void> {
  const { runtime } = shift;
  shift.isOver = true;
  shift.announceEpoch();
  await saveWanted(shift);
  await shift.inTurn(() => takeSample(runtime)).catch((error) => warn(runtime, 'last_sample', error));
  await runtime.spool.writeUsage(runtime.usage);
  if (teardown) {
    await sendReport(runtime, LAST_REPORT_MS).catch((error) => warn(runtime, 'last_report', error));
    await runtime.spool.writeUsage(runtime.usage);
    await runtime.firewall.remove();
    await runtime.services.resolver?.stop();
  }
  runtime.services.page.close();
  for (const tunnel of runtime.tunnels) await tunnel.close(teardown);
}

function warn(runtime: Runtime, what: string, error: unknown): void {
  runtime.log.warn(what, { error: describeError(error) });
}
