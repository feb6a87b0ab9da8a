import { Refused } from './api-client.ts';
import { applyDesired } from './apply-desired.ts';
import { createBackOff } from './back-off.ts';
import { readLinkBytes } from './health.ts';
import { describeError } from './log.ts';
import type { Runtime } from './runtime.ts';
import { sendReport } from './send-report.ts';
import { openTunnel } from './start-serving.ts';
import { abandonEpoch, alarmBytes, loseEpoch, takeSample } from './take-sample.ts';
import { isReportUrgent } from './usage-report.ts';
import { createWake } from './wake.ts';

export interface Agent {
  /** Takes a last reading and, with `teardown`, tries to report it; the loops end. */
  stop(teardown: boolean): Promise<void>;
}

const TICK_MS = 100;
const RULES_CHECK_MS = 15_000;
const SUPERSEDED_RETRY_MS = 60_000;
const LAST_REPORT_MS = 2_000;

/**
 * The loop of the node: asks what is wanted and applies it; samples what the kernel counted; reports it. Each part waits
 * for its own: a control plane that is away stops neither serving nor metering.
 */
export function startAgent(runtime: Runtime, options: { readonly interfaceName: string; random(): number }): Agent {
  const reportWake = createWake();
  const pollWake = createWake();
  let isStopping = false;
  let isSampleDue = false;
  let polling: AbortController | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  /** Sampling and changes of epoch, one after the other. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  };
  const announceEpoch = () => {
    polling?.abort();
    reportWake.ring();
    pollWake.ring();
  };
  const sampleNow = () =>
    inTurn(async () => {
      if ((await takeSample(runtime)) === 'new_epoch') announceEpoch();
      else if (isReportUrgent(runtime.usage)) reportWake.ring();
    });
  const finishLeaving = async () => {
    await sampleNow();
  };

  async function poll(): Promise<void> {
    const backOff = createBackOff(options.random);
    while (!isStopping) {
      // A lost epoch speaks first: leases for the new one are written when its predecessor's bytes are known.
      if (runtime.usage.closing.length > 0 || runtime.tableEpoch !== runtime.usage.epoch) {
        await pollWake.wait(TICK_MS * 10);
        continue;
      }
      try {
        await pollOnce();
        backOff.reset();
      } catch (error) {
        if (isStopping) return;
        if (polling?.signal.aborted) continue;
        await pollWake.wait(delayAfter('desired_state', error, backOff));
      }
    }
  }

  async function pollOnce(): Promise<void> {
    const { epoch } = runtime.usage;
    polling = new AbortController();
    const wanted = await runtime.client.getDesiredState({ after: runtime.generation, epoch }, polling.signal);
    if (runtime.usage.epoch !== epoch) return;
    const generation = runtime.generation;
    const result = await applyDesired(runtime, wanted, finishLeaving);
    if (result.kind === 'refused') throw new Error('the wanted state was refused');
    if (runtime.generation === generation) return;
    if (result.reopened || runtime.leaving.size > 0) isSampleDue = true;
    saveWanted();
  }

  /** Off the path of the acknowledgement: after a crash the whole state is asked for anyway. */
  let saving: NodeJS.Timeout | undefined;
  function saveWanted(): void {
    saving ??= setTimeout(() => {
      saving = undefined;
      const { generation, settings, peers } = runtime;
      const wanted = { generation, settings, peers: [...peers.values()] };
      runtime.spool.writeWanted(wanted).catch((error) => runtime.log.error('spool', { error: describeError(error) }));
      runtime.firewall.prepareAhead(Math.max(0, ...runtime.slots.keys())).catch((error) => {
        runtime.log.error('prepare_slots', { error: describeError(error) });
      });
    }, 200);
  }

  async function report(): Promise<void> {
    const backOff = createBackOff(options.random);
    while (!isStopping) {
      await reportWake.wait(runtime.settings.reportPeriodMs);
      try {
        while (!isStopping) {
          const sent = await sendReport(runtime);
          pollWake.ring();
          if (sent === 'refused') await inTurn(() => abandonEpoch(runtime)).then(announceEpoch);
          if (sent === 'done') break;
        }
        backOff.reset();
      } catch (error) {
        if (!isStopping) await reportWake.wait(delayAfter('usage_report', error, backOff));
      }
    }
  }

  async function sample(): Promise<void> {
    let sampledAt = runtime.elapsedMs();
    let tookMs = 0;
    let rulesCheckedAt = sampledAt;
    let bytesThen = 0;
    while (!isStopping) {
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
      const waited = runtime.elapsedMs() - sampledAt;
      const { received, sent } = await readLinkBytes(options.interfaceName);
      const isAlarming = received + sent - bytesThen >= alarm && waited >= tookMs * 5;
      if (waited < runtime.settings.samplePeriodMs && !isAlarming && !isSampleDue) continue;
      try {
        isSampleDue = false;
        sampledAt = runtime.elapsedMs();
        bytesThen = received + sent;
        await sampleNow();
        alarm = alarmBytes(runtime.usage);
        tookMs = runtime.elapsedMs() - sampledAt;
        if (sampledAt - rulesCheckedAt > RULES_CHECK_MS) {
          rulesCheckedAt = sampledAt;
          await checkRules();
        }
        await checkTunnel();
      } catch (error) {
        runtime.log.error('sample', { error: describeError(error) });
      }
    }
  }
  let alarm = Number.POSITIVE_INFINITY;

  async function checkRules(): Promise<void> {
    await inTurn(async () => {
      if (runtime.tableEpoch !== runtime.usage.epoch || (await runtime.firewall.hasRules())) return;
      await loseEpoch(runtime, 'rules_gone');
      announceEpoch();
    });
  }

  let reopening: Promise<void> | undefined;
  function reopenTunnel(): Promise<void> {
    reopening ??= (async () => {
      runtime.tunnelsUp = false;
      runtime.log.error('tunnel_lost');
      await openTunnel(runtime);
    })().finally(() => {
      reopening = undefined;
    });
    return reopening;
  }

  async function checkTunnel(): Promise<void> {
    if (!isStopping && !(await runtime.tunnel.isUp())) await reopenTunnel();
  }

  /** A newer registration has taken over: enforce on, ask seldom. */
  function delayAfter(what: string, error: unknown, backOff: { nextDelayMs(): number }): number {
    const isSuperseded = error instanceof Refused && error.code === 'node_superseded';
    const delayMs = isSuperseded ? SUPERSEDED_RETRY_MS : backOff.nextDelayMs();
    runtime.log.warn('control_plane', { what, error: describeError(error), retryMs: Math.round(delayMs) });
    return delayMs;
  }

  runtime.tunnel.onLost(() => {
    if (!isStopping) reopenTunnel().catch((error) => runtime.log.error('tunnel', { error: describeError(error) }));
  });
  for (const loop of [poll, report, sample]) {
    loop().catch((error) => {
      runtime.log.error('loop_ended', { error: describeError(error) });
      process.exitCode = 1;
      process.kill(process.pid, 'SIGTERM');
    });
  }
  reportWake.ring();

  return {
    stop: async (teardown) => {
      isStopping = true;
      clearTimeout(saving);
      polling?.abort();
      const wanted = { generation: runtime.generation, settings: runtime.settings, peers: [...runtime.peers.values()] };
      await runtime.spool.writeWanted(wanted);
      await inTurn(() => takeSample(runtime)).catch((error) => {
        runtime.log.error('sample', { error: describeError(error) });
      });
      await runtime.spool.writeUsage(runtime.usage);
      if (teardown) {
        await sendReport(runtime, LAST_REPORT_MS).catch((error) => {
          runtime.log.warn('control_plane', { what: 'last_report', error: describeError(error), retryMs: 0 });
        });
        await runtime.spool.writeUsage(runtime.usage);
        await runtime.firewall.remove();
      }
      await runtime.tunnel.close(teardown);
    },
  };
}
