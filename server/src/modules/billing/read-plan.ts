import { type Executor, readRows } from '../../platform/database.ts';
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
  return describePlanState(await readRows(db, planPeriods({ userId, now })), now);
}

/** From the rows of `planPeriods`. */
export function describePlanState(found: readonly FoundPeriod[], now: Date): PlanState {
  const rows = found.filter(({ id }) => id !== null);
  const periods = rows.map(({ past: _past, used: _used, live: _live, ...row }) => toPeriod(row));
  const { current } = decideAdvance(periods, now);
  const allowance = current && toAllowance(current);
  return {
    periods,
    usedBytes: new Map(rows.map(({ id, used }) => [String(id), used ?? 0n])),
    allowance,
    covered: isGiving(allowance) ? coveredBy(rows[0]?.live ?? [], allowance.maxDevices) : new Set(),
    isPast: found[0]?.past ?? false,
  };
}
