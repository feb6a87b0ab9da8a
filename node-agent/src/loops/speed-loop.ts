import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentContext } from '../agent-context.ts';
import { speedLimits } from '../metering/slot-limits.ts';
import { describeError } from '../platform/log.ts';

const TICK_MS = 1_000;
const RETRY_MS = 10_000;

/** Holds configs to the speeds of their leases. A kernel that cannot do it neither delays leases nor metering. */
export async function limitSpeedsForever({
  control,
  metering,
  applied,
  speedQueues,
  log,
}: AgentContext): Promise<void> {
  while (!control.isStopping) {
    const isDone = await speedQueues.bring(speedLimits(metering.usage, applied.peers)).then(
      () => true,
      (error) => {
        if (!control.isStopping) log.warn('speeds', { error: describeError(error) });
        return false;
      },
    );
    await sleep(isDone ? TICK_MS : RETRY_MS);
  }
}
