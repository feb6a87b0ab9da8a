import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentContext } from '../agent-context.ts';
import { describeError } from '../platform/log.ts';

const TICK_MS = 1_000;

/** Tries this node's relays, soon after the settings name others; the next report has the results. */
export async function tryRelaysForever({ relayProbe, applied, control, log, elapsedMs }: AgentContext): Promise<void> {
  let [dueAt, tried] = [0, ''];
  while (!control.isStopping) {
    const { relays } = applied.settings;
    const wanted = JSON.stringify(relays ?? null);
    if (wanted !== tried || (relays && elapsedMs() >= dueAt)) {
      tried = wanted;
      dueAt = elapsedMs() + (relays?.periodMs ?? 0);
      await relayProbe.tryAll(relays).catch((error: unknown) => log.warn('relays', { error: describeError(error) }));
    }
    await sleep(TICK_MS);
  }
  relayProbe.close();
}
