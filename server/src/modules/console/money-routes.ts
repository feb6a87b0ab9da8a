import type { money } from '@raha/contract/admin/money.ts';
import type { FastifyRequest } from 'fastify';
import { idempotentRequestOf } from '../../platform/idempotency.ts';
import { approveWaiting, declineWaiting, withdrawWaiting } from '../bulk/decide-order.ts';
import type { ConfirmDeps } from '../payments/confirm-payment.ts';
import { requestRefund } from '../payments/request-refund.ts';
import { type AdminHandlers, actorOf, type StaffCaller } from '../staff/admit.ts';
import type { CorrectionDeps } from '../wallet/correct-books.ts';
import { proposeForgiving, requestAdjustment } from '../wallet/propose-correction.ts';
import { describeProposals, describeRequested } from './describe-proposals.ts';

type Deps = CorrectionDeps & ConfirmDeps;

/** Money of users, moved by staff. */
export function moneyRoutes(deps: Deps): AdminHandlers<typeof money> {
  const commonOf = (caller: StaffCaller, request: FastifyRequest, body: unknown) => ({
    actor: actorOf(caller),
    idempotent: idempotentRequestOf(request, caller.userId, body),
  });
  return {
    async adjustWallet({ caller, params, body, request }) {
      const { toman, reason } = body;
      const order = { userId: params.id, amountToman: BigInt(toman), reason };
      const done = await requestAdjustment(deps, { ...commonOf(caller, request, body), ...order });
      return { success: true, data: describeRequested(done) };
    },
    async forgiveDebt({ caller, params, body, request }) {
      const order = { userId: params.id, reason: body.reason };
      return {
        success: true,
        data: describeRequested(await proposeForgiving(deps, { ...commonOf(caller, request, body), ...order })),
      };
    },
    async refundOnBehalf({ caller, params, body, request }) {
      const { actor, idempotent } = commonOf(caller, request, body);
      const order = { userId: params.id, paymentId: params.payment, amountToman: body.toman, reason: body.reason };
      await requestRefund(deps, { ...order, idempotent, onBehalf: { actor, audit: deps.audit } });
      return { success: true };
    },
    async listProposals({ caller }) {
      return { success: true, data: { proposals: await describeProposals(deps, actorOf(caller)) } };
    },
    async approveProposal({ caller, params }) {
      await approveWaiting(deps, { actor: actorOf(caller), id: params.id });
      return { success: true };
    },
    async declineProposal({ caller, params, body }) {
      await declineWaiting(deps, { actor: actorOf(caller), id: params.id, reason: body.reason });
      return { success: true };
    },
    async withdrawProposal({ caller, params, body }) {
      await withdrawWaiting(deps, { actor: actorOf(caller), id: params.id, reason: body.reason });
      return { success: true };
    },
  };
}
