import type { AgentContext } from '../agent-context.ts';
import { readLinkState } from '../platform/link.ts';
import { describeError } from '../platform/log.ts';
import { openTunnel } from '../tunnels/open-tunnel.ts';
import type { Tunnel } from '../tunnels/tunnel.ts';

interface Reopening {
  readonly done: Promise<void>;
  isRunning: boolean;
  failures: number;
  nextAtMs: number;
}
const reopenings = new WeakMap<Tunnel, Reopening>();
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

/**
 * Restores a tunnel whose daemon died or whose interface was removed. A protocol that does not come up is tried ever more
 * rarely, and the others go on serving.
 */
export function reopenTunnel(context: AgentContext, tunnel: Tunnel): Promise<void> {
  const { control, tunnelState, log, elapsedMs } = context;
  const last = reopenings.get(tunnel);
  if (control.isStopping || last?.isRunning) return last?.done ?? Promise.resolve();
  if (last && elapsedMs() < last.nextAtMs) return Promise.resolve();
  tunnelState.up.delete(tunnel.name);
  log.error('tunnel_lost', { tunnel: tunnel.name });
  const done = openTunnel(context, tunnel).then(
    () => settle(0),
    (error) => {
      log.error('tunnel', { tunnel: tunnel.name, error: describeError(error) });
      settle((last?.failures ?? 0) + 1);
    },
  );
  const reopening: Reopening = { done, isRunning: true, failures: last?.failures ?? 0, nextAtMs: 0 };
  reopenings.set(tunnel, reopening);
  const settle = (failures: number) => {
    const delayMs = failures === 0 ? 0 : Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
    Object.assign(reopening, { isRunning: false, failures, nextAtMs: elapsedMs() + delayMs });
  };
  return done;
}

/** In the background: a daemon that does not answer must not delay metering. */
export function superviseTunnels(context: AgentContext): void {
  const { control, applied, tunnels, log } = context;
  for (const tunnel of tunnels) {
    if (control.isStopping || tunnel.settingsOf(applied.settings) === undefined) continue;
    if (reopenings.get(tunnel)?.isRunning) continue;
    isTunnelUp(context, tunnel)
      .then((isUp) => (isUp ? undefined : reopenTunnel(context, tunnel)))
      .catch((error) => log.error('tunnel', { tunnel: tunnel.name, error: describeError(error) }));
  }
}

async function isTunnelUp({ tunnelState }: AgentContext, tunnel: Tunnel): Promise<boolean> {
  const hasInterface = tunnel.hasInterfacePerDevice || readLinkState(tunnel.interfaceName) === 'up';
  return tunnelState.up.has(tunnel.name) && hasInterface && (await tunnel.isUp());
}
