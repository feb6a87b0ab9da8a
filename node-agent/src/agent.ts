import { describeError } from './log.ts';
import { pollForever, saveWanted } from './poll-loop.ts';
import { reportForever } from './report-loop.ts';
import type { Runtime } from './runtime.ts';
import { reopenTunnel, sampleForever } from './sample-loop.ts';
import { sendReport } from './send-report.ts';
import { Shift } from './shift.ts';
import { takeSample } from './take-sample.ts';

export interface Agent {
  /** Takes a last reading; with `teardown` also tries to report it, and takes interface and table away. */
  stop(teardown: boolean): Promise<void>;
}

const LAST_REPORT_MS = 2_000;

/**
 * The loops of a node: ask what is wanted and apply it; sample what the kernel counted; report it. Each waits only for
 * its own, so that a control plane that is away stops neither serving nor metering.
 */
export function startAgent(
  runtime: Runtime,
  options: { readonly interfaceName: string; random(): number; onBroken(error: unknown): void },
): Agent {
  const shift = new Shift(runtime, options);
  runtime.tunnel.onLost(() => {
    reopenTunnel(shift).catch((error) => runtime.log.error('tunnel', { error: describeError(error) }));
  });
  for (const loop of [pollForever, reportForever, sampleForever]) loop(shift).catch(options.onBroken);
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
  }
  await runtime.tunnel.close(teardown);
}

function warn(runtime: Runtime, what: string, error: unknown): void {
  runtime.log.warn(what, { error: describeError(error) });
}
