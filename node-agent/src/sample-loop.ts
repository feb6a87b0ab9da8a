import { readFile } from 'node:fs/promises';
import { readLinkBytes } from './health.ts';
import { describeError } from './log.ts';
import type { Shift } from './shift.ts';
import { openTunnel } from './start-serving.ts';
import { loseEpoch } from './take-sample.ts';

const TICK_MS = 100;
const RULES_CHECK_MS = 15_000;
/** Sampling may take this share of the time at most. */
const MAX_SAMPLING_SHARE = 0.2;

/**
 * Samples every period; earlier when the interface, which is cheap to look at, has carried enough to use up half of what
 * some config has left. A lease is thus renewed before it runs out, however fast the device is.
 */
export async function sampleForever(shift: Shift): Promise<void> {
  const { runtime } = shift;
  let sampledAt = runtime.elapsedMs();
  let rulesCheckedAt = sampledAt;
  let tookMs = 0;
  let bytesThen = 0;
  while (!shift.isOver) {
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    const waitedMs = runtime.elapsedMs() - sampledAt;
    const { received, sent } = await readLinkBytes(shift.interfaceName);
    const isAlarming = received + sent - bytesThen >= runtime.alarmBytes && waitedMs * MAX_SAMPLING_SHARE >= tookMs;
    if (waitedMs < runtime.settings.samplePeriodMs && !isAlarming && !shift.isSampleDue) continue;
    sampledAt = runtime.elapsedMs();
    bytesThen = received + sent;
    shift.isSampleDue = false;
    try {
      await shift.sampleNow();
      tookMs = runtime.elapsedMs() - sampledAt;
      if (sampledAt - rulesCheckedAt > RULES_CHECK_MS) {
        rulesCheckedAt = sampledAt;
        await checkRules(shift);
      }
      if (!(await isTunnelUp(shift))) await reopenTunnel(shift);
    } catch (error) {
      runtime.log.error('sample', { error: describeError(error) });
    }
  }
}

const reopening = new WeakMap<Shift, Promise<void>>();

/** The daemon died or its interface was taken away. Devices that were live are woken from this side. */
export function reopenTunnel(shift: Shift): Promise<void> {
  const { runtime } = shift;
  const running = reopening.get(shift);
  if (running || shift.isOver) return running ?? Promise.resolve();
  runtime.tunnelsUp = false;
  runtime.log.error('tunnel_lost');
  const done = openTunnel(runtime).finally(() => reopening.delete(shift));
  reopening.set(shift, done);
  return done;
}

async function isTunnelUp(shift: Shift): Promise<boolean> {
  if (shift.isOver || reopening.has(shift)) return true;
  return (await isLinkUp(shift.interfaceName)) && (await shift.runtime.tunnel.isUp());
}

const IFF_UP = 1;

async function isLinkUp(interfaceName: string): Promise<boolean> {
  try {
    return (Number(await readFile(`/sys/class/net/${interfaceName}/flags`, 'utf8')) & IFF_UP) !== 0;
  } catch {
    return false;
  }
}

/** Without rules nothing is metered, though the counters stand there as before. */
async function checkRules(shift: Shift): Promise<void> {
  const { runtime } = shift;
  await shift.inTurn(async () => {
    if (runtime.tableEpoch !== runtime.usage.epoch || (await runtime.firewall.hasRules())) return;
    await loseEpoch(runtime, 'rules_gone');
    shift.announceEpoch();
  });
}
