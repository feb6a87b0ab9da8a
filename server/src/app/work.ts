import { bookSilentUsage } from '../modules/billing/book-usage.ts';
import { reclaimIdleLeases, restoreService } from '../modules/billing/restore-service.ts';
import { leaveServers } from '../modules/configs/leave-servers.ts';
import { refreshRate } from '../modules/currency/refresh-rate.ts';
import { forgetOldTries } from '../modules/gift-cards/forget.ts';
import { forgetOldConnections } from '../modules/metering/connections.ts';
import { watchCaps } from '../modules/metering/watch-caps.ts';
import { forgetOldWithheld } from '../modules/metering/withheld.ts';
import { forgetOldNotices } from '../modules/notifications/forget.ts';
import { forgetOldCalls } from '../modules/payments/gateway-health.ts';
import { reconcilePayments, sweepUnverified } from '../modules/payments/reconcile-payments.ts';
import { reconcileRefunds, sendRefund } from '../modules/payments/send-refund.ts';
import { forgetUnknownRecipients } from '../modules/payments/transfer-money.ts';
import { warnOfEndingPlans } from '../modules/plan-sales/warn-ending.ts';
import { forgetOldPhoneCodes } from '../modules/profile/forget.ts';
import { sendSms } from '../modules/profile/send-sms.ts';
import { mailResetLink } from '../modules/sessions/change-password.ts';
import { forgetOldSessions } from '../modules/sessions/forget.ts';
import { forgetOldKeys } from '../platform/idempotency.ts';
import type { Deps } from './deps.ts';
import { createLedgerProof } from './prove-ledger.ts';

/** What runs without a request: reactions to facts, and what comes round by the clock. */
export async function startWork(deps: Deps, onViolations: (count: number) => void): Promise<{ stop(): Promise<void> }> {
  await deps.jobs.work('mail.send', (mail) => deps.mailer.send(mail));
  await deps.jobs.work('sms.send', (message) => sendSms(deps, message));
  await deps.jobs.work('password.forgot', ({ email }) => mailResetLink(deps, email));
  await deps.jobs.work('service.restore', ({ userId }) => restoreService(deps, userId));
  await deps.jobs.work('refund.send', ({ refundId }) => sendRefund(deps, refundId));
  const stops = [
    every(deps, 'reconcile refunds', 15_000, () => reconcileRefunds(deps)),
    every(deps, 'reconcile payments', 5_000, () => reconcilePayments(deps)),
    every(deps, 'sweep unverified payments', 60_000, () => sweepUnverified(deps)),
    every(deps, 'read the dollar rate', 20_000, () => refreshRate(deps)),
    every(deps, 'book silent usage', 30_000, () => bookSilentUsage(deps)),
    every(deps, 'reclaim idle leases', 60_000, () => reclaimIdleLeases(deps)),
    every(deps, 'watch the traffic of servers', 60_000, () => watchCaps(deps)),
    every(deps, 'leave servers', 15_000, () => leaveServers(deps)),
    every(deps, 'warn of ending plans', 600_000, () => warnOfEndingPlans(deps)),
    every(deps, 'forget what is over', 3_600_000, () => forget(deps)),
    every(deps, 'check the ledger', 60_000, createLedgerProof(deps, onViolations)),
  ];
  return {
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

async function forget(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  await forgetOldSessions(deps.db, now);
  await forgetOldTries(deps.db, now);
  await forgetOldKeys(deps.db, now);
  await forgetOldCalls(deps.db, now);
  await forgetUnknownRecipients(deps.db, now);
  await forgetOldConnections(deps.db, now);
  await forgetOldWithheld(deps.db, now);
  await forgetOldNotices(deps.db, now);
  await forgetOldPhoneCodes(deps.db, now);
}

/** Runs a task again and again, never twice at a time. The returned function waits for the run under way. */
function every(deps: Deps, name: string, milliseconds: number, task: () => Promise<unknown>): () => Promise<void> {
  let stopped = false;
  let running: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const round = () => {
    running = task()
      .catch((err: unknown) => deps.log.error({ err, task: name }, 'a scheduled task failed'))
      .finally(() => {
        if (!stopped) timer = setTimeout(round, milliseconds);
      });
  };
  timer = setTimeout(round, milliseconds);
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
