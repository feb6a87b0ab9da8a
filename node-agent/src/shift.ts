import { Refused } from './control/api-client.ts';
import { takeSample } from './metering/take-sample.ts';
import { isReportUrgent } from './metering/usage-report.ts';
import type { BackOff } from './platform/back-off.ts';
import { describeError } from './platform/log.ts';
import { createTurns, type Turns } from './platform/mutex.ts';
import { createWake, type Wake } from './platform/signal.ts';
import type { Runtime } from './runtime.ts';

const LASTING_RETRY_MS = 60_000;

/** What the loops of an agent share while they run. */
export class Shift {
  readonly runtime: Runtime;
  readonly random: () => number;
  readonly reportBell: Wake = createWake();
  readonly pollBell: Wake = createWake();
  isOver = false;
  /** The control plane has answered since this agent was started. */
  hasReached = false;
  /** Another agent is in this one's place. */
  readonly onReplaced: () => void;
  /** A sample is wanted before its period is over. */
  isSampleDue = false;
  polling: AbortController | undefined;
  /** Samples and changes of epoch, one after the other. */
  readonly inTurn: Turns = createTurns();

  constructor(runtime: Runtime, options: { random(): number; onReplaced(): void }) {
    this.runtime = runtime;
    this.onReplaced = options.onReplaced;
    this.random = options.random;
  }

  sampleNow(): Promise<void> {
    return this.inTurn(async () => {
      // An agent that is ending reads for the last time by itself, and wants no other table than the one it takes away.
      if (this.isOver) return;
      if ((await takeSample(this.runtime)) === 'new_epoch') this.announceEpoch();
      else if (isReportUrgent(this.runtime.usage)) this.reportBell.ring();
    });
  }

  /** A question that was asked in an old epoch gets answers for the old one. */
  announceEpoch(): void {
    this.polling?.abort();
    this.reportBell.ring();
    this.pollBell.ring();
  }

  /** How long to wait after a failure. After a lasting refusal the node goes on enforcing leases and asks rarely. */
  delayAfter(what: string, error: unknown, backOff: BackOff): number {
    const isLasting = error instanceof Refused && error.isLasting;
    const delayMs = isLasting ? LASTING_RETRY_MS : backOff.nextDelayMs();
    this.runtime.log.warn('control_plane', { what, error: describeError(error), retryMs: Math.round(delayMs) });
    return delayMs;
  }
}
