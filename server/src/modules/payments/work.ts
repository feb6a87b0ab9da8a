import { handle, type Work } from '../../platform/jobs.ts';
import type { ConfirmDeps } from './confirm-payment.ts';
import { forgetOldCalls } from './gateway-health.ts';
import { refundRequested } from './jobs.ts';
import { reconcilePayments, sweepUnverified } from './reconcile-payments.ts';
import { reconcileRefunds, sendRefund } from './send-refund.ts';

export const paymentsWork: Work<ConfirmDeps> = {
  handlers: [handle(refundRequested, (deps: ConfirmDeps, { refundId }) => sendRefund(deps, refundId))],
  schedules: [
    { name: 'reconcile refunds', everyMs: 15_000, run: reconcileRefunds },
    { name: 'reconcile payments', everyMs: 5_000, run: reconcilePayments },
    { name: 'sweep unverified payments', everyMs: 60_000, run: sweepUnverified },
    {
      name: 'forget old calls of gateways',
      everyMs: 3_600_000,
      run: ({ db, clock }) => forgetOldCalls(db, clock.now()),
    },
  ],
};
