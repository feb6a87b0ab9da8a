import { addDays } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import {
  hadPeriodOf,
  openPeriodsOf,
  type PeriodRow,
  type PlanRow,
  selectAllOpenPeriods,
  selectOpenPeriods,
  selectPeriods,
  selectPlan,
  selectPlans,
  takeEnding,
  toPeriod,
  upsertPlan,
} from './tables.ts';

export type { PeriodRow, PlanRow };
export { hadPeriodOf, openPeriodsOf, toPeriod };

/** All plans in the operator's order, including those switched off. */
export async function listPlans(db: Executor): Promise<PlanRow[]> {
  return await selectPlans(db);
}

/** Changes or creates a plan. Periods already bought keep their terms. */
export async function changePlan(db: Executor, id: string, change: Partial<PlanRow>): Promise<PlanRow> {
  const plan = { ...((await selectPlan(db, id)) ?? newPlan(id)), ...change };
  await upsertPlan(db, plan);
  return plan;
}

function newPlan(id: string): PlanRow {
  return {
    id,
    nameFa: id,
    nameEn: id,
    priceToman: 0n,
    originalPriceToman: undefined,
    durationDays: 30,
    trafficLimitBytes: undefined,
    maxDevices: 1,
    isPopular: false,
    // So that a new plan is not sold by mistake before it has a price.
    isOn: false,
    position: 100,
  };
}

/** The running and future periods of a user, by start. */
export async function listOpenPeriods(db: Executor, userId: string, now: Date): Promise<PeriodRow[]> {
  return await selectOpenPeriods(db, userId, now);
}

/** The running and future periods of all users. */
export async function listAllOpenPeriods(db: Executor, now: Date): Promise<PeriodRow[]> {
  return await selectAllOpenPeriods(db, now);
}

/** All periods a user ever bought, newest first. */
export async function listPeriods(db: Executor, userId: string, page: { number: number; size: number }) {
  return await selectPeriods(db, userId, page);
}

/** Running periods that end within the warning time; each is returned once. */
export async function takeEndingPeriods(tx: Tx, now: Date, days: number) {
  return await takeEnding(tx, now, addDays(now, days));
}
