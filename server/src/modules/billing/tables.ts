import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';
import { type LiveMeter, liveMetersOf, usedOfPlan } from '../metering/leases.ts';
import { hadPeriodOf, openPeriodsOf, type PeriodRow, toPeriod } from '../subscriptions/plans.ts';

/** Statements over what other modules keep, in their words. Billing has no table of its own. */

type FoundPeriod = Parameters<typeof toPeriod>[0] & { readonly used: bigint | null };

export interface PlanFacts {
  readonly isPast: boolean;
  /** The running and future periods, by start, each with the bytes that have passed in it. */
  readonly periods: readonly { readonly period: PeriodRow; readonly usedBytes: bigint }[];
  /** The live configs, oldest first; not read without a period. */
  readonly live: readonly LiveMeter[];
}

export async function selectPlanFacts(db: Executor, userId: string, now: Date): Promise<PlanFacts> {
  const { rows } = await sql<FoundPeriod & { past: boolean; live: readonly LiveMeter[] | null }>`
    SELECT p.*, had.past, CASE WHEN p.id IS NOT NULL THEN ${usedOfPlan(sql`p.id`)} END AS used,
      CASE WHEN p.id IS NOT NULL THEN ${liveMetersOf(userId)} END AS live
    FROM (SELECT ${hadPeriodOf(userId, now)} AS past) had LEFT JOIN ${openPeriodsOf(userId, now)} p ON true
    ORDER BY p."startsAt", p.id
  `.execute(db);
  return {
    isPast: rows[0]?.past ?? false,
    live: rows[0]?.live ?? [],
    periods: rows
      .filter(({ id }) => id !== null)
      .map(({ past: _past, live: _live, used, ...row }) => ({ period: toPeriod(row), usedBytes: used ?? 0n })),
  };
}
