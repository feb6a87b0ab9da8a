import { type ProposedPrice, proposedPrice } from '@raha/contract/admin/approvals.ts';
import type { Audit, StaffActor } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type Approved, proposeAct } from '../staff/approvals.ts';
import { mayChangePrices } from '../staff/second-member.ts';
import { changePrice, type PriceOrder, prepare } from './change-price.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

/** Changed, with the version and its moment, or proposed; then `from` is null if it is to hold as soon as it is approved. */
export interface RequestedPrice {
  readonly outcome: 'done' | 'proposed';
  readonly id: string;
  readonly from: Date | null;
}

/**
 * A member changes the price of a gigabyte, which a second one approves unless `approvals.pricesAlone` is on. Refuses as `changePrice`
 * does, now and once more when it is approved.
 */
export async function requestPrice(
  deps: Deps,
  order: PriceOrder & { readonly actor: StaffActor },
): Promise<RequestedPrice> {
  const { actor, usdCentsPerGb, from = null, seen, reason } = order;
  return await inTransaction(deps.db, async (tx) => {
    if (await mayChangePrices(tx, actor)) return { outcome: 'done', ...(await changePrice(tx, deps, order)) };
    const { before } = await prepare(tx, deps, order);
    const moment = from?.toISOString() ?? null;
    const payload: ProposedPrice = { usd_cents_per_gb: usdCentsPerGb, before, from: moment, seen };
    const details = { usdCentsPerGb, before, from: moment };
    return {
      outcome: 'proposed',
      id: await proposeAct(tx, deps, { actor, act: 'price', payload, reason, details }),
      from,
    };
  });
}

/**
 * Changes the price as it was approved, in the transaction of the approval. Refuses `approval_stale` when its moment is over, and as
 * `changePrice` does when the price is another one by now.
 */
export async function changeApprovedPrice(tx: Tx, deps: Deps, approved: Approved): Promise<void> {
  const { actor, payload, reason, details } = approved;
  const { usd_cents_per_gb: usdCentsPerGb, from, seen } = proposedPrice.parse(payload);
  if (from !== null && new Date(from) <= deps.clock.now()) throw new Refusal('approval_stale');
  const order = { actor, usdCentsPerGb, from: from === null ? undefined : new Date(from), seen, reason };
  await changePrice(tx, deps, order, details);
}
