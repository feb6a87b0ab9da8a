import type { ApprovalAct } from '@raha/contract/admin/approvals.ts';
import type { Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Vault } from '../../platform/sealed.ts';
import { issueApproved } from '../gift-cards/request-batch.ts';
import { changeApprovedPrice } from '../pricing/request-price.ts';
import type { Perform } from '../staff/approvals.ts';
import { setApprovedPlan } from '../subscriptions/request-plan.ts';

export interface PerformDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly audit: Audit;
}

/** By which use case each act is done once it is approved, in the console as at the command line. */
export function performers(deps: PerformDeps): Readonly<Record<ApprovalAct, Perform>> {
  return {
    cards: (tx, approved) => issueApproved(tx, deps, approved),
    price: (tx, approved) => changeApprovedPrice(tx, deps, approved),
    plan: (tx, approved) => setApprovedPlan(tx, deps, approved),
  };
}
