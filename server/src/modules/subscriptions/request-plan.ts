import { type ProposedPlan, proposedPlan } from '@raha/contract/admin/approvals.ts';
import type { PlanChange } from '@raha/contract/admin/plans.ts';
import { type Audit, differences, type StaffActor } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type Approved, proposeAct } from '../staff/approvals.ts';
import { mayChangePrices } from '../staff/second-member.ts';
import { requireFit } from './plan-refusals.ts';
import { changeOf, describeTerms } from './plan-wire.ts';
import { findMoment, prepare, setInside } from './set-plan.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

interface PlanRequest {
  readonly actor: StaffActor;
  readonly id: string;
  readonly change: PlanChange;
  readonly from?: Date | undefined;
  readonly seen: number | null;
  readonly reason: string;
}

/** Changed, with the moment from which on it holds, or proposed; then `from` is null if it is to hold as soon as it is approved. */
export interface RequestedPlan {
  readonly outcome: 'done' | 'proposed';
  readonly from: Date | null;
}

/**
 * A member changes a plan or makes one. Names, place and whether it is sold change at once; other terms, and a new plan, are approved by a
 * second member unless `approvals.pricesAlone` is on. Refuses as `setPlan` does, now and once more when it is approved.
 */
export async function requestPlan(deps: Deps, request: PlanRequest): Promise<RequestedPlan> {
  const order = { ...request, change: changeOf(request.change) };
  const { actor, id, from = null } = order;
  requireFit(id, order.change);
  return await inTransaction(deps.db, async (tx) => {
    const mayAlone = await mayChangePrices(tx, actor);
    const { before, after, isOther, now } = await prepare(tx, deps, order);
    if (mayAlone || !isOther) return { outcome: 'done', from: (await setInside(tx, deps, order)).from };
    await findMoment(tx, order, before, now);
    await propose(tx, deps, request, {
      ...{ id, name_fa: after.nameFa, name_en: after.nameEn },
      ...{ before: before ? describeTerms(before) : null, after: describeTerms(after) },
      ...{ change: request.change, from: from?.toISOString() ?? null, seen: order.seen },
    });
    return { outcome: 'proposed', from };
  });
}

/**
 * Changes a plan as it was approved, in the transaction of the approval. Refuses `approval_stale` when its moment is over,
 * `plans_changed` when it is sold by other terms by now, and as `setPlan` does.
 */
export async function setApprovedPlan(tx: Tx, deps: Deps, approved: Approved): Promise<void> {
  const { actor, payload, reason, details } = approved;
  const { id, change, before, from, seen } = proposedPlan.parse(payload);
  if (from !== null && new Date(from) <= deps.clock.now()) throw new Refusal('approval_stale');
  const moment = from === null ? undefined : new Date(from);
  const order = { actor, id, change: changeOf(change), from: moment, seen, reason };
  // A planned version that has begun meanwhile is no change of the plan, and yet not what was shown.
  const plan = (await prepare(tx, deps, order)).before;
  if (before && plan && Object.keys(differences({ ...before }, { ...describeTerms(plan) })).length > 0)
    throw new Refusal('plans_changed');
  await setInside(tx, deps, order, details);
}

async function propose(tx: Tx, deps: Deps, { actor, reason }: PlanRequest, payload: ProposedPlan): Promise<void> {
  const { before, after, from } = payload;
  const details = { plan: payload.id, price: after.price, before: before?.price ?? null, from };
  await proposeAct(tx, deps, { actor, act: 'plan', payload, reason, details });
}
