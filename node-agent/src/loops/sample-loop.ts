import type { AgentContext } from '../agent-context.ts';
import { sampleNow } from '../metering/take-sample.ts';
import { readLinkBytes } from '../platform/health.ts';
import { describeError } from '../platform/log.ts';
import { watchRules } from './rules-watch.ts';
import { superviseTunnels } from './supervise-tunnels.ts';

const TICK_MS = 100;
/** Early samples may take this share of the time. */
const MAX_SAMPLING_SHARE = 0.2;

/**
 * Samples every period, and earlier in two cases: the tunnels, whose counters are cheap to read, have carried enough to
 * use up half of what some config has left, so that a lease is renewed before it runs out; or a config is being removed
 * and waits for its final reading.
 */
export async function sampleForever(
  context: AgentContext,
  sample: (context: AgentContext) => Promise<void> = sampleNow,
): Promise<void> {
  const { control, metering, applied, log } = context;
  const checkRules = watchRules(context);
  let sampledAt = context.elapsedMs();
  let tookMs = 0;
  let bytesThen = 0;
  while (!control.isStopping) {
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    const waitedMs = context.elapsedMs() - sampledAt;
    const bytes = readTunnelBytes(context);
    const isWanted = bytes - bytesThen >= metering.earlySampleBytes || metering.removing.size > 0;
    const isEarly = isWanted && waitedMs * MAX_SAMPLING_SHARE >= tookMs;
    if (waitedMs < applied.settings.samplePeriodMs && !isEarly && !metering.isSampleDue) continue;
    sampledAt = context.elapsedMs();
    bytesThen = bytes;
    metering.isSampleDue = false;
    try {
      await sample(context);
    } catch (error) {
      log.error('sample', { error: describeError(error) });
    }
    tookMs = context.elapsedMs() - sampledAt;
    // Also after a failed sample: this may repair its cause, or be independent of it.
    checkRules();
    superviseTunnels(context);
  }
}

function readTunnelBytes({ tunnels }: AgentContext): number {
  const links = tunnels.map(({ interfaceName }) => readLinkBytes(interfaceName));
  return links.reduce((sum, { received, sent }) => sum + received + sent, 0);
}
