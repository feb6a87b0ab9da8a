import { addDays } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import {
  type PeriodRow,
  type PlanRow,
  selectAllOpenPeriods,
  selectOpenPeriods,
  selectPeriods,
  selectPlan,
  selectPlans,
  takeEnding,
  upsertPlan,
} from './tables.ts';

export type { PeriodRow, PlanRow };

/** All plans in the operator's order, those that are off as well. */
export async function listPlans(db: Executor): Promise<PlanRow[]> {
  return await selectPlans(db);
}

/** Changes a plan or makes a new one; periods that are bought keep what was agreed. */
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
    // A plan without a price is not sold by mistake.
    isOn: false,
    position: 100,
  };
}

/** What runs or is to come of a user, first to begin first. */
export async function listOpenPeriods(db: Executor, userId: string, now: Date): Promise<PeriodRow[]> {
  return await selectOpenPeriods(db, userId, now);
}

/** Whatever runs or is to come, of everybody. */
export async function listAllOpenPeriods(db: Executor, now: Date): Promise<PeriodRow[]> {
  return await selectAllOpenPeriods(db, now);
}

/** Everything a user ever bought, newest first. */
export async function listPeriods(db: Executor, userId: string, page: { number: number; size: number }) {
  return await selectPeriods(db, userId, page);
}

/** Running periods that end within the warning time; each is given out once. */
export async function takeEndingPeriods(tx: Tx, now: Date, days: number) {
  return await takeEnding(tx, now, addDays(now, days));
}
