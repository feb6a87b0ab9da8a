import { sendReport } from '../metering/send-report.ts';
import { abandonEpoch } from '../metering/take-sample.ts';
import { createBackOff } from '../platform/back-off.ts';
import type { Shift } from '../shift.ts';

/** Reports every period, and at once when the bell rings. An unanswered report is sent again until it is answered. */
export async function reportForever(shift: Shift): Promise<void> {
  const { runtime } = shift;
  const backOff = createBackOff(shift.random);
  while (!shift.isOver) {
    await shift.reportBell.wait(runtime.settings.reportPeriodMs);
    try {
      await reportAll(shift);
      backOff.reset();
    } catch (error) {
      if (!shift.isOver) await shift.reportBell.wait(shift.delayAfter('usage_report', error, backOff));
    }
  }
}

async function reportAll(shift: Shift): Promise<void> {
  const { runtime } = shift;
  while (!shift.isOver) {
    const sent = await sendReport(runtime);
    // A lost epoch may have said its last words: the new one can be asked for.
    shift.pollBell.ring();
    if (sent.reopened) shift.isSampleDue = true;
    if (sent.kind === 'refused') {
      await shift.inTurn(() => abandonEpoch(runtime));
      shift.announceEpoch();
    }
    if (sent.kind === 'done') return;
  }
}
