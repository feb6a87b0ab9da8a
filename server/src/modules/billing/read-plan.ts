import { type Executor, readRows } from '../../platform/database.ts';
import { readPlanUse } from '../metering/leases.ts';
import { type Allowance, isGiving, toAllowance } from '../subscriptions/allowance.ts';
import { type PeriodRow, toPeriod } from '../subscriptions/plans.ts';
import { decideAdvance } from '../subscriptions/rules.ts';
import { coveredBy } from './rules.ts';
import { type FoundPeriod, planPeriods } from './tables.ts';

export { type FoundPeriod, planPeriods };

/** For display, read without a lock: what a user's plan gives now, and to which configs. */
export interface PlanState {
  /** Running and future periods, by start. */
  readonly periods: readonly PeriodRow[];
  /** Bytes that have passed, by period. */
  readonly usedBytes: ReadonlyMap<string, bigint>;
  readonly allowance: Allowance | undefined;
  /** The configs for which the allowance pays; none once it has nothing left. */
  readonly covered: ReadonlySet<string>;
  /** Whether an earlier period has ended. */
  readonly isPast: boolean;
}

export async function readPlanState(db: Executor, userId: string, now: Date): Promise<PlanState> {
  return await describePlanState(db, userId, await readRows(db, planPeriods({ userId, now })), now);
}

/** From the rows of `planPeriods`. What was used is asked for only if there is a period: most users pay by the gigabyte. */
export async function describePlanState(
  db: Executor,
  userId: string,
  found: readonly FoundPeriod[],
  now: Date,
): Promise<PlanState> {
  const periods = found.filter(({ id }) => id !== null).map(({ past: _past, ...row }) => toPeriod(row));
  const { current } = decideAdvance(periods, now);
  const allowance = current && toAllowance(current);
  const ids = periods.map(({ id }) => id);
  const { usedBytes, live } = ids.length > 0 ? await readPlanUse(db, userId, ids) : noUse;
  return {
    periods,
    usedBytes,
    allowance,
    covered: isGiving(allowance) ? coveredBy(live, allowance.maxDevices) : new Set(),
    isPast: found[0]?.past ?? false,
  };
}

const noUse = { usedBytes: new Map<string, bigint>(), live: [] };
