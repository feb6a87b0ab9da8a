import { keepAlerts } from '../modules/alerts/keep-alerts.ts';
import { alertsWork } from '../modules/alerts/work.ts';
import { billingWork } from '../modules/billing/work.ts';
import { bulkWork } from '../modules/bulk/work.ts';
import { configsWork } from '../modules/configs/work.ts';
import { currencyWork } from '../modules/currency/work.ts';
import { factorsWork } from '../modules/factors/work.ts';
import { giftCardsWork } from '../modules/gift-cards/work.ts';
import { invoicesWork } from '../modules/invoices/work.ts';
import { meteringWork } from '../modules/metering/work.ts';
import { movementWork } from '../modules/movement/work.ts';
import { notificationsWork } from '../modules/notifications/work.ts';
import { paymentsWork } from '../modules/payments/work.ts';
import { planSalesWork } from '../modules/plan-sales/work.ts';
import { profileWork } from '../modules/profile/work.ts';
import { reachWork } from '../modules/reach/work.ts';
import { sessionsWork } from '../modules/sessions/work.ts';
import { settlementsWork } from '../modules/settlements/work.ts';
import { staffWork } from '../modules/staff/work.ts';
import { subscriptionsWork } from '../modules/subscriptions/work.ts';
import { walletWork } from '../modules/wallet/work.ts';
import { forgetOldKeys } from '../platform/idempotency.ts';
import type { Job, Schedule, Work } from '../platform/jobs.ts';
import { type Leader, openLeader } from '../platform/leader.ts';
import { createRunNotes } from '../platform/schedule-runs.ts';
import { findCauses } from './alert-causes.ts';
import type { Deps } from './deps.ts';
import { sealEverythingAgain } from './key-rotation.ts';
import { proveNew, proveWhole } from './prove-ledger.ts';
import { LOOK_FOR_CAUSES } from './watch-worker.ts';

/** Opens and closes alerts. The worker that leads does it; that there is none is seen by servers (`watch-worker.ts`). */
async function lookForCauses(deps: Deps): Promise<void> {
  await keepAlerts(deps, await findCauses(deps, allSchedules), () => true);
}

const platformWork: Work<Deps> = {
  schedules: [
    { name: 'prove what is new in the ledger', everyMs: 60_000, run: proveNew },
    { name: 'prove the whole ledger', everyMs: 60_000, run: proveWhole },
    { name: 'seal again with the newest master key', everyMs: 10_000, run: (deps) => sealEverythingAgain(deps) },
    { name: LOOK_FOR_CAUSES, everyMs: 30_000, run: lookForCauses },
    {
      name: 'forget old idempotency keys',
      everyMs: 3_600_000,
      run: ({ db, clock }) => forgetOldKeys(db, clock.now()),
    },
  ],
};

/** All background work: job handlers and scheduled tasks. */
const all: readonly Work<Deps>[] = [
  platformWork,
  sessionsWork,
  staffWork,
  alertsWork,
  factorsWork,
  currencyWork,
  invoicesWork,
  paymentsWork,
  settlementsWork,
  giftCardsWork,
  meteringWork,
  reachWork,
  billingWork,
  walletWork,
  configsWork,
  movementWork,
  subscriptionsWork,
  planSalesWork,
  notificationsWork,
  profileWork,
  bulkWork,
];

const handlers = all.flatMap((work) => work.handlers ?? []);

export const allJobs: readonly Job<unknown>[] = handlers.map(({ job }) => job);

export const allSchedules: readonly Schedule<Deps>[] = all.flatMap((work) => work.schedules ?? []);

export interface RunningWork {
  /** Whether this worker runs the schedules; of all workers of a database one does. */
  isLeading(): boolean;
  stop(): Promise<void>;
}

/** Every worker runs jobs; the one that leads runs the schedules too. */
export async function startWork(deps: Deps): Promise<RunningWork> {
  await startHandlers(deps);
  const leader = await openLeader(deps.databaseUrl, deps.log);
  const noteRun = createRunNotes(deps.db);
  const stops = allSchedules.map((schedule) => repeat(deps, leader, schedule, noteRun));
  return {
    isLeading: () => leader.isLeading(),
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
      await leader.close();
    },
  };
}

/** Runs the handlers of all jobs except those of `except`. */
export async function startHandlers(deps: Deps, except: readonly { readonly name: string }[] = []): Promise<void> {
  const skipped = new Set(except.map(({ name }) => name));
  for (const { job, run } of handlers) {
    if (!skipped.has(job.name)) await deps.jobs.work(job, (data, attempt) => run(deps, data, attempt));
  }
}

/** How often a worker that does not lead looks whether it does. */
const FOLLOWER_MS = 5_000;

/**
 * Repeats a task without overlap while this worker leads. The returned function stops it and waits for the run in progress.
 */
function repeat(
  deps: Deps,
  leader: Leader,
  { name, everyMs, run }: Schedule<Deps>,
  noteRun: ReturnType<typeof createRunNotes>,
): () => Promise<void> {
  let stopped = false;
  let running: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const round = () => {
    if (!leader.isLeading()) {
      timer = setTimeout(round, Math.min(everyMs, FOLLOWER_MS));
      return;
    }
    running = run(deps)
      .then(() => noteRun(name, deps.clock.now()))
      .catch((err: unknown) => deps.log.error({ err, task: name }, 'a scheduled task failed'))
      .finally(() => {
        if (!stopped) timer = setTimeout(round, everyMs);
      });
  };
  timer = setTimeout(round, everyMs);
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
