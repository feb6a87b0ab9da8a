import type { Executor } from '../../platform/database.ts';
import { type Allowance, isGiving, toAllowance } from '../subscriptions/allowance.ts';
import type { PeriodRow } from '../subscriptions/plans.ts';
import { decideAdvance } from '../subscriptions/rules.ts';
import { coveredBy } from './rules.ts';
import { selectPlanFacts } from './tables.ts';

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
  const facts = await selectPlanFacts(db, userId, now);
  const periods = facts.periods.map(({ period }) => period);
  const { current } = decideAdvance(periods, now);
  const allowance = current && toAllowance(current);
  return {
    periods,
    usedBytes: new Map(facts.periods.map(({ period, usedBytes }) => [period.id, usedBytes])),
    allowance,
    covered: isGiving(allowance) ? coveredBy(facts.live, allowance.maxDevices) : new Set(),
    isPast: facts.isPast,
  };
}
