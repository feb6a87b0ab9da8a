import { readLinkBytes } from '../platform/health.ts';
import { readLinkState } from '../platform/link.ts';
import { describeError } from '../platform/log.ts';
import type { Runtime } from '../runtime.ts';
import type { Shift } from '../shift.ts';
import { openTunnel } from '../tunnels/open-tunnel.ts';
import type { Tunnel } from '../tunnels/tunnel.ts';
import { watchRules } from './rules-watch.ts';

const TICK_MS = 100;
/** Sampling may take this share of the time at most. */
const MAX_SAMPLING_SHARE = 0.2;

/**
 * Samples every period; earlier when the interface, which is cheap to look at, has carried enough to use up half of what
 * some config has left. A lease is thus renewed before it runs out, however fast the device is. Earlier also when a config
 * that is leaving waits for its last reading: on a full node people come and go all the time, and a sample takes long.
 */
export async function sampleForever(shift: Shift): Promise<void> {
  const { runtime } = shift;
  let sampledAt = runtime.elapsedMs();
  const lookForRules = watchRules(shift);
  let tookMs = 0;
  let bytesThen = 0;
  while (!shift.isOver) {
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    const waitedMs = runtime.elapsedMs() - sampledAt;
    const bytes = await readTunnelBytes(runtime);
    const isWanted = bytes - bytesThen >= runtime.alarmBytes || runtime.leaving.size > 0;
    const isEarly = isWanted && waitedMs * MAX_SAMPLING_SHARE >= tookMs;
    if (waitedMs < runtime.settings.samplePeriodMs && !isEarly && !shift.isSampleDue) continue;
    sampledAt = runtime.elapsedMs();
    bytesThen = bytes;
    shift.isSampleDue = false;
    try {
      await shift.sampleNow();
    } catch (error) {
      runtime.log.error('sample', { error: describeError(error) });
    }
    tookMs = runtime.elapsedMs() - sampledAt;
    // Whatever became of the sample: what kept it from being taken may be what is mended here, or have nothing to do with it.
    lookForRules();
    superviseTunnels(shift);
  }
}

async function readTunnelBytes(runtime: Runtime): Promise<number> {
  const links = await Promise.all(runtime.tunnels.map(({ interfaceName }) => readLinkBytes(interfaceName)));
  return links.reduce((sum, { received, sent }) => sum + received + sent, 0);
}

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
 * The daemon died or its interface was taken away. Devices that were live are woken from this side, where the protocol
 * can. A protocol that does not come up is tried ever more seldom, and the others serve meanwhile.
 */
export function reopenTunnel(shift: Shift, tunnel: Tunnel): Promise<void> {
  const { runtime } = shift;
  const last = reopenings.get(tunnel);
  if (shift.isOver || last?.isRunning) return last?.done ?? Promise.resolve();
  if (last && runtime.elapsedMs() < last.nextAtMs) return Promise.resolve();
  runtime.up.delete(tunnel.protocol);
  runtime.log.error('tunnel_lost', { protocol: tunnel.protocol });
  const done = openTunnel(runtime, tunnel).then(
    () => settle(0),
    (error) => {
      runtime.log.error('tunnel', { protocol: tunnel.protocol, error: describeError(error) });
      settle((last?.failures ?? 0) + 1);
    },
  );
  const reopening: Reopening = { done, isRunning: true, failures: last?.failures ?? 0, nextAtMs: 0 };
  reopenings.set(tunnel, reopening);
  const settle = (failures: number) => {
    const delayMs = failures === 0 ? 0 : Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
    Object.assign(reopening, { isRunning: false, failures, nextAtMs: runtime.elapsedMs() + delayMs });
  };
  return done;
}

/** In the background: a daemon that does not answer must not keep the others from being metered. */
function superviseTunnels(shift: Shift): void {
  const { runtime } = shift;
  for (const tunnel of runtime.tunnels) {
    if (shift.isOver || tunnel.settingsOf(runtime.settings) === undefined) continue;
    if (reopenings.get(tunnel)?.isRunning) continue;
    isTunnelUp(runtime, tunnel)
      .then((isUp) => (isUp ? undefined : reopenTunnel(shift, tunnel)))
      .catch((error) => runtime.log.error('tunnel', { protocol: tunnel.protocol, error: describeError(error) }));
  }
}

async function isTunnelUp(runtime: Runtime, tunnel: Tunnel): Promise<boolean> {
  const isServed = runtime.up.has(tunnel.protocol) && readLinkState(tunnel.interfaceName) === 'up';
  return isServed && (await tunnel.isUp());
}
