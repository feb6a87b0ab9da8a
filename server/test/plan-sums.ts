import { sql } from 'kysely';
import { sumPlans } from '../src/modules/subscriptions/sum-plans.ts';
import type { Clock } from '../src/platform/clock.ts';
import type { Database } from '../src/platform/database.ts';

/** Adds up what is due, and returns every version whose sums are not what a count of all subscriptions gives. */
export async function comparePlanSums(deps: { readonly db: Database; readonly clock: Clock }): Promise<unknown[]> {
  const { db, clock } = deps;
  await sumPlans(deps);
  const now = clock.now();
  const { rows } = await sql`
    WITH counted AS (
      SELECT plan_id, version_id, count(*)::int AS sold,
        (count(*) FILTER (WHERE starts_at <= ${now} AND ends_at > ${now} AND ended_at IS NULL))::int AS running,
        (count(*) FILTER (WHERE end_reason = 'cancelled'))::int AS cancelled,
        sum(price_toman - credited_toman)::text AS toman
      FROM subscription GROUP BY plan_id, version_id
    ), summed AS (
      SELECT plan_id, version_id, sold::int, running::int, cancelled::int, (paid_toman - credited_toman)::text AS toman FROM plan_sum
    )
    SELECT 'counted' AS which, * FROM (TABLE counted EXCEPT TABLE summed) c
    UNION ALL SELECT 'summed', * FROM (TABLE summed EXCEPT TABLE counted) s
  `.execute(db);
  return rows;
}
