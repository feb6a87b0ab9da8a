import { type GatewayName, paymentGateways } from '@raha/contract/payment-gateways.ts';
import { handle, type Schedule, type Work } from '../../platform/jobs.ts';
import type { ConfirmDeps } from './confirm-payment.ts';
import { forgetOldCalls } from './gateway-health.ts';
import { refundRequested } from './jobs.ts';
import { forgetDebtors } from './pay-debts.ts';
import { reconcileGateway, sweepGateway } from './reconcile-payments.ts';
import { reconcileRefundsOf, sendRefund } from './send-refund.ts';

export const paymentsWork: Work<ConfirmDeps> = {
  handlers: [handle(refundRequested, (deps: ConfirmDeps, { refundId }) => sendRefund(deps, refundId))],
  schedules: [
    ...paymentGateways.flatMap(schedulesOf),
    {
      name: 'forget erased accounts that owe nothing',
      everyMs: 3_600_000,
      run: ({ db, clock }) => forgetDebtors(db, clock.now()),
    },
    {
      name: 'forget old calls of gateways',
      everyMs: 3_600_000,
      run: ({ db, clock }) => forgetOldCalls(db, clock.now()),
    },
  ],
};

/** Each gateway has its own schedules: no bank's customers wait for another bank. */
function schedulesOf(name: GatewayName): Schedule<ConfirmDeps>[] {
  return [
    { name: `reconcile refunds of ${name}`, everyMs: 15_000, run: (deps) => reconcileRefundsOf(deps, name) },
    { name: `reconcile payments of ${name}`, everyMs: 3_000, run: (deps) => reconcileGateway(deps, name) },
    { name: `sweep unverified payments of ${name}`, everyMs: 60_000, run: (deps) => sweepGateway(deps, name) },
  ];
}
