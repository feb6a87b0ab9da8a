import { keepAlerts } from '../modules/alerts/keep-alerts.ts';
import type { Cause } from '../modules/alerts/rules.ts';
import { type SendDeps, sendMessages } from '../modules/alerts/send-messages.ts';
import { secondsBetween } from '../platform/clock.ts';
import { readRun } from '../platform/schedule-runs.ts';

/** The schedule by which a worker shows that it works. */
export const LOOK_FOR_CAUSES = 'look for causes of alerts';

const EVERY_MS = 30_000;
/** Noted once a minute at most, so that this is two runs missed. */
const SILENT_SECONDS = 180;

const workerSilent: Cause = { rule: 'worker_silent', cause: '', figure: null, forSeconds: 0 };

/**
 * What every server looks after, because no worker can: that one works. If none does, the server opens the alert and sends what is
 * due itself. The worker closes it when it is back, as every other. A database that is away is seen by a watch outside (docs/operations.md).
 * Returns what stops it.
 */
export function watchWorker(deps: SendDeps): () => Promise<void> {
  const since = deps.clock.now();
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = lookForWorker(deps, since).then(
      () => undefined,
      (err: unknown) => deps.log.warn({ err }, 'whether a worker works was not looked at'),
    );
  }, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/** `since`: when this server began, for an installation whose worker never ran. Returns whether a worker works. */
export async function lookForWorker(deps: SendDeps, since: Date): Promise<boolean> {
  const last = (await readRun(deps.db, LOOK_FOR_CAUSES)) ?? since;
  const isWorking = secondsBetween(last, deps.clock.now()) <= SILENT_SECONDS;
  if (!isWorking) {
    await keepAlerts(deps, [workerSilent], () => false);
    await sendMessages(deps);
  }
  return isWorking;
}
