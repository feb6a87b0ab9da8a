import type { AgentContext } from '../agent-context.ts';
import { announceEpoch, delayAfter } from '../control/control-state.ts';
import { sendReport } from '../metering/send-report.ts';
import { abandonEpoch } from '../metering/take-sample.ts';
import { createBackOff } from '../platform/back-off.ts';

/** Reports every period, and at once when signalled. An unanswered report is sent again until it is answered. */
export async function reportForever(context: AgentContext): Promise<void> {
  const { control, applied, log } = context;
  const backOff = createBackOff(context.random);
  while (!control.isStopping) {
    await control.reportSignal.wait(applied.settings.reportPeriodMs);
    try {
      await reportAll(context);
      backOff.reset();
    } catch (error) {
      if (!control.isStopping) await control.reportSignal.wait(delayAfter(error, 'usage_report', backOff, log));
    }
  }
}

async function reportAll(context: AgentContext): Promise<void> {
  const { control, metering } = context;
  while (!control.isStopping) {
    const sent = await sendReport(context);
    // The closing report of a lost epoch may have been accepted: the new epoch can be polled for.
    control.pollSignal.notify();
    if (sent.reopened) metering.isSampleDue = true;
    if (sent.kind === 'refused') {
      await metering.mutex.runExclusive(() => abandonEpoch(context));
      announceEpoch(control);
    }
    if (sent.kind === 'done') return;
  }
}
