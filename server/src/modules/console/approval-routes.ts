import type { approvalCalls } from '@raha/contract/admin/approvals.ts';
import { type AdminHandlers, actorOf } from '../staff/admit.ts';
import { approveAct, declineAct, withdrawAct } from '../staff/approvals.ts';
import { describeApprovals } from './describe-approvals.ts';
import { type PerformDeps, performers } from './perform-approved.ts';

/** What one member proposed and a second one decides, apart from corrections of wallets. */
export function approvalRoutes(deps: PerformDeps): AdminHandlers<typeof approvalCalls> {
  return {
    async listApprovals({ caller }) {
      return { success: true, data: { approvals: await describeApprovals(deps, actorOf(caller)) } };
    },
    async approveAct({ caller, params }) {
      await approveAct(deps, { actor: actorOf(caller), id: params.id }, performers(deps));
      return { success: true };
    },
    async declineAct({ caller, params, body }) {
      await declineAct(deps, { actor: actorOf(caller), id: params.id, reason: body.reason });
      return { success: true };
    },
    async withdrawAct({ caller, params, body }) {
      await withdrawAct(deps, { actor: actorOf(caller), id: params.id, reason: body.reason });
      return { success: true };
    },
  };
}
