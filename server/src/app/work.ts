import { billingWork } from '../modules/billing/work.ts';
import { configsWork } from '../modules/configs/work.ts';
import { currencyWork } from '../modules/currency/work.ts';
import { factorsWork } from '../modules/factors/work.ts';
import { giftCardsWork } from '../modules/gift-cards/work.ts';
import { meteringWork } from '../modules/metering/work.ts';
import { notificationsWork } from '../modules/notifications/work.ts';
import { paymentsWork } from '../modules/payments/work.ts';
import { planSalesWork } from '../modules/plan-sales/work.ts';
import { profileWork } from '../modules/profile/work.ts';
import { sessionsWork } from '../modules/sessions/work.ts';
import { settlementsWork } from '../modules/settlements/work.ts';
import { subscriptionsWork } from '../modules/subscriptions/work.ts';
import { walletWork } from '../modules/wallet/work.ts';
import { sendEmail } from '../platform/email.ts';
import { forgetOldKeys } from '../platform/idempotency.ts';
import { handle, type Job, type Schedule, type Work } from '../platform/jobs.ts';
import type { Deps } from './deps.ts';
import { sealEverythingAgain } from './key-rotation.ts';
import { createLedgerProof } from './prove-ledger.ts';

const platformWork: Work<Deps> = {
  handlers: [handle(sendEmail, (deps: Deps, email) => deps.mailer.send(email))],
  schedules: [
    { name: 'seal again with the newest master key', everyMs: 10_000, run: (deps) => sealEverythingAgain(deps) },
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
  factorsWork,
  currencyWork,
  paymentsWork,
  settlementsWork,
  giftCardsWork,
  meteringWork,
  billingWork,
  walletWork,
  configsWork,
  subscriptionsWork,
  planSalesWork,
  notificationsWork,
  profileWork,
];

const handlers = all.flatMap((work) => work.handlers ?? []);

export const allJobs: readonly Job<unknown>[] = handlers.map(({ job }) => job);

export async function startWork(deps: Deps, onViolations: (count: number) => void): Promise<{ stop(): Promise<void> }> {
  await startHandlers(deps);
  const proof = { name: 'check the ledger', everyMs: 60_000, run: createLedgerProof(deps, onViolations) };
  const stops = [...all.flatMap((work) => work.schedules ?? []), proof].map((schedule) => repeat(deps, schedule));
  return {
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

/** Runs the handlers of all jobs except those of `except`. */
export async function startHandlers(deps: Deps, except: readonly { readonly name: string }[] = []): Promise<void> {
  const skipped = new Set(except.map(({ name }) => name));
  for (const { job, run } of handlers) {
    if (!skipped.has(job.name)) await deps.jobs.work(job, (data) => run(deps, data));
  }
}

/** Repeats a task without overlap. The returned function stops it and waits for the run in progress. */
function repeat(deps: Deps, { name, everyMs, run }: Schedule<Deps>): () => Promise<void> {
  let stopped = false;
  let running: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const round = () => {
    running = run(deps)
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
