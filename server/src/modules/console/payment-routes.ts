import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { payments } from '@raha/contract/admin/payments.ts';
import type { Audit } from '../../platform/audit.ts';
import type { MinuteLimit } from '../../platform/minute-limit.ts';
import { Refusal } from '../../platform/refusal.ts';
import { askBank } from '../payments/ask-bank.ts';
import type { ConfirmDeps } from '../payments/confirm-payment.ts';
import { countWaiting, listPayments, listWaitingRefunds } from '../payments/list-payments.ts';
import { requireSettled, reviewPayment } from '../payments/review-payment.ts';
import { settleRefundByHand } from '../payments/settle-refund.ts';
import { type AdminHandlers, actorOf } from '../staff/admit.ts';
import type { CorrectionDeps } from '../wallet/correct-books.ts';
import { requestCredit } from '../wallet/propose-credit.ts';
import { describePayment, describePaymentLines, describeRefunds } from './describe-payments.ts';
import { describeRequested } from './describe-proposals.ts';
import { exportPayments, spanOf } from './export-payments.ts';
import { lookAt } from './look.ts';

type Deps = ConfirmDeps & CorrectionDeps & { readonly audit: Audit; readonly minuteLimit: MinuteLimit };

/** Payments and refunds, and what an operator settles by hand. */
export function paymentRoutes(deps: Deps): AdminHandlers<typeof payments> {
  const settle = async (order: Omit<Parameters<typeof settleRefundByHand>[1], 'operator'>) => {
    if (!(await settleRefundByHand(deps, order))) throw new Refusal('refund_not_waiting');
    return { success: true as const };
  };
  return {
    async listAllPayments({ query }) {
      const { page: size } = staffLimits.payments;
      const waiting = await countWaiting(deps.db);
      const span = spanOf(query, deps.clock.now(), query.before);
      const rows = await listPayments(deps.db, {
        group: query.group,
        gateway: query.gateway,
        ...span,
        limit: size + 1,
      });
      const lines = await describePaymentLines(deps.db, rows.slice(0, size));
      return {
        success: true,
        data: { payments: lines, next: rows.length > size ? (lines.at(-1)?.id ?? null) : null, waiting },
      };
    },
    async exportPayments({ caller, query, locale, reply }) {
      deps.minuteLimit.take(`staff files of ${caller.userId}`, FILES_PER_MINUTE);
      const text = await exportPayments(deps, actorOf(caller), query, locale);
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="raha-payments.csv"')
        .header('cache-control', 'no-store')
        .send(text);
    },
    async getPaymentFacts({ caller, params }) {
      const payment = await describePayment(deps.db, params.id, deps.clock.now());
      if (!payment) throw new Refusal('not_found');
      await lookAt(deps, { actor: actorOf(caller), userId: payment.user.id });
      return { success: true, data: payment };
    },
    async askBank({ caller, params }) {
      deps.minuteLimit.take(`staff asks ${caller.userId}`, staffLimits.payments.asksPerMinute);
      const answer = await askBank(deps, { actor: actorOf(caller), paymentId: params.id });
      return { success: true, data: { answer, at: deps.clock.now().toISOString() } };
    },
    async creditPayment({ caller, params, body }) {
      const { reference, same_reference: isSameReference, reason } = body;
      const order = { actor: actorOf(caller), paymentId: params.id, reference, isSameReference, reason };
      return { success: true, data: describeRequested(await requestCredit(deps, order)) };
    },
    async failPayment({ caller, params, body }) {
      const verdict = { actor: actorOf(caller), paymentId: params.id, outcome: 'failed', note: body.reason } as const;
      requireSettled(await reviewPayment(deps, verdict));
      return { success: true };
    },
    async listRefunds() {
      const { refunds: most } = staffLimits.payments;
      const rows = await listWaitingRefunds(deps.db, most + 1);
      return {
        success: true,
        data: { refunds: await describeRefunds(deps.db, rows.slice(0, most)), more: rows.length > most },
      };
    },
    async markRefundSent({ caller, params, body: { tracking, reason: note } }) {
      return await settle({ actor: actorOf(caller), refundId: params.id, outcome: 'sent', tracking, note });
    },
    async confirmRefund({ caller, params, body: { tracking, reason: note } }) {
      return await settle({ actor: actorOf(caller), refundId: params.id, outcome: 'confirmed', tracking, note });
    },
    async failRefund({ caller, params, body: { reason: note } }) {
      return await settle({ actor: actorOf(caller), refundId: params.id, outcome: 'failed', note });
    },
  };
}

const FILES_PER_MINUTE = 6;
