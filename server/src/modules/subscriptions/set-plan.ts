import { staffLimits } from '@raha/contract/admin/limits.ts';
import { type Actor, type Audit, differences } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { decideInForce, decideMoment, findPlanned, isCancellable } from '../../platform/versions.ts';
import { holdPermission } from '../staff/standing.ts';
import { type Change, choose, newPlan, showingOf, termsOf } from './plan-change.ts';
import { refuse, requireFit } from './plan-refusals.ts';
import {
  followVersion,
  insertPlan,
  insertVersion,
  lockPlan,
  type PlanRow,
  selectNewest,
  selectPlan,
  selectVersion,
  updateCancelled,
  updatePlan,
} from './plan-tables.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

export interface PlanOrder {
  readonly actor: Actor;
  readonly id: string;
  readonly change: Change;
  /** From when on the new terms hold. Absent: at once. */
  readonly from?: Date | undefined;
  /** The revision by which it was decided, null: there was no such plan. Absent: whatever it is. */
  readonly seen?: number | null;
  readonly reason?: string | undefined;
}

/**
 * An operator changes a plan, or makes a new one. Another price, time, traffic or number of devices is a new version of it, at once or
 * from a moment on; name, place and whether it is sold change at once. What is bought already keeps what was agreed. Returns the plan
 * as it is sold now, and from when on the change holds. Refuses `forbidden`, `plans_changed` if the plan is another by now,
 * `plan_planned` if another change waits for its moment, `price_moment`, `plan_original_price`, `plan_unchanged`, and
 * `plan_at_once` for what is never planned; at the command line all of them are an operator's mistakes.
 */
export async function setPlan(deps: Deps, order: PlanOrder): Promise<{ readonly plan: PlanRow; readonly from: Date }> {
  requireFit(order.id, order.change);
  return await inTransaction(deps.db, (tx) => setInside(tx, deps, order));
}

/** The same in the caller's transaction; `more` goes into the entry of the audit. */
export async function setInside(
  tx: Tx,
  deps: Deps,
  order: PlanOrder,
  more: Readonly<Record<string, string | boolean>> = {},
): Promise<{ readonly plan: PlanRow; readonly from: Date }> {
  const { actor, id, from, reason } = order;
  if (actor.kind === 'staff') await holdPermission(tx, actor, 'prices.manage');
  const { before, after, isOther, now } = await prepare(tx, deps, order);
  // A script that sets what is set already has what it wanted.
  if (before && isSame(before, after)) return { plan: before, from: now };
  const at = isOther ? await storeVersion(tx, order, before, after, now) : now;
  if (before) await updatePlan(tx, id, showingOf(after));
  if (before && isOther && !from) await followVersion(tx, id, now);
  const plan = await selectPlan(tx, id, now);
  if (!plan) throw new Error(`plan ${id} has no version`);
  const target = { kind: 'plan', id } as const;
  const details = { ...(from ? { from: at.toISOString() } : {}), ...more };
  const changed = differences({ ...before }, { ...after });
  await deps.audit.record(tx, actor, { action: 'plans.set', target, reason, details, changed });
  return { plan, from: at };
}

/** The plan before and after a change, locked. Refuses what is not possible, but for its moment. */
export async function prepare(tx: Tx, { clock }: Pick<Deps, 'clock'>, order: PlanOrder) {
  const { actor, id, change, from } = order;
  const before = await readLocked(tx, order, clock);
  // After the lock: a sale that was decided by the terms of before is done.
  const now = clock.now();
  const after = choose(before ?? newPlan(id), change);
  if (after.originalPriceToman !== undefined && after.originalPriceToman <= after.priceToman)
    refuse(actor, 'plan_original_price');
  const isUnchanged = before !== undefined && isSame(before, after);
  if (isUnchanged && actor.kind === 'staff') refuse(actor, 'plan_unchanged');
  if (from && !isUnchanged && !(before && isSame(showingOf(before), showingOf(after)))) refuse(actor, 'plan_at_once');
  const isOther = !(before && isSame(termsOf(before), termsOf(after)));
  return { before, after, isOther, now };
}

/**
 * A planned version does not begin. Refuses `forbidden`, `not_found`, and `price_in_force` once it is sold, cancelled before, or about
 * to begin within seconds; at the command line these are an operator's mistakes.
 */
export async function cancelVersion(
  deps: Deps,
  order: { readonly actor: Actor; readonly id: string; readonly reason?: string | undefined },
): Promise<void> {
  const { actor, id, reason } = order;
  await inTransaction(deps.db, async (tx) => {
    if (actor.kind === 'staff') await holdPermission(tx, actor, 'prices.manage');
    const planned = await selectVersion(tx, id);
    const shown = planned && (await lockPlan(tx, planned.planId));
    if (!planned || !shown) return refuse(actor, 'not_found');
    const now = deps.clock.now();
    const version = await selectVersion(tx, id);
    if (!version || version.cancelledAt || !isCancellable(version, now)) return refuse(actor, 'price_in_force');
    await updateCancelled(tx, id, actor.kind === 'staff' ? actor.userId : undefined, now);
    await updatePlan(tx, version.planId, shown);
    const target = { kind: 'plan', id: version.planId } as const;
    const details = { version: id, priceToman: Number(version.priceToman), from: version.validFrom.toISOString() };
    await deps.audit.record(tx, actor, { action: 'plans.cancel', target, reason, details });
  });
}

/** The plan as it is sold now, locked; undefined: there is none yet. */
async function readLocked(tx: Tx, { actor, id, seen }: PlanOrder, clock: Clock): Promise<PlanRow | undefined> {
  const locked = await lockPlan(tx, id);
  if (seen !== undefined && (locked?.revision ?? null) !== seen) refuse(actor, 'plans_changed');
  return locked && (await selectPlan(tx, id, clock.now()));
}

function isSame(before: object, after: object): boolean {
  return Object.keys(differences({ ...before }, { ...after })).length === 0;
}

/** Returns from when on it holds. */
async function storeVersion(
  tx: Tx,
  { actor, id, from, reason }: PlanOrder,
  before: PlanRow | undefined,
  after: ReturnType<typeof choose>,
  now: Date,
): Promise<Date> {
  const validFrom = await findMoment(tx, { actor, id, from }, before, now);
  const versionId = newId(now);
  if (!before && !(await insertPlan(tx, { ...after, versionId }))) refuse(actor, 'plans_changed');
  const createdBy = actor.kind === 'staff' ? actor.userId : undefined;
  const made = { id: versionId, planId: id, validFrom, createdAt: from ? now : validFrom, createdBy, reason };
  await insertVersion(tx, { ...termsOf(after), ...made });
  return validFrom;
}

/** From when on a change of the terms holds. Refuses `plan_planned` and `price_moment`. */
export async function findMoment(
  tx: Tx,
  { actor, id, from }: Pick<PlanOrder, 'actor' | 'id' | 'from'>,
  before: PlanRow | undefined,
  now: Date,
): Promise<Date> {
  const versions = before ? await selectNewest(tx, id) : [];
  if (from && findPlanned(versions, now)) refuse(actor, 'plan_planned');
  const validFrom = decideMoment(from, now, decideInForce(versions, now));
  return validFrom ?? refuse(actor, 'price_moment', { minutes: staffLimits.prices.planMinutes });
}
