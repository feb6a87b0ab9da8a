import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentContext } from '../agent-context.ts';
import { findChanges } from '../tunnels/tunnel-status.ts';

/** Users wait for the panel to show their device, so a connection should be reported well within a second. */
const CHECK_MS = 400;
/** Asking the daemons takes longer the more devices there are, and most of it is waiting; it may take this share of the time. */
const MAX_CHECKING_SHARE = 0.08;

/** Checks for devices that have connected or disconnected, and has them reported at once. */
export async function watchTunnelsForever(context: AgentContext): Promise<void> {
  const check = createStatusCheck(context, () => context.control.reportSignal.notify());
  let delayMs = CHECK_MS;
  while (!context.control.isStopping) {
    await sleep(delayMs);
    if (!context.control.isStopping) delayMs = await check();
  }
}

/**
 * One check, which returns how long to wait until the next. There is none when every config has its device. A change
 * notifies once: while the control plane is away it must not cut every pause between retries short.
 */
export function createStatusCheck(context: AgentContext, notify: () => void): () => Promise<number> {
  const { tunnelState } = context;
  let reported = tunnelState.live;
  let notified: ReadonlySet<string> = new Set();
  return async () => {
    if (!mayChange(context)) return CHECK_MS;
    const startedAt = context.elapsedMs();
    const changes = await findChanges(context);
    const isNotified = (config: string) => reported === tunnelState.live && notified.has(config);
    if (![...changes].every(isNotified)) notify();
    reported = tunnelState.live;
    notified = changes;
    return Math.max(CHECK_MS, (context.elapsedMs() - startedAt) / MAX_CHECKING_SHARE);
  };
}

function mayChange({ applied, tunnels, tunnelState }: AgentContext): boolean {
  return tunnelState.live.size < applied.peers.size || tunnels.some(({ hasSessions }) => hasSessions);
}
